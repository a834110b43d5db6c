const brand = Symbol.for("@mesh/agent/StartError");

export type StartErrorCode =
  | "config.invalid"
  | "data-dir.not-writable"
  | "data-dir.locked"
  | "data-dir.newer"
  | "data-dir.damaged"
  | "engine.unreachable";

/** Why the agent cannot start, in words that a person can act on. */
export class StartError extends Error {
  readonly [brand] = true;
  readonly code: StartErrorCode;
  readonly help: string;

  constructor(code: StartErrorCode, message: string, help: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StartError";
    this.code = code;
    this.help = help;
  }

  toJSON(): { name: string; code: string; message: string; help: string } {
    return { name: this.name, code: this.code, message: this.message, help: this.help };
  }
}

export function isStartError(error: unknown): error is StartError {
  return typeof error === "object" && error !== null && brand in error;
}
