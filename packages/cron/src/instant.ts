import type { Instant } from "./diagnostic.ts";

/** An instant as a `Date` or in epoch milliseconds. */
export type When = Date | Instant;

/** The greatest instant that a `Date` can hold, in milliseconds either way from the epoch. */
export const MAX_INSTANT = 8.64e15;

/** An instant in milliseconds; `name` is what the argument is called in the error. */
export function instantOf(value: When, name: string): Instant {
  let instant = value as number;
  if (typeof value !== "number") {
    try {
      instant = Date.prototype.getTime.call(value);
    } catch {
      throw new TypeError(`${name} must be a Date or a number of milliseconds`);
    }
  }
  if (!(instant >= -MAX_INSTANT && instant <= MAX_INSTANT)) {
    throw new RangeError(`${name} is not a valid instant`);
  }
  return instant;
}

/** An instant in minutes since the epoch, with its fraction. */
export function minuteOf(value: When, name: string): number {
  return instantOf(value, name) / 60_000;
}
