import type { Bits } from "./bits.ts";
import { PERIOD_MINUTES, PERIOD_START } from "./calendar.ts";
import type { Instant } from "./diagnostic.ts";
import { bitsOf, type CronExpression } from "./expression.ts";
import { MAX_INSTANT, minuteOf, type When } from "./instant.ts";
import { matchesOnce, nextOnce, previousOnce } from "./once-search.ts";
import { type Zone, zoneOf } from "./zone.ts";
import type { ZoneSource } from "./zone-source.ts";
import { matchesMinute, nextMinute, previousMinute } from "./zoned-search.ts";

/** In which zone, and by which rule around changes of offset, an expression is read. */
export interface Zoned {
  /** IANA name; default `UTC`. The process's own zone plays no part (C7). */
  readonly timeZone?: string | undefined;
  /**
   * `Literal` (default, C8): a wall time in a gap does not occur, a repeated one occurs twice.
   * `Once` (C9): each fixed wall time occurs once, at the end of the gap if it falls in one.
   */
  readonly dst?: "Literal" | "Once" | undefined;
  /** Where offsets come from; default the JavaScript engine (C7a). */
  readonly zones?: ZoneSource | undefined;
}

/** How far a search looks: at so many whole minutes. Default 527 040, which is 366 days. */
export interface Horizon {
  readonly horizonMinutes?: number | undefined;
}

const DEFAULT_HORIZON = 527_040;
const DEFAULT_LIMIT = 100;
const MINUTE = 60_000;
const MAX_MINUTE = MAX_INSTANT / MINUTE;

/** Whether the minute of `at` is an occurrence (C4); its seconds are ignored. */
export function matchesCron(cron: CronExpression, at: When, options?: Zoned): boolean {
  const minute = Math.floor(minuteOf(at, "at"));
  const bits = bitsOf(cron);
  const zone = zoneOf(options?.timeZone, options?.zones);
  if (!isOnce(bits, options)) return matchesMinute(bits, zone, minute);
  return bits.possible && matchesOnce(bits, zone, minute);
}

/**
 * The first occurrence after the minute of `after` (C5), of the same kind (Date or number) as
 * `after`; `undefined` if none lies within the horizon, which does not mean never.
 * Throws a `RangeError` for an invalid instant, a `TimeZoneError` for an unknown zone.
 *
 * @example nextOccurrence(parseCron("0 9 * * 1-5"), new Date("2026-10-13T00:00Z"))
 */
export function nextOccurrence(
  cron: CronExpression,
  after: Date,
  options?: Zoned & Horizon,
): Date | undefined;
export function nextOccurrence(
  cron: CronExpression,
  after: Instant,
  options?: Zoned & Horizon,
): Instant | undefined;
export function nextOccurrence(
  cron: CronExpression,
  after: When,
  options?: Zoned & Horizon,
): When | undefined;
export function nextOccurrence(
  cron: CronExpression,
  after: When,
  options?: Zoned & Horizon,
): When | undefined {
  const start = Math.floor(minuteOf(after, "after"));
  const bits = bitsOf(cron);
  const zone = zoneOf(options?.timeZone, options?.zones);
  const end = lastCandidate(start, options?.horizonMinutes);
  const minute = findNext(bits, zone, isOnce(bits, options), start + 1, end);
  if (minute === Number.POSITIVE_INFINITY) return undefined;
  return typeof after === "number" ? minute * MINUTE : new Date(minute * MINUTE);
}

/**
 * The last occurrence strictly before `before` (C10), of the same kind as `before`; `undefined`
 * if none lies within the horizon.
 */
export function previousOccurrence(
  cron: CronExpression,
  before: Date,
  options?: Zoned & Horizon,
): Date | undefined;
export function previousOccurrence(
  cron: CronExpression,
  before: Instant,
  options?: Zoned & Horizon,
): Instant | undefined;
export function previousOccurrence(
  cron: CronExpression,
  before: When,
  options?: Zoned & Horizon,
): When | undefined;
export function previousOccurrence(
  cron: CronExpression,
  before: When,
  options?: Zoned & Horizon,
): When | undefined {
  const start = Math.ceil(minuteOf(before, "before")) - 1;
  const bits = bitsOf(cron);
  const zone = zoneOf(options?.timeZone, options?.zones);
  const end = Math.max(start - span(options?.horizonMinutes) + 1, -MAX_MINUTE);
  const once = isOnce(bits, options);
  const minute = !bits.possible
    ? Number.NEGATIVE_INFINITY
    : once
      ? previousOnce(bits, zone, start, end)
      : previousMinute(bits, zone, start, end);
  if (minute === Number.NEGATIVE_INFINITY) return undefined;
  return typeof before === "number" ? minute * MINUTE : new Date(minute * MINUTE);
}

/**
 * The occurrences `t` with `after < t <= through` (C6), oldest first, at most `limit` of them:
 * 100 if absent or not positive, `Infinity` for all. No horizon applies.
 */
export function occurrencesBetween(
  cron: CronExpression,
  window: { readonly after: Date; readonly through: Date },
  options?: Zoned & { readonly limit?: number | undefined },
): Date[];
export function occurrencesBetween(
  cron: CronExpression,
  window: { readonly after: Instant; readonly through: Instant },
  options?: Zoned & { readonly limit?: number | undefined },
): Instant[];
export function occurrencesBetween(
  cron: CronExpression,
  window: { readonly after: When; readonly through: When },
  options?: Zoned & { readonly limit?: number | undefined },
): When[] {
  const { after, through } = window;
  const start = Math.floor(minuteOf(after, "after"));
  const end = Math.floor(minuteOf(through, "through"));
  sameKind(after, through);
  const bits = bitsOf(cron);
  const zone = zoneOf(options?.timeZone, options?.zones);
  const once = isOnce(bits, options);
  const limit = options?.limit;
  const count = limit !== undefined && limit > 0 ? limit : DEFAULT_LIMIT;
  const found: When[] = [];
  let minute = start;
  while (found.length + 1 <= count) {
    minute = findNext(bits, zone, once, minute + 1, end);
    if (minute === Number.POSITIVE_INFINITY) break;
    found.push(typeof after === "number" ? minute * MINUTE : new Date(minute * MINUTE));
  }
  return found;
}

/**
 * Iterates over the occurrences after `after`, up to and including `through` if there is one,
 * else for ever (C10). Each step searches with an unbounded horizon.
 */
export function occurrences(
  cron: CronExpression,
  window: { readonly after: Date; readonly through?: Date | undefined },
  options?: Zoned,
): IterableIterator<Date>;
export function occurrences(
  cron: CronExpression,
  window: { readonly after: Instant; readonly through?: Instant | undefined },
  options?: Zoned,
): IterableIterator<Instant>;
export function occurrences(
  cron: CronExpression,
  window: { readonly after: When; readonly through?: When | undefined },
  options?: Zoned,
): IterableIterator<When> {
  const { after, through } = window;
  const start = Math.floor(minuteOf(after, "after"));
  let end: number | undefined;
  if (through !== undefined) {
    end = Math.floor(minuteOf(through, "through"));
    sameKind(after, through);
  }
  const bits = bitsOf(cron);
  const zone = zoneOf(options?.timeZone, options?.zones);
  const asNumber = typeof after === "number";
  return iterate(bits, zone, isOnce(bits, options), start, end, asNumber);
}

function* iterate(
  bits: Bits,
  zone: Zone,
  once: boolean,
  start: number,
  end: number | undefined,
  asNumber: boolean,
): Generator<When, undefined, undefined> {
  let minute = start;
  for (;;) {
    const last = end ?? lastCandidate(minute, Number.POSITIVE_INFINITY);
    minute = findNext(bits, zone, once, minute + 1, last);
    if (minute === Number.POSITIVE_INFINITY) return;
    yield asNumber ? minute * MINUTE : new Date(minute * MINUTE);
  }
}

function findNext(bits: Bits, zone: Zone, once: boolean, from: number, through: number): number {
  if (!bits.possible) return Number.POSITIVE_INFINITY;
  return once ? nextOnce(bits, zone, from, through) : nextMinute(bits, zone, from, through);
}

function isOnce(bits: Bits, options: Zoned | undefined): boolean {
  const dst = options?.dst;
  if (dst === undefined || dst === "Literal") return false;
  if (dst !== "Once") throw new RangeError('dst must be "Literal" or "Once"');
  return bits.fixedTime;
}

/** The last minute a search from after `start` looks at. */
function lastCandidate(start: number, horizonMinutes: number | undefined): number {
  return Math.min(start + span(horizonMinutes, start), MAX_MINUTE);
}

/**
 * The horizon in minutes. Without a bound one whole period of the calendar after 2100 is enough:
 * what has not occurred by then never does (C5).
 */
function span(horizonMinutes: number = DEFAULT_HORIZON, start = PERIOD_START): number {
  if (horizonMinutes === Number.POSITIVE_INFINITY) {
    return Math.max(PERIOD_START - start, 0) + PERIOD_MINUTES + DEFAULT_HORIZON;
  }
  if (Number.isInteger(horizonMinutes) && horizonMinutes >= 0) return horizonMinutes;
  throw new RangeError("horizonMinutes must be a whole number from 0 on, or Infinity");
}

function sameKind(after: When, through: When): void {
  if (typeof after !== typeof through) {
    throw new TypeError("after and through must both be Dates or both be numbers");
  }
}
