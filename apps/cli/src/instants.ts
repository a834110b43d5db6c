import { badInput } from "./command-error.ts";

const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * An instant as a person types it: `now`, or RFC 3339 with `Z` or an offset. A time without one
 * is refused: which instant it means would depend on where it is read.
 */
export function parseInstant(
  text: string,
  { option, now }: { option: string; now: number },
): number {
  if (text === "now") return now;
  const at = shape.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw badInput(
    "usage.instant",
    `${option}: "${text}" is no instant`,
    "write it with Z or an offset, for example 2026-10-25T02:30:00+02:00, or say now",
  );
}

/** A whole number within bounds, as an option's value. */
export function parseCount(
  text: string,
  { option, least, most }: { option: string; least: number; most: number },
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw badInput(
    "usage.number",
    `${option}: "${text}" is no whole number from ${least} to ${most}`,
    `for example ${option} ${Math.min(most, Math.max(least, 5))}`,
  );
}
