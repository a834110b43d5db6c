const brand = Symbol.for("@mesh/agent/PathError");

export type PathErrorCode =
  | "path.outside-root"
  | "path.symlink"
  | "path.not-regular"
  | "path.mount";

/** Why a path on the host's disk is not touched (R7); nothing was changed. */
export class PathError extends Error {
  readonly [brand] = true;
  readonly code: PathErrorCode;

  constructor(code: PathErrorCode, path: string, why: string) {
    super(`${path} ${why}`);
    this.name = "PathError";
    this.code = code;
  }

  toJSON(): { name: string; code: string; message: string } {
    return { name: this.name, code: this.code, message: this.message };
  }
}

export function isPathError(error: unknown): error is PathError {
  return typeof error === "object" && error !== null && brand in error;
}
