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

/** What the three errors share; told apart by a brand, since `instanceof` fails across copies. */
abstract class DiagnosticError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(name: string, subject: string, diagnostics: readonly Diagnostic[]) {
    super(describeProblems(subject, diagnostics));
    this.name = name;
    this.diagnostics = diagnostics;
    Object.defineProperty(this, brandOf(name), { value: true });
  }

  toJSON(): { name: string; message: string; diagnostics: readonly Diagnostic[] } {
    return { name: this.name, message: this.message, diagnostics: this.diagnostics };
  }
}

/** A spec that cannot become a Job (J1, J2); `diagnostics` holds all its problems. */
export class JobSpecError extends DiagnosticError {
  constructor(diagnostics: readonly Diagnostic[]) {
    super("JobSpecError", "job spec is refused", diagnostics);
  }
}

/** An event that is no event, or a task id that was used before (J5). */
export class TransitionError extends DiagnosticError {
  constructor(diagnostics: readonly Diagnostic[]) {
    super("TransitionError", "job event is refused", diagnostics);
  }
}

/** Stored state that does not parse, breaks an invariant of J10, or has an unknown `v`. */
export class StateError extends DiagnosticError {
  constructor(diagnostics: readonly Diagnostic[]) {
    super("StateError", "stored job state does not parse", diagnostics);
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

function brandOf(name: string): symbol {
  return Symbol.for(`@mesh/jobs/${name}`);
}

function hasBrand(error: unknown, name: string): boolean {
  return typeof error === "object" && error !== null && brandOf(name) in error;
}
