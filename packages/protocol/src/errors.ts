import type { ErrorAnswer } from "./views.ts";

const apiBrand = Symbol.for("@mesh/protocol/ApiError");
const linkBrand = Symbol.for("@mesh/protocol/LinkError");

/** The server refused: `status`, and `error` as it was sent (code, message, help, diagnostics). */
export class ApiError extends Error {
  readonly [apiBrand] = true;
  readonly status: number;
  readonly error: ErrorAnswer["error"];

  constructor(status: number, error: ErrorAnswer["error"]) {
    super(error.message);
    this.name = "ApiError";
    this.status = status;
    this.error = error;
  }

  toJSON(): { name: string; status: number } & ErrorAnswer {
    return { name: this.name, status: this.status, error: this.error };
  }
}

/** No answer came from `baseUrl`, or one that is none of this protocol; `cause` says why. */
export class LinkError extends Error {
  readonly [linkBrand] = true;
  readonly baseUrl: string;

  constructor(baseUrl: string, cause: unknown) {
    super(`no usable answer from ${baseUrl}: ${reasonOf(cause)}`, { cause });
    this.name = "LinkError";
    this.baseUrl = baseUrl;
  }

  toJSON(): { name: string; baseUrl: string; message: string } {
    return { name: this.name, baseUrl: this.baseUrl, message: this.message };
  }
}

export function isApiError(error: unknown): error is ApiError {
  return typeof error === "object" && error !== null && apiBrand in error;
}

export function isLinkError(error: unknown): error is LinkError {
  return typeof error === "object" && error !== null && linkBrand in error;
}

export function linkError(baseUrl: string, cause: unknown): LinkError {
  return new LinkError(baseUrl, cause);
}

/** Reads a refusal's body; one without the agreed shape still gives a code and its status. */
export function apiError(status: number, body: unknown): ApiError {
  const error = (body as Partial<ErrorAnswer> | undefined)?.error;
  if (typeof error?.code === "string" && typeof error.message === "string") {
    return new ApiError(status, error);
  }
  return new ApiError(status, { code: "http.status", message: `the server answered ${status}` });
}

/** The innermost message, since platforms wrap "connection refused" in a bare "fetch failed". */
function reasonOf(cause: unknown): string {
  let at = cause;
  for (let depth = 0; depth < 8; depth += 1) {
    const inner = (at as { cause?: unknown } | undefined)?.cause;
    if (inner === undefined) break;
    at = inner;
  }
  const { message, code } = (at ?? {}) as { message?: unknown; code?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return typeof code === "string" ? code : String(at);
}
