import type { Diagnostic, ParseResult } from "@mesh/cron";

export type { Diagnostic, ParseResult, Position } from "@mesh/cron";

const BRAND = Symbol.for("@mesh/declaration.DeclarationError");

/** Thrown by `parseManifest`, `parseImageReference` and `parseQuantity`; carries every problem. */
export class DeclarationError extends Error {
  override readonly name = "DeclarationError";
  readonly diagnostics: readonly Diagnostic[];
  readonly [BRAND] = true;

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(summarize).join("\n"));
    this.diagnostics = diagnostics;
  }

  toJSON(): { name: string; message: string; diagnostics: readonly Diagnostic[] } {
    return { name: this.name, message: this.message, diagnostics: this.diagnostics };
  }
}

/** Whether `error` is a `DeclarationError`, also one of another copy or realm of this package. */
export function isDeclarationError(error: unknown): error is DeclarationError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** The value of a `ParseResult`, or its problems thrown as a `DeclarationError`. */
export function unwrap<T>(parsed: ParseResult<T>): T {
  if (parsed.ok) return parsed.value;
  throw new DeclarationError(parsed.diagnostics);
}

function summarize(diagnostic: Diagnostic): string {
  const { code, pointer, message, help } = diagnostic;
  const place = pointer === undefined || pointer === "" ? "" : `${pointer}: `;
  return `${place}${message} [${code}]${help === undefined ? "" : `\n  help: ${help}`}`;
}
