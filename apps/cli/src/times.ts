import type { ZoneSource } from "@mesh/cron";
import { localTime } from "@mesh/cron";
import { formatInTimeZone } from "date-fns-tz";

/** Where a reader's clock stands: a zone, and the zone data that says what that means. */
export interface Clockface {
  readonly timeZone: string;
  readonly zones: ZoneSource;
}

/** `2026-10-25T00:30:00Z`, the second that `at` lies in. */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, -5)}Z`;
}

/**
 * `Sun 2026-10-25 02:30:00 +02:00`: wall clock and offset, always both, because a wall clock
 * alone cannot tell the two halves of a repeated hour apart (C8).
 * The offset comes from the zone data in use (C7a); date-fns-tz only writes it down.
 */
export function localText(at: number, { timeZone, zones }: Clockface): string {
  const { local, offset } = localTime(at, { timeZone, zones });
  if (!wholeMinutes.test(offset)) return `${local.replace("T", " ")} ${offset}`;
  return formatInTimeZone(at, offset, "EEE yyyy-MM-dd HH:mm:ss xxx");
}

/** The instant in UTC and, in brackets, on the reader's clock. */
export function bothTexts(at: number, reader: Clockface): string {
  return `${utcText(at)} (${localText(at, reader)})`;
}

/** `02:30:00 +02:00`: the time of day, for lines that follow one another within minutes. */
export function clockText(at: number, { timeZone, zones }: Clockface): string {
  const { local, offset } = localTime(at, { timeZone, zones });
  if (!wholeMinutes.test(offset)) return `${local.slice(11)} ${offset}`;
  return formatInTimeZone(at, offset, "HH:mm:ss xxx");
}

/** Offsets before the standard zones may hold seconds, which date-fns-tz does not read. */
const wholeMinutes = /^[+-]\d{2}:\d{2}$/;

/** Which half of a repeated hour an instant lies in, in words; empty outside one. */
export function foldText(at: number, { timeZone, zones }: Clockface): string {
  const { fold } = localTime(at, { timeZone, zones });
  return fold === undefined ? "" : `${fold} time round`;
}

/** A length of time in its two largest units: `850ms`, `42s`, `3m 20s`, `5h 2m`, `12d 4h`. */
export function lengthText(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1000) return `${ms}ms`;
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value], at) => at === 0 || value > 0)
    .map(([value, unit]) => `${value}${unit}`)
    .join(" ");
}

/** How far `at` lies from `now`: `in 42s`, `3m 20s ago`, `now`. */
export function fromNow(at: number, now: number): string {
  const away = at - now;
  if (Math.abs(away) < 1000) return "now";
  return away > 0 ? `in ${lengthText(away)}` : `${lengthText(-away)} ago`;
}
