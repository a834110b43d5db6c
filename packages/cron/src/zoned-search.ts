import type { Bits } from "./bits.ts";
import { matchesLocal, nextLocal, previousLocal } from "./search.ts";
import { seek, type Zone } from "./zone.ts";

// Candidates are whole UTC minutes, counted since the epoch (C5, C8). Within a segment of one
// offset the wall clock runs evenly, so the search is done there in wall-clock minutes; an answer
// that lies past the segment's end is looked for again from the next segment's start. That gives
// what stepping minute by minute gives: gaps are skipped, repeats are found twice.

/**
 * Offsets are less than a day either way, so a change of offset moves the wall clock by less than
 * two days: what it shows this long after a minute lies after all it showed up to that minute.
 */
const MAX_SHIFT = 2 * 1440;

/** Whether the wall clock of a whole UTC minute matches (C4). */
export function matchesMinute(bits: Bits, zone: Zone, minute: number): boolean {
  seek(zone, minute);
  return matchesLocal(bits, minute + zone.offset);
}

/** The first matching minute in `from` … `through`, or `Infinity`. */
export function nextMinute(bits: Bits, zone: Zone, from: number, through: number): number {
  let minute = from;
  while (minute <= through) {
    seek(zone, minute);
    const { until, offset } = zone;
    const found = nextLocal(bits, minute + offset) - offset;
    if (found < until) return found <= through ? found : Number.POSITIVE_INFINITY;
    minute = until < minute + MAX_SHIFT ? until : Math.max(until, found - MAX_SHIFT);
  }
  return Number.POSITIVE_INFINITY;
}

/** The last matching minute in `through` … `from`, or `-Infinity`; the mirror of `nextMinute`. */
export function previousMinute(bits: Bits, zone: Zone, from: number, through: number): number {
  let minute = from;
  while (minute >= through) {
    seek(zone, minute);
    const { from: start, offset } = zone;
    const found = previousLocal(bits, minute + offset) - offset;
    if (found >= start) return found >= through ? found : Number.NEGATIVE_INFINITY;
    const before = start - 1;
    minute = before > minute - MAX_SHIFT ? before : Math.min(before, found + MAX_SHIFT);
  }
  return Number.NEGATIVE_INFINITY;
}
