import type { Diagnostic } from "./diagnostic.ts";
import type { CronField } from "./field-rules.ts";

const CRON_SYNTAX_ERROR = Symbol.for("@mesh/cron/CronSyntaxError");
const TIME_ZONE_ERROR = Symbol.for("@mesh/cron/TimeZoneError");

/**
 * A text that is no cron expression (C1, C2). The message has four parts: what, where, why, help.
 * `code` is stable, the wording is not; `field` is set where one field is at fault.
 */
export class CronSyntaxError extends SyntaxError {
  override readonly name = "CronSyntaxError";
  readonly code: string;
  readonly field: CronField | undefined;
  /** Exactly one entry, with the span of the fault. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, diagnostic: Diagnostic, field?: CronField | undefined) {
    super(message);
    this.code = diagnostic.code;
    this.field = field;
    this.diagnostics = [diagnostic];
    brand(this, CRON_SYNTAX_ERROR);
  }

  toJSON(): { name: string; message: string; diagnostics: readonly Diagnostic[] } {
    return { name: this.name, message: this.message, diagnostics: this.diagnostics };
  }
}

/** A name that is no time zone (C7), with the nearest names that are. */
export class TimeZoneError extends RangeError {
  override readonly name = "TimeZoneError";
  readonly timeZone: string;
  readonly suggestions: readonly string[];
  readonly diagnostics: readonly Diagnostic[];

  constructor(timeZone: string, suggestions: readonly string[], diagnostic: Diagnostic) {
    super(diagnostic.help ? `${diagnostic.message}\nhelp: ${diagnostic.help}` : diagnostic.message);
    this.timeZone = timeZone;
    this.suggestions = suggestions;
    this.diagnostics = [diagnostic];
    brand(this, TIME_ZONE_ERROR);
  }

  toJSON(): {
    name: string;
    message: string;
    timeZone: string;
    suggestions: readonly string[];
    diagnostics: readonly Diagnostic[];
  } {
    const { name, message, timeZone, suggestions, diagnostics } = this;
    return { name, message, timeZone, suggestions, diagnostics };
  }
}

/** Whether `error` is a `CronSyntaxError`, of whichever copy of this package or realm. */
export function isCronSyntaxError(error: unknown): error is CronSyntaxError {
  return hasBrand(error, CRON_SYNTAX_ERROR);
}

/** Whether `error` is a `TimeZoneError`, of whichever copy of this package or realm. */
export function isTimeZoneError(error: unknown): error is TimeZoneError {
  return hasBrand(error, TIME_ZONE_ERROR);
}

function brand(error: Error, symbol: symbol): void {
  Object.defineProperty(error, symbol, { value: true });
}

function hasBrand(error: unknown, symbol: symbol): boolean {
  return (
    typeof error === "object" && error !== null && (error as Record<symbol, true>)[symbol] === true
  );
}
