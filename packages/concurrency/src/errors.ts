import type { Diagnostic } from "@mesh/cron";

const SPEC = Symbol.for("@mesh/concurrency/ScheduleSpecError");
const STATE = Symbol.for("@mesh/concurrency/ScheduleStateError");

/** What both errors are: a headline, every problem with its pointer, and plain data as JSON. */
class DiagnosticError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(brand: symbol, headline: string, diagnostics: readonly Diagnostic[]) {
    const lines = diagnostics.map(({ pointer, message, help }) => {
      const where = pointer ? `${pointer}: ` : "";
      return `\n  ${where}${message}${help === undefined ? "" : `\n    help: ${help}`}`;
    });
    super(headline + lines.join(""));
    this.diagnostics = diagnostics;
    Object.defineProperty(this, brand, { value: true });
  }

  toJSON(): { name: string; message: string; diagnostics: readonly Diagnostic[] } {
    return { name: this.name, message: this.message, diagnostics: this.diagnostics };
  }
}

/** A spec that cannot become a schedule: `diagnostics` holds every problem with its pointer. */
export class ScheduleSpecError extends DiagnosticError {
  override readonly name = "ScheduleSpecError";

  constructor(diagnostics: readonly Diagnostic[]) {
    super(SPEC, "this schedule cannot be accepted", diagnostics);
  }
}

/** Stored data that does not parse, an unknown version, or an invariant that does not hold. */
export class ScheduleStateError extends DiagnosticError {
  override readonly name = "ScheduleStateError";

  constructor(what: string, diagnostics: readonly Diagnostic[]) {
    super(STATE, `this ${what} cannot be read`, diagnostics);
  }
}

/** True of a {@link ScheduleSpecError}, also of another copy of this package or another realm. */
export function isScheduleSpecError(error: unknown): error is ScheduleSpecError {
  return hasBrand(error, SPEC);
}

/** True of a {@link ScheduleStateError}, also of another copy of this package or another realm. */
export function isScheduleStateError(error: unknown): error is ScheduleStateError {
  return hasBrand(error, STATE);
}

function hasBrand(error: unknown, brand: symbol): boolean {
  return typeof error === "object" && error !== null && brand in error;
}
