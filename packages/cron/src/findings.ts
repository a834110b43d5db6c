import { type Bits, FULL_DAYS, FULL_WEEKDAYS } from "./bits.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** The warning for an expression that restricts both day fields (C3), or `undefined`. */
export function bothDayFields(bits: Bits): Diagnostic | undefined {
  if (bits.dayOfMonth === FULL_DAYS || bits.dayOfWeek === FULL_WEEKDAYS) return undefined;
  return {
    code: "cron.both-day-fields",
    severity: "warning",
    message: "day of month and weekday are both restricted: a day must match both",
    found: bits.source,
    help: "other crons run when either matches; for that, use two schedules",
  };
}

/** The error for an expression that no date can ever match (C12), or `undefined`. */
export function neverMatches(bits: Bits): Diagnostic | undefined {
  if (bits.possible) return undefined;
  return {
    code: "cron.never",
    severity: "error",
    message: "no date ever matches: none of the months has such a day",
    found: bits.source,
    help: "use a day of month that one of the months has",
  };
}
