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

/** A whole number within bounds, as an option's value; `usual` is the one that help names. */
export function parseCount(
  text: string,
  {
    option,
    least,
    most,
    usual = Math.min(most, Math.max(least, 5)),
  }: { option: string; least: number; most: number; usual?: number },
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw badInput(
    "usage.number",
    `${option}: "${text}" is no whole number from ${least} to ${most}`,
    `for example ${option} ${usual}`,
  );
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A length of time as a person types it (`90s`, `5m`, `12h`, `30d`), in seconds. */
export function parseSeconds(text: string, { option }: { option: string }): number {
  const [, digits = "", unit = ""] = /^(\d{1,8})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (unitSeconds[unit] ?? Number.NaN);
  if (seconds >= 1 && seconds <= 366 * 86_400) return seconds;
  throw badInput(
    "usage.length",
    `${option}: "${text}" is no length of time from 1s to 366d`,
    `write a whole number and a unit, for example ${option} 90s, 5m, 12h or 30d`,
  );
}
