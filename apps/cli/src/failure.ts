import type { Diagnostic } from "@mesh/declaration";
import type { ApiError } from "@mesh/protocol";
import { isApiError, isLinkError } from "@mesh/protocol";
import { CommandError, isCommandError } from "./command-error.ts";
import type { Paint } from "./paint.ts";
import { printable } from "./paint.ts";

/** A failure as it is told: lines for a person, data for `-o json`, and the exit code. */
export interface Told {
  readonly exitCode: number;
  readonly lines: readonly string[];
  readonly data?: unknown;
}

/**
 * Puts whatever a command threw into words. Every failure has one line that says what is wrong
 * and, where there is one, a line that says how to go on; a stack is shown only for a fault of
 * `mesh` itself.
 */
export function tellFailure(error: unknown, paint: Paint): Told {
  const usage = usageExit(error);
  if (usage !== undefined) return { exitCode: usage, lines: [] };
  if (isCommandError(error)) {
    const { exitCode, message, help, frames = [], framesOnly = false } = error.failure;
    const told = frameLines(frames, paint);
    const own = failureLines(message, help, paint).slice(framesOnly ? 1 : 0);
    return {
      exitCode,
      lines: framesOnly && help === undefined ? told.slice(0, -1) : [...told, ...own],
      data: error.toJSON(),
    };
  }
  if (isApiError(error)) return tellFailure(refused(error), paint);
  if (isLinkError(error)) {
    const message = error.message.replace("no usable answer from", "no server answers at");
    const help =
      "start one with `mesh dev` (`npm start` in a clone), " +
      "or name another with --server URL or MESH_SERVER";
    return {
      exitCode: 1,
      lines: failureLines(message, help, paint),
      data: { error: { code: "link", message, help } },
    };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = `mesh failed in a way it should not: ${text}`;
  return {
    exitCode: 1,
    lines: failureLines(message, undefined, paint),
    data: { error: { code: "internal", message } },
  };
}

/** `error: …` and `help: …`, in the colours of their meaning. */
export function failureLines(
  message: string,
  help: string | undefined,
  paint: Paint,
): readonly string[] {
  const lines = [`${paint("error:", "red")} ${printable(message)}`];
  return help === undefined ? lines : [...lines, `${paint("help:", "cyan")} ${printable(help)}`];
}

/** Code frames with a blank line after each, their first word in the colour of its meaning. */
export function frameLines(frames: readonly string[], paint: Paint): readonly string[] {
  return frames.flatMap((frame) => [
    frame.replace(/^(error|warning)\[[^\]]*\]:/, (word) =>
      paint(word, word.startsWith("error") ? "red" : "yellow"),
    ),
    "",
  ]);
}

/** The exit code of what the parser of the command line threw, which has told it already. */
function usageExit(error: unknown): number | undefined {
  const { code, exitCode } = (error ?? {}) as { code?: unknown; exitCode?: unknown };
  if (typeof code !== "string" || !code.startsWith("commander.")) return undefined;
  return exitCode === 0 ? 0 : 2;
}

/** Statuses that say the request's content is wrong, so that sending it again cannot help. */
const badContent: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/**
 * A server's refusal as a failure of the command, about `subject` if there were several things.
 * One fault is told in a line; several are listed, since there is no text of ours to point into.
 */
export function refused(error: ApiError, subject?: string): CommandError {
  const { code, message, help, diagnostics } = error.error;
  const faults = (diagnostics ?? []).filter(({ severity }) => severity === "error");
  const [first, ...others] = faults;
  const about = subject === undefined ? "" : `${subject}: `;
  const listed = others.length > 0 ? faults.map(findingLine) : [];
  const one = first !== undefined && others.length === 0 ? first : undefined;
  return new CommandError({
    exitCode: badContent.has(error.status) ? 2 : 1,
    code,
    message: about + (one?.message ?? message),
    help: helpHere[code] ?? help ?? one?.help ?? helpFor(error.status),
    diagnostics,
    frames: listed.length === 0 ? [] : [listed.join("\n")],
  });
}

function findingLine({ pointer, message, help }: Diagnostic): string {
  const place = pointer === undefined || pointer === "" ? "" : `${pointer}: `;
  return printable(`${place}${message}${help === undefined ? "" : ` (${help})`}`);
}

/** How to go on at a command line, where the server's own words are those of its API. */
const helpHere: Readonly<Record<string, string>> = {
  "job.differs": "add --replace to put this one in its place, or use another name",
};

function helpFor(status: number): string | undefined {
  if (status === 401) return "give the operator's token with --token or MESH_TOKEN";
  if (status === 403) return "this token may not do that: use the operator's token";
  return undefined;
}
