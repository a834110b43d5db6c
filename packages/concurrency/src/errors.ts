import type { Diagnostic } from "@mesh/cron";

const SPEC = Symbol.for("@mesh/concurrency/ScheduleSpecError");
const STATE = Symbol.for("@mesh/concurrency/ScheduleStateError");

/** A spec that cannot become a schedule: `diagnostics` holds every problem with its pointer. */
export class ScheduleSpecError extends Error {
  override readonly name = "ScheduleSpecError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(describe("this schedule cannot be accepted", diagnostics));
    this.diagnostics = diagnostics;
    Object.defineProperty(this, SPEC, { value: true });
  }

  toJSON(): { name: string; message: string; diagnostics: readonly Diagnostic[] } {
    return { name: this.name, message: this.message, diagnostics: this.diagnostics };
  }
}

/** Stored data that does not parse, an unknown version, or an invariant that does not hold. */
export class ScheduleStateError extends Error {
  override readonly name = "ScheduleStateError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(what: string, diagnostics: readonly Diagnostic[]) {
    super(describe(`this ${what} cannot be read`, diagnostics));
    this.diagnostics = diagnostics;
    Object.defineProperty(this, STATE, { value: true });
  }

  toJSON(): { name: string; message: string; diagnostics: readonly Diagnostic[] } {
    return { name: this.name, message: this.message, diagnostics: this.diagnostics };
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

function describe(headline: string, diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.map(({ pointer, message, help }) => {
    const where = pointer ? `${pointer}: ` : "";
    return `\n  ${where}${message}${help === undefined ? "" : `\n    help: ${help}`}`;
  });
  return headline + lines.join("");
}
