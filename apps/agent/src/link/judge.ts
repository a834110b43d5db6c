import type { HostDeclaration } from "@mesh/declaration";
import { type Diagnostic, type HostBound, safeParseDeclaration } from "@mesh/declaration";
import { TEXT_LIMIT } from "../host/outcome.ts";

/** Why a declaration was refused whole, in the words of the bound's first finding. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly diagnostics: readonly Diagnostic[];
}

export type Judgement =
  | { readonly ok: true; readonly declaration: HostDeclaration }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Whether this host takes up what it was sent (R7): its format is known, it is within the size that
 * the host's own file allows, it is for this node, allowed by the bound, and no older than what was
 * taken up before. All or nothing: what is refused changes nothing.
 */
export function judgeDeclaration(value: unknown, taken: TakenUp): Judgement {
  try {
    return judge(value, taken);
  } catch (error) {
    // Nothing here throws but a stack that is used up, by what is nested deeper than it is.
    if (!(error instanceof RangeError)) throw error;
    return refuse("declaration.format", "it is nested too deep to be read");
  }
}

interface TakenUp {
  readonly bound: HostBound;
  /** The newest generation that was taken up. */
  readonly generation: number;
}

function judge(value: unknown, { bound, generation }: TakenUp): Judgement {
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof value !== "object" || version !== 1) {
    return refuse("declaration.format", `format version ${JSON.stringify(version)} is not known`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(value));
  const { declarationBytes } = bound.maximum;
  if (bytes > declarationBytes) {
    return refuse(TOO_LARGE, `${bytes} bytes are more than the ${declarationBytes} allowed here`);
  }
  const parsed = safeParseDeclaration(value, bound);
  if (!parsed.ok) {
    const [first] = parsed.diagnostics;
    const message = `${first?.message ?? "it is not allowed"} (${first?.pointer ?? "/"})`;
    return refuse(first?.code ?? "declaration.format", message, parsed.diagnostics);
  }
  if (parsed.value.generation < generation) {
    const message = `generation ${parsed.value.generation} is older than ${generation}`;
    return refuse("declaration.stale", message);
  }
  return { ok: true, declaration: parsed.value };
}

export const TOO_LARGE = "declaration.too-large";

function refuse(
  code: string,
  message: string,
  diagnostics: readonly Diagnostic[] = [],
): Extract<Judgement, { ok: false }> {
  // What is quoted may be of any length; a status is not.
  return { ok: false, refusal: { code, message: message.slice(0, TEXT_LIMIT), diagnostics } };
}
