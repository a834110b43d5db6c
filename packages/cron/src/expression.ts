import { type Bits, stampedBits } from "./bits.ts";
import { readBits } from "./parse.ts";

/**
 * A five-field cron expression (C1–C3): the values that each field allows, sorted and frozen.
 * It is plain data: a copy (spread, `structuredClone`, JSON) works in its place, at the cost of
 * one parse when it is first used. Of a copy only `source` is trusted.
 */
export interface CronExpression {
  /** The text, exactly as it was given. */
  readonly source: string;
  readonly minute: readonly number[];
  readonly hour: readonly number[];
  readonly dayOfMonth: readonly number[];
  readonly month: readonly number[];
  /** 0 is Sunday. */
  readonly dayOfWeek: readonly number[];
}

const bitsOfCopies = new WeakMap<object, Bits>();

/** The masks of an expression or of a copy of one; throws for what is neither. */
export function bitsOf(cron: CronExpression): Bits {
  if (typeof cron !== "object" || cron === null) throw notAnExpression();
  return stampedBits(cron) ?? bitsOfCopy(cron);
}

function bitsOfCopy(cron: CronExpression): Bits {
  const known = bitsOfCopies.get(cron);
  if (known !== undefined && known.source === cron.source) return known;
  if (typeof cron.source !== "string") throw notAnExpression();
  const bits = readBits(cron.source);
  bitsOfCopies.set(cron, bits);
  return bits;
}

function notAnExpression(): TypeError {
  return new TypeError("cron must be an expression that parseCron returned, or a copy of one");
}
