import type { Diagnostic } from "@mesh/declaration";

/** Exit codes of `mesh`: 2 says "mend what you typed or wrote", 1 is everything else. */
export type FailureCode = 1 | 2;

const brand = Symbol.for("@mesh/cli/CommandError");

/** What a failure is told with; `diagnostics` are shown as code frames, before the message. */
export interface Failure {
  readonly exitCode: FailureCode;
  readonly code: string;
  readonly message: string;
  readonly help?: string | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  /** The diagnostics as text, where there is a source to point into. */
  readonly frames?: readonly string[] | undefined;
  /** The frames say it all: the message is only for `-o json`. */
  readonly framesOnly?: boolean | undefined;
}

/** A failure that is told as text and no stack: what is wrong, then how to go on. */
export class CommandError extends Error {
  readonly [brand] = true;
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "CommandError";
    this.failure = failure;
  }

  toJSON(): {
    error: { code: string; message: string; help?: string; diagnostics?: readonly Diagnostic[] };
  } {
    const { code, message, help, diagnostics } = this.failure;
    return {
      error: {
        code,
        message,
        ...(help === undefined ? {} : { help }),
        ...(diagnostics === undefined ? {} : { diagnostics }),
      },
    };
  }
}

export function isCommandError(error: unknown): error is CommandError {
  return typeof error === "object" && error !== null && brand in error;
}

/** Bad input: an argument, an expression, a manifest (exit code 2). */
export function badInput(code: string, message: string, help?: string): CommandError {
  return new CommandError({ exitCode: 2, code, message, help });
}

/** Bad input of which diagnostics say everything; `frames` show them in their source. */
export function badText(
  diagnostics: readonly Diagnostic[],
  frames: readonly string[],
  told: { readonly message?: string; readonly help?: string | undefined } = {},
): CommandError {
  return new CommandError({
    exitCode: 2,
    code: diagnostics[0]?.code ?? "input",
    message: told.message ?? diagnostics[0]?.message ?? "the input is not right",
    framesOnly: told.message === undefined,
    help: told.help,
    diagnostics,
    frames,
  });
}

/** What cannot be done although the input is well-formed (exit code 1). */
export function cannot(code: string, message: string, help?: string): CommandError {
  return new CommandError({ exitCode: 1, code, message, help });
}
