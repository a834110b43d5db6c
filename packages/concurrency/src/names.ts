import { checkInstant, type Instant, MINUTE } from "./instant.ts";

const DAY_MINUTES = 1440;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** A schedule's name is at most this long, so that every run's name is a DNS-1123 label (D10). */
export const MAX_SCHEDULE_NAME = 40;
const MAX_ID = 8;

/** Whether the text is a DNS-1123 label: lower-case letters, digits and inner hyphens. */
export function isLabel(text: string, maxLength: number): boolean {
  return text.length <= maxLength && LABEL.test(text);
}

/**
 * The name of an occurrence's run: `<schedule>-<YYYYMMDDhhmm>`, in UTC whatever the zone (D10).
 * The same occurrence has the same name in every pass.
 * `at` is floored to its minute.
 *
 * @example
 * occurrenceName("report", 1791882000000); // "report-202610130900"
 */
export function occurrenceName(scheduleName: string, at: Instant): string {
  return `${scheduleName}-${minuteStamp(checkInstant(at, "at"))}`;
}

/** The name of a triggered run: `<schedule>-t<id>`; the id is 1 to 8 label characters (D10). */
export function triggerName(scheduleName: string, id: string): string {
  return `${scheduleName}-t${checkId(id)}`;
}

/** The name of a backfilled run: `<schedule>-b<id>-<YYYYMMDDhhmm>` (D10). */
export function backfillName(scheduleName: string, id: string, at: Instant): string {
  return `${scheduleName}-b${checkId(id)}-${minuteStamp(checkInstant(at, "at"))}`;
}

function checkId(id: string): string {
  if (typeof id === "string" && isLabel(id, MAX_ID)) return id;
  const rule = `id must be 1 to ${MAX_ID} lower-case letters, digits or inner hyphens`;
  throw new RangeError(`${rule}, found ${JSON.stringify(id)}`);
}

/**
 * `YYYYMMDDhhmm` of an instant, by whole-number arithmetic: a `Date` costs five times as much.
 * Days become a date by the usual count of days from 1 March of year 0 in cycles of 400 years.
 */
function minuteStamp(at: Instant): string {
  const minutes = Math.floor(at / MINUTE);
  const days = Math.floor(minutes / DAY_MINUTES);
  const minute = minutes - days * DAY_MINUTES;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const hour = Math.floor(minute / 60);
  // One number of twelve digits: a single conversion to text instead of five.
  const stamp = (((year * 100 + month) * 100 + day) * 100 + hour) * 100 + (minute - hour * 60);
  return stamp < 1e11 ? String(stamp).padStart(12, "0") : String(stamp);
}
