import { type Bits, FULL_WEEKDAYS } from "./bits.ts";

export const DAY_MINUTES = 1440;

/** The minute from which zone data has only yearly rules left, and after how many all repeats. */
export const PERIOD_START = Date.UTC(2100, 0) / 60_000;
export const PERIOD_MINUTES = 146_097 * DAY_MINUTES;

/** A month of the proleptic Gregorian calendar. Days are counted from 1970-01-01. */
interface Month {
  year: number;
  /** 1 is January. */
  month: number;
  /** The day that is its first, and how many it has. */
  first: number;
  length: number;
}

// One object for all answers, so that a search allocates nothing. It keeps the month last asked
// for: questions come in clusters.
const current: Month = { year: 1970, month: 1, first: 0, length: 31 };

/**
 * The month that a day is in. The object is overwritten by the next call. Years run from March, so
 * that the leap day comes last (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
 */
export function monthOf(day: number): Readonly<Month> {
  if (day >= current.first && day < current.first + current.length) return current;
  const shifted = day + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = (shifted - era * 146097) | 0;
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36524) | 0) - ((dayOfEra / 146096) | 0)) /
      365) |
    0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const marchMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  current.month = month;
  current.year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  current.first = day - dayOfYear + (((153 * marchMonth + 2) / 5) | 0);
  current.length = monthLength(current.year, month);
  return current;
}

/** How many days a month has. */
export function monthLength(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}

/**
 * The days of a month that match all date fields (C3), bit `d` for day `d`. The weekdays repeat
 * every seven bits, turned to where the month begins, so the whole month is one AND.
 */
export function matchingDays(bits: Bits, month: number, first: number, length: number): number {
  if ((bits.month & (1 << month)) === 0) return 0;
  const days = bits.dayOfMonth & ((2 << length) - 2);
  // 1970-01-01 was a Thursday; 0 is Sunday.
  const weekday = ((first % 7) + 11) % 7;
  const week = ((bits.dayOfWeek >> weekday) | (bits.dayOfWeek << (7 - weekday))) & FULL_WEEKDAYS;
  return days & ((week | (week << 7) | (week << 14) | (week << 21) | (week << 28)) << 1);
}
