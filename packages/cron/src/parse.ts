import {
  type Bits,
  datePossible,
  FULL_DAYS,
  FULL_MONTHS,
  FULL_WEEKDAYS,
  highestBit,
  lowestBit,
  stampBits,
} from "./bits.ts";
import { diagnose, type Fault, MAX_LENGTH } from "./diagnose.ts";
import type { ParseResult } from "./diagnostic.ts";
import { CronSyntaxError } from "./errors.ts";
import type { CronExpression } from "./expression.ts";
import { explainFault } from "./fault-text.ts";
import { bothDayFields } from "./findings.ts";
import { minuteValues, valuesOf } from "./values.ts";

/**
 * The expression that `text` writes: five fields, minute, hour, day of month, month, weekday, that
 * must all match (C1–C3). Throws a `CronSyntaxError` that says where and how to mend it.
 *
 * @example parseCron("0 9 * * 1-5").hour // [9]
 */
export function parseCron(text: string): CronExpression {
  return expressionOf(readBits(text));
}

/**
 * Like `parseCron`, but tells a fault as a diagnostic instead of throwing. The only warning is
 * `cron.both-day-fields` (C3). Throws a `TypeError` for what is no string.
 */
export function safeParseCron(text: string): ParseResult<CronExpression> {
  const bits = scan(text);
  if (bits === undefined) return { ok: false, diagnostics: [faultIn(text).diagnostic] };
  const warning = bothDayFields(bits);
  return { ok: true, value: expressionOf(bits), warnings: warning ? [warning] : [] };
}

/** The masks of a text; throws a `CronSyntaxError` where it is no expression. */
export function readBits(text: string): Bits {
  const bits = scan(text);
  if (bits !== undefined) return bits;
  const fault = faultIn(text);
  throw new CronSyntaxError(explainFault(fault, text), fault.diagnostic, fault.field);
}

function faultIn(text: string): Fault {
  return diagnose(text) as Fault;
}

function expressionOf(bits: Bits): CronExpression {
  const expression: CronExpression = {
    source: bits.source,
    minute: minuteValues(bits.minuteLow, bits.minuteHigh),
    hour: valuesOf(bits.hour),
    dayOfMonth: valuesOf(bits.dayOfMonth),
    month: valuesOf(bits.month),
    dayOfWeek: valuesOf(bits.dayOfWeek),
  };
  stampBits(expression, bits);
  return Object.freeze(expression);
}

// The scanner reads one text at a time and leaves what it read of a field in these.
let low = 0;
let high = 0;
let starred = false;

/** The masks of a well-formed text, in one pass; `undefined` for any other (see `diagnose`). */
function scan(text: string): Bits | undefined {
  if (typeof text !== "string") throw new TypeError("a cron expression must be a string");
  const length = text.length;
  if (length > MAX_LENGTH) return undefined;
  let at = 0;
  while (isEdge(text.charCodeAt(at))) at++;
  at = scanField(text, at, 0, 59);
  const minuteLow = low;
  const minuteHigh = high;
  let fixedTime = !starred;
  at = scanField(text, skipBlanks(text, at), 0, 23);
  const hour = low;
  fixedTime &&= !starred;
  at = scanField(text, skipBlanks(text, at), 1, 31);
  const dayOfMonth = low;
  at = scanField(text, skipBlanks(text, at), 1, 12);
  const month = low;
  at = scanField(text, skipBlanks(text, at), 0, 6);
  const dayOfWeek = low;
  if (at < 0) return undefined;
  while (isEdge(text.charCodeAt(at))) at++;
  if (at < length) return undefined;
  const firstMinute = minuteLow !== 0 ? lowestBit(minuteLow) : 32 + lowestBit(minuteHigh);
  const lastMinute = minuteHigh !== 0 ? 32 + highestBit(minuteHigh) : highestBit(minuteLow);
  return {
    source: text,
    minuteLow,
    minuteHigh,
    hour,
    dayOfMonth,
    month,
    dayOfWeek,
    firstTime: lowestBit(hour) * 60 + firstMinute,
    lastTime: highestBit(hour) * 60 + lastMinute,
    everyDay: dayOfMonth === FULL_DAYS && month === FULL_MONTHS && dayOfWeek === FULL_WEEKDAYS,
    possible: datePossible(dayOfMonth, month),
    fixedTime,
  };
}

/** Reads one field; gives the position after it, or -1 where it or what came before is at fault. */
function scanField(text: string, start: number, min: number, max: number): number {
  low = 0;
  high = 0;
  starred = false;
  if (start < 0) return -1;
  let at = start;
  for (;;) {
    let first = min;
    let last = max;
    let code = text.charCodeAt(at);
    let single = false;
    if (code === STAR) {
      starred = true;
      code = text.charCodeAt(++at);
    } else {
      let digits = at;
      for (first = 0; isDigit(code); code = text.charCodeAt(++at)) first = first * 10 + code - 48;
      if (at === digits || at > digits + 4) return -1;
      last = first;
      single = code !== DASH;
      if (!single) {
        digits = ++at;
        code = text.charCodeAt(at);
        for (last = 0; isDigit(code); code = text.charCodeAt(++at)) last = last * 10 + code - 48;
        if (at === digits || at > digits + 4) return -1;
      }
      if (first < min || last > max || first > last) return -1;
    }
    let step = 1;
    if (code === SLASH) {
      const digits = ++at;
      code = text.charCodeAt(at);
      for (step = 0; isDigit(code); code = text.charCodeAt(++at)) step = step * 10 + code - 48;
      if (single || step === 0 || at === digits || at > digits + 4) return -1;
    }
    include(first, last, step);
    if (code !== COMMA) return at;
    at++;
  }
}

/** Adds `first`, `first + step`, … up to `last` to the masks of the field. */
function include(first: number, last: number, step: number): void {
  if (step === 1) {
    if (first < 32) low |= range(first, last < 32 ? last : 31);
    if (last > 31) high |= range(first > 31 ? first - 32 : 0, last - 32);
    return;
  }
  for (let value = first; value <= last; value += step) {
    if (value < 32) low |= 1 << value;
    else high |= 1 << (value - 32);
  }
}

function range(first: number, last: number): number {
  return ((2 << (last - first)) - 1) << first;
}

const STAR = 42;
const COMMA = 44;
const DASH = 45;
const SLASH = 47;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isEdge(code: number): boolean {
  return isBlank(code) || code === 13 || code === 10;
}

/** The position after one or more blanks, or -1 where there is none. */
function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at++;
  return at > start ? at : -1;
}
