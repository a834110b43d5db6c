import type { Diagnostic } from "@mesh/declaration";
import type { ErrorAnswer } from "@mesh/protocol";

const brand = Symbol.for("@mesh/server/Refusal");

/** A request that is not done: nothing was stored, and the caller is told why (S5). */
export class Refusal extends Error {
  readonly [brand] = true;
  readonly status: number;
  readonly error: ErrorAnswer["error"];

  constructor(status: number, error: ErrorAnswer["error"]) {
    super(error.message);
    this.name = "Refusal";
    this.status = status;
    this.error = error;
  }
}

export function isRefusal(error: unknown): error is Refusal {
  return typeof error === "object" && error !== null && brand in error;
}

export function refusal(
  status: number,
  code: string,
  message: string,
  help?: string | undefined,
): Refusal {
  return new Refusal(status, { code, message, ...(help === undefined ? {} : { help }) });
}

export function notFound(what: string, name: string): Refusal {
  return refusal(404, "not-found", `there is no ${what} ${name}`);
}

/** 400 with what is wrong, place by place (R4). */
export function invalid(diagnostics: readonly Diagnostic[]): Refusal {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : "";
  const where = first?.pointer ? `${first.pointer}: ` : "";
  const message = first === undefined ? "the input is not valid" : where + first.message + more;
  return new Refusal(400, { code: first?.code ?? "invalid", message, diagnostics });
}
