import type { Diagnostic } from "./diagnostic.ts";

/** Text of all problems, one paragraph each: what, where, found, help. */
function describeProblems(subject: string, diagnostics: readonly Diagnostic[]): string {
  const many = diagnostics.length === 1 ? "" : ` (${diagnostics.length} problems)`;
  const lines = diagnostics.map(({ pointer, message, found, help }) => {
    const where = pointer ? `${pointer}: ` : "";
    const what = found === undefined ? message : `${message}, found ${found}`;
    return `\n  ${where}${what}${help === undefined ? "" : `\n    help: ${help}`}`;
  });
  return `${subject}${many}${lines.join("")}`;
}

/** What an error of this package is in JSON. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A spec that cannot become a Job (J1, J2); `diagnostics` holds all its problems. */
export class JobSpecError extends Error {
  override readonly name = "JobSpecError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(describeProblems("job spec is refused", diagnostics));
    this.diagnostics = diagnostics;
    brand(this);
  }

  toJSON(): ErrorData {
    return dataOf(this);
  }
}

/** An event that is no event, or a task id that was used before (J5). */
export class TransitionError extends Error {
  override readonly name = "TransitionError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(describeProblems("job event is refused", diagnostics));
    this.diagnostics = diagnostics;
    brand(this);
  }

  toJSON(): ErrorData {
    return dataOf(this);
  }
}

/** Stored state that does not parse, breaks an invariant of J10, or has an unknown `v`. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(describeProblems("stored job state does not parse", diagnostics));
    this.diagnostics = diagnostics;
    brand(this);
  }

  toJSON(): ErrorData {
    return dataOf(this);
  }
}

/** True for a `JobSpecError` of any copy or realm. */
export function isJobSpecError(error: unknown): error is JobSpecError {
  return hasBrand(error, "JobSpecError");
}

/** True for a `TransitionError` of any copy or realm. */
export function isTransitionError(error: unknown): error is TransitionError {
  return hasBrand(error, "TransitionError");
}

/** True for a `StateError` of any copy or realm. */
export function isStateError(error: unknown): error is StateError {
  return hasBrand(error, "StateError");
}

function dataOf({ name, message, diagnostics }: ErrorData): ErrorData {
  return { name, message, diagnostics };
}

/** Errors are told apart by a brand, since `instanceof` fails across copies of the package. */
function brand(error: ErrorData): void {
  Object.defineProperty(error, brandOf(error.name), { value: true });
}

function brandOf(name: string): symbol {
  return Symbol.for(`@mesh/jobs/${name}`);
}

function hasBrand(error: unknown, name: string): boolean {
  return typeof error === "object" && error !== null && brandOf(name) in error;
}
