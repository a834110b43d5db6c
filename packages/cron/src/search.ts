import { type Bits, highestBit, lowestBit } from "./bits.ts";
import { DAY_MINUTES, matchingDays, monthLength, monthOf } from "./calendar.ts";

// The search runs on wall-clock minutes ("local"), counted from 1970-01-01T00:00 on that clock.
// Zones come in one level up, in `zoned-search`.

/** Whether a wall-clock minute matches all five fields (C3). */
export function matchesLocal(bits: Bits, local: number): boolean {
  const day = Math.floor(local / DAY_MINUTES);
  const time = local - day * DAY_MINUTES;
  const hour = (time / 60) | 0;
  const minute = time - hour * 60;
  return (
    (bits.hour & (1 << hour)) !== 0 &&
    ((minute < 32 ? bits.minuteLow : bits.minuteHigh) & (1 << (minute & 31))) !== 0 &&
    dayMatches(bits, day)
  );
}

/**
 * The first matching wall-clock minute at or after `local`. The expression must be possible
 * (C12); the answer is then at most 40 years away: 29 February on a given weekday, across a
 * century that is no leap year.
 */
export function nextLocal(bits: Bits, local: number): number {
  const day = Math.floor(local / DAY_MINUTES);
  if (dayMatches(bits, day)) {
    const time = nextTime(bits, local - day * DAY_MINUTES);
    if (time >= 0) return day * DAY_MINUTES + time;
  }
  return nextDay(bits, day + 1) * DAY_MINUTES + bits.firstTime;
}

/** The last matching wall-clock minute at or before `local`; the mirror of `nextLocal`. */
export function previousLocal(bits: Bits, local: number): number {
  const day = Math.floor(local / DAY_MINUTES);
  if (dayMatches(bits, day)) {
    const time = previousTime(bits, local - day * DAY_MINUTES);
    if (time >= 0) return day * DAY_MINUTES + time;
  }
  return previousDay(bits, day - 1) * DAY_MINUTES + bits.lastTime;
}

function dayMatches(bits: Bits, day: number): boolean {
  if (bits.everyDay) return true;
  const { month, first, length } = monthOf(day);
  return (matchingDays(bits, month, first, length) & (2 << (day - first))) !== 0;
}

/** The first matching minute of the day at or after `time`, or -1 if the day has none left. */
function nextTime(bits: Bits, time: number): number {
  const hour = (time / 60) | 0;
  if ((bits.hour & (1 << hour)) !== 0) {
    const minute = nextMinute(bits, time - hour * 60);
    if (minute >= 0) return hour * 60 + minute;
  }
  const later = bits.hour & (-2 << hour);
  return later === 0 ? -1 : lowestBit(later) * 60 + (bits.firstTime % 60);
}

function nextMinute(bits: Bits, minute: number): number {
  let high = bits.minuteHigh;
  if (minute < 32) {
    const low = bits.minuteLow & (-1 << minute);
    if (low !== 0) return lowestBit(low);
  } else {
    high &= -1 << (minute - 32);
  }
  return high === 0 ? -1 : 32 + lowestBit(high);
}

function previousTime(bits: Bits, time: number): number {
  const hour = (time / 60) | 0;
  if ((bits.hour & (1 << hour)) !== 0) {
    const minute = previousMinute(bits, time - hour * 60);
    if (minute >= 0) return hour * 60 + minute;
  }
  const earlier = bits.hour & ((1 << hour) - 1);
  return earlier === 0 ? -1 : highestBit(earlier) * 60 + (bits.lastTime % 60);
}

function previousMinute(bits: Bits, minute: number): number {
  let low = bits.minuteLow;
  if (minute >= 32) {
    const high = bits.minuteHigh & ((2 << (minute - 32)) - 1);
    if (high !== 0) return 32 + highestBit(high);
  } else {
    low &= (2 << minute) - 1;
  }
  return low === 0 ? -1 : highestBit(low);
}

/** The first matching day at or after `from`, month by month. */
function nextDay(bits: Bits, from: number): number {
  if (bits.everyDay) return from;
  let { year, month, first, length } = monthOf(from);
  let days = matchingDays(bits, month, first, length) & (-2 << (from - first));
  while (days === 0) {
    first += length;
    if (++month > 12) {
      month = 1;
      year++;
    }
    length = monthLength(year, month);
    days = matchingDays(bits, month, first, length);
  }
  return first + lowestBit(days) - 1;
}

/** The last matching day at or before `from`. */
function previousDay(bits: Bits, from: number): number {
  if (bits.everyDay) return from;
  let { year, month, first, length } = monthOf(from);
  let days = matchingDays(bits, month, first, length) & ((4 << (from - first)) - 1);
  while (days === 0) {
    if (--month < 1) {
      month = 12;
      year--;
    }
    length = monthLength(year, month);
    first -= length;
    days = matchingDays(bits, month, first, length);
  }
  return first + highestBit(days) - 1;
}
