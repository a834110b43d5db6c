import { type Bits, lowestBit } from "./bits.ts";

// Most schedules share a few dozen sets of values, so each set is one frozen array. The caches are
// emptied when full: a flood of odd expressions costs time, never memory.
const MAX_CACHED = 512;
const cachedValues = new Map<number, readonly number[]>();
const cachedMinutes = new Map<number, Map<number, readonly number[]>>();
let cachedMinuteCount = 0;

/** The values of the five fields, in their order. */
export function fieldValues(bits: Bits): readonly (readonly number[])[] {
  return [
    minuteValues(bits.minuteLow, bits.minuteHigh),
    valuesOf(bits.hour),
    valuesOf(bits.dayOfMonth),
    valuesOf(bits.month),
    valuesOf(bits.dayOfWeek),
  ];
}

/** The values of a one-word mask, sorted. */
export function valuesOf(mask: number): readonly number[] {
  const cached = cachedValues.get(mask);
  if (cached !== undefined) return cached;
  if (cachedValues.size >= MAX_CACHED) cachedValues.clear();
  const values = Object.freeze(listBits(mask, 0, []));
  cachedValues.set(mask, values);
  return values;
}

/** The values of the two words of the minute field, sorted. */
export function minuteValues(low: number, high: number): readonly number[] {
  if (high === 0) return valuesOf(low);
  let byHigh = cachedMinutes.get(low);
  const cached = byHigh?.get(high);
  if (cached !== undefined) return cached;
  if (cachedMinuteCount >= MAX_CACHED) {
    cachedMinutes.clear();
    cachedMinuteCount = 0;
    byHigh = undefined;
  }
  if (byHigh === undefined) {
    byHigh = new Map();
    cachedMinutes.set(low, byHigh);
  }
  const values = Object.freeze(listBits(high, 32, listBits(low, 0, [])));
  byHigh.set(high, values);
  cachedMinuteCount++;
  return values;
}

function listBits(mask: number, base: number, values: number[]): number[] {
  for (let rest = mask; rest !== 0; rest &= rest - 1) values.push(base + lowestBit(rest));
  return values;
}
