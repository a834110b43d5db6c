/** An instant: whole milliseconds since 1970-01-01T00:00Z, within the years 0000 to 9999. */
export type Instant = number;

/** Milliseconds in a minute: the grain of an occurrence. */
export const MINUTE = 60_000;

const FIRST = -62_167_219_200_000;
const LAST = 253_402_300_799_999;

export function isInstant(value: unknown): value is Instant {
  return Number.isSafeInteger(value) && (value as number) >= FIRST && (value as number) <= LAST;
}

/** The argument itself; throws where it is no instant, and names it (`TypeError`, `RangeError`). */
export function checkInstant(value: unknown, argument: string): Instant {
  if (typeof value !== "number") {
    throw new TypeError(
      `${argument} must be a number of milliseconds since 1970 (UTC), found ${typeof value}`,
    );
  }
  if (!isInstant(value)) {
    throw new RangeError(
      `${argument} must be whole milliseconds within the years 0000 to 9999, found ${value}`,
    );
  }
  // JSON has no minus zero: what is stored must read back as it was.
  return value === 0 ? 0 : value;
}

/** RFC 3339 in UTC; seconds and milliseconds only where they are not zero. */
export function formatUtc(at: Instant): string {
  const text = new Date(at).toISOString();
  if (at % MINUTE === 0) return `${text.slice(0, 16)}Z`;
  return at % 1000 === 0 ? `${text.slice(0, 19)}Z` : text;
}
