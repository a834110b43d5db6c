import { MAX_INSTANT } from "./bounds.ts";
import type { Instant } from "./job.ts";

/** Checks of arguments that only a programming mistake can get wrong. */
export function checkInstant(name: string, value: unknown): Instant {
  if (typeof value !== "number") {
    throw new TypeError(`${name} must be epoch milliseconds, found ${typeof value}`);
  }
  if (!Number.isInteger(value) || Math.abs(value) > MAX_INSTANT) {
    throw new RangeError(`${name} must be a whole number in the range of Date, found ${value}`);
  }
  // JSON has no minus zero.
  return value === 0 ? 0 : (value as Instant);
}

export function checkText(name: string, value: unknown): void {
  if (typeof value !== "string" || value === "") {
    throw new TypeError(`${name} must be a non-empty string`);
  }
}
