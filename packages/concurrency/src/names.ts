import { checkInstant, type Instant } from "./instant.ts";

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

/**
 * The schedule that gives a run this name: what stands before a hyphen and twelve digits (D10).
 * `undefined` for every other name, and only those are free for Jobs that people name (J2).
 *
 * @example
 * scheduleOfRun("report-202610130900"); // "report"
 */
export function scheduleOfRun(runName: string): string | undefined {
  return /^(.+)-[0-9]{12}$/.exec(runName)?.[1];
}

function checkId(id: string): string {
  if (typeof id === "string" && isLabel(id, MAX_ID)) return id;
  const rule = `id must be 1 to ${MAX_ID} lower-case letters, digits or inner hyphens`;
  throw new RangeError(`${rule}, found ${JSON.stringify(id)}`);
}

/** `YYYYMMDDhhmm` in UTC, of small numbers: the text of a twelve-digit one costs twice as much. */
function minuteStamp(at: Instant): string {
  const date = new Date(at);
  const day = (date.getUTCFullYear() * 100 + date.getUTCMonth() + 1) * 100 + date.getUTCDate();
  return (
    `${day}`.padStart(8, "0") + twoDigits(date.getUTCHours()) + twoDigits(date.getUTCMinutes())
  );
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
