const brand = Symbol.for("@mesh/agent/EngineError");

/**
 * `neverStarted`: this container cannot start. `unavailable`: the engine does not answer.
 * `refused`: it answers that it cannot do what must be done in the end, such as to stop or remove.
 */
export type EngineErrorCode = "neverStarted" | "unavailable" | "refused";

export class EngineError extends Error {
  readonly [brand] = true;
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineError";
    this.code = code;
  }

  toJSON(): { name: string; code: EngineErrorCode; message: string } {
    return { name: this.name, code: this.code, message: this.message };
  }
}

export function isEngineError(error: unknown): error is EngineError {
  return typeof error === "object" && error !== null && brand in error;
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
