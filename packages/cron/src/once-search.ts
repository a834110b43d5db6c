import type { Bits } from "./bits.ts";
import { matchesLocal, nextLocal } from "./search.ts";
import { seek, type Zone } from "./zone.ts";
import { nextMinute, previousMinute } from "./zoned-search.ts";

// `dst: "Once"` (C9): a wall-clock minute that is shown twice counts the first time, one that is
// never shown counts at the end of the gap that it fell into. Away from changes of offset this is
// the plain search; only what lies within two days after one needs a second look.

const NEAR = 2 * 1440;

/** Whether a whole UTC minute is an occurrence under C9. */
export function matchesOnce(bits: Bits, zone: Zone, minute: number): boolean {
  seek(zone, minute);
  const local = minute + zone.offset;
  if (matchesLocal(bits, local) && firstShowing(zone, local) === minute) return true;
  return endsGapWithMatch(bits, zone, minute);
}

/** The first occurrence under C9 in `from` … `through`, or `Infinity`. */
export function nextOnce(bits: Bits, zone: Zone, from: number, through: number): number {
  let minute = from;
  while (minute <= through) {
    seek(zone, minute);
    const { until } = zone;
    const plain = nextMinute(bits, zone, minute, Math.min(through, until - 1));
    if (minute === zoneStart(zone, minute) && endsGapWithMatch(bits, zone, minute)) return minute;
    if (plain === Number.POSITIVE_INFINITY) {
      minute = until;
      continue;
    }
    if (isFirstShowing(zone, plain)) return plain;
    minute = plain + 1;
  }
  return Number.POSITIVE_INFINITY;
}

/** The last occurrence under C9 in `through` … `from`, or `-Infinity`. */
export function previousOnce(bits: Bits, zone: Zone, from: number, through: number): number {
  let minute = from;
  while (minute >= through) {
    const start = zoneStart(zone, minute);
    const plain = previousMinute(bits, zone, minute, Math.max(through, start));
    if (plain >= start && isFirstShowing(zone, plain)) return plain;
    if (plain > start) {
      minute = plain - 1;
      continue;
    }
    if (start >= through && endsGapWithMatch(bits, zone, start)) return start;
    minute = start - 1;
  }
  return Number.NEGATIVE_INFINITY;
}

function zoneStart(zone: Zone, minute: number): number {
  seek(zone, minute);
  return zone.from;
}

function isFirstShowing(zone: Zone, minute: number): boolean {
  seek(zone, minute);
  return minute >= zone.from + NEAR || firstShowing(zone, minute + zone.offset) === minute;
}

/** The earliest whole UTC minute that shows a wall-clock minute, or `undefined` for none. */
function firstShowing(zone: Zone, local: number): number | undefined {
  return showings(zone, local)[0];
}

/** The whole UTC minutes that show a wall-clock minute, oldest first: one but near a change. */
export function showings(zone: Zone, local: number): readonly number[] {
  const shown: number[] = [];
  for (let minute = local - NEAR / 2; minute <= local + NEAR / 2; minute = zone.until) {
    seek(zone, minute);
    const showing = local - zone.offset;
    if (showing >= Math.max(minute, zone.from) && showing < zone.until) shown.push(showing);
  }
  return shown;
}

/** Whether a segment starts at `minute` after a gap that swallowed a matching wall-clock minute. */
function endsGapWithMatch(bits: Bits, zone: Zone, minute: number): boolean {
  if (zoneStart(zone, minute) !== minute) return false;
  const gapEnd = minute + zone.offset;
  seek(zone, minute - 1);
  for (let local = minute + zone.offset; ; local++) {
    local = nextLocal(bits, local);
    if (local >= gapEnd) return false;
    if (firstShowing(zone, local) === undefined) return true;
  }
}
