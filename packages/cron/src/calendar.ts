import { type Bits, FULL_WEEKDAYS } from "./bits.ts";

export const DAY_MINUTES = 1440;

/** A date of the proleptic Gregorian calendar; `weekday` 0 is Sunday. */
interface CivilDate {
  day: number;
  year: number;
  month: number;
  dayOfMonth: number;
  weekday: number;
}

// One object for all answers, so that a search allocates nothing. The date last asked for stays:
// questions about one day come in clusters.
const civil: CivilDate = { day: 0, year: 1970, month: 1, dayOfMonth: 1, weekday: 4 };

/**
 * The date of a day counted from 1970-01-01. The object is overwritten by the next call.
 * Years run from March, so that the leap day comes last (H. Hinnant, "chrono-Compatible
 * Low-Level Date Algorithms").
 */
export function civilDate(day: number): Readonly<CivilDate> {
  if (day === civil.day) return civil;
  const shifted = day + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = (shifted - era * 146097) | 0;
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36524) | 0) - ((dayOfEra / 146096) | 0)) /
      365) |
    0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const marchMonth = ((5 * dayOfYear + 2) / 153) | 0;
  civil.day = day;
  civil.month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  civil.year = yearOfEra + era * 400 + (civil.month <= 2 ? 1 : 0);
  civil.dayOfMonth = dayOfYear - (((153 * marchMonth + 2) / 5) | 0) + 1;
  civil.weekday = ((day % 7) + 11) % 7;
  return civil;
}

/** How many days a month has. */
export function monthLength(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}

/**
 * The days of a month that match both day fields (C3), bit `d` for day `d`. The weekdays repeat
 * every seven bits, turned to where the month begins: the whole month is one AND.
 */
export function monthDays(bits: Bits, firstWeekday: number, length: number): number {
  const days = bits.dayOfMonth & ((2 << length) - 2);
  if (bits.dayOfWeek === FULL_WEEKDAYS) return days;
  const week =
    ((bits.dayOfWeek >> firstWeekday) | (bits.dayOfWeek << (7 - firstWeekday))) & FULL_WEEKDAYS;
  const weeks = week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
  return days & (weeks << 1);
}
