import type { CronExpression } from "./expression.ts";

/**
 * A cron expression as bit masks: what the search works on. Bit `v` stands for value `v`;
 * minutes take two words (`minuteLow` 0–31, `minuteHigh` 32–59).
 */
export interface Bits {
  readonly source: string;
  readonly minuteLow: number;
  readonly minuteHigh: number;
  readonly hour: number;
  readonly dayOfMonth: number;
  readonly month: number;
  readonly dayOfWeek: number;
  /** Minute of the day of the first and the last time that match. */
  readonly firstTime: number;
  readonly lastTime: number;
  /** All three date fields are full, so that no calendar is needed. */
  readonly everyDay: boolean;
  /** Some date can match (C12): 30 February cannot. */
  readonly possible: boolean;
  /** Neither the minute nor the hour field has an item that starts with `*` (C9). */
  readonly fixedTime: boolean;
}

export const FULL_DAYS = -2;
export const FULL_MONTHS = 0x1ffe;
export const FULL_WEEKDAYS = 0x7f;
const FEBRUARY = 1 << 2;
const LONG_MONTHS = (1 << 1) | (1 << 3) | (1 << 5) | (1 << 7) | (1 << 8) | (1 << 10) | (1 << 12);

/** Position of the lowest set bit of a mask that is not 0. */
export function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

/** Position of the highest set bit of a mask that is not 0. */
export function highestBit(mask: number): number {
  return 31 - Math.clz32(mask);
}

/**
 * Whether a day of `dayOfMonth` exists in a month of `month` (C12). The weekday plays no part:
 * every date, 29 February too, falls on each weekday in some year.
 */
export function datePossible(dayOfMonth: number, month: number): boolean {
  const earliest = lowestBit(dayOfMonth);
  if (earliest <= 29) return true;
  return (month & (earliest === 30 ? ~FEBRUARY : LONG_MONTHS)) !== 0;
}

/**
 * The masks are kept on the expression itself, in a private field that no copy, comparison or
 * serialisation sees. The base constructor returns the object that it is given, so the field is
 * added to that very object, before it is frozen. A WeakMap would cost three times the whole parse.
 */
function returnTarget(target: object): object {
  return target;
}

class BitsStamp extends (returnTarget as unknown as new (target: object) => object) {
  readonly #bits: Bits;

  constructor(target: object, bits: Bits) {
    super(target);
    this.#bits = bits;
  }

  static read(target: object): Bits | undefined {
    return #bits in target ? target.#bits : undefined;
  }
}

/** Attaches the masks to a new expression, invisibly. */
export function stampBits(expression: CronExpression, bits: Bits): void {
  new BitsStamp(expression, bits);
}

/** The masks of an expression that this copy of the package has parsed itself. */
export function stampedBits(expression: CronExpression): Bits | undefined {
  return BitsStamp.read(expression);
}
