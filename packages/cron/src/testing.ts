import fc from "fast-check";
import { type CronExpression, parseCron } from "./index.ts";

/** A well-formed text and the values of its fields, worked out beside it. */
export interface CronCase {
  readonly text: string;
  readonly minute: readonly number[];
  readonly hour: readonly number[];
  readonly dayOfMonth: readonly number[];
  readonly month: readonly number[];
  readonly dayOfWeek: readonly number[];
}

interface FieldCase {
  readonly text: string;
  readonly values: readonly number[];
}

/**
 * Expressions of the whole grammar (C2), with the values that each field means. `fixedTime` leaves
 * out `*` in minute and hour, so that `dst: "Once"` applies (C9).
 */
export function cronCase(options?: {
  readonly fixedTime?: boolean | undefined;
}): fc.Arbitrary<CronCase> {
  const stars = options?.fixedTime !== true;
  return fc
    .tuple(
      fieldCase(0, 59, stars),
      fieldCase(0, 23, stars),
      dateFieldCase(1, 31),
      dateFieldCase(1, 12),
      dateFieldCase(0, 6),
    )
    .map(([minute, hour, dayOfMonth, month, dayOfWeek]) => ({
      text: [minute, hour, dayOfMonth, month, dayOfWeek].map((field) => field.text).join(" "),
      minute: minute.values,
      hour: hour.values,
      dayOfMonth: dayOfMonth.values,
      month: month.values,
      dayOfWeek: dayOfWeek.values,
    }));
}

/** Well-formed expression texts. */
export function cronText(): fc.Arbitrary<string> {
  return cronCase().map(({ text }) => text);
}

/** Parsed expressions. */
export function cronExpression(options?: {
  readonly fixedTime?: boolean | undefined;
}): fc.Arbitrary<CronExpression> {
  return cronCase(options).map(({ text }) => parseCron(text));
}

/** Names of time zones that the engine knows, `UTC` among them. */
export function timeZoneName(): fc.Arbitrary<string> {
  return fc.constantFrom("UTC", ...Intl.supportedValuesOf("timeZone"));
}

/** Instants within so many minutes of a centre, on whole minutes and beside them. */
export function instantNear(center: number, minutes: number): fc.Arbitrary<number> {
  return fc
    .tuple(fc.integer({ min: -minutes, max: minutes }), fc.constantFrom(0, 0, 1, 30_000, 59_999))
    .map(([offset, rest]) => center + offset * 60_000 + rest);
}

function dateFieldCase(min: number, max: number): fc.Arbitrary<FieldCase> {
  const any = fc.constant({ text: "*", values: upTo(min, max, 1) });
  return fc.oneof({ weight: 2, arbitrary: any }, fieldCase(min, max, true));
}

function fieldCase(min: number, max: number, stars: boolean): fc.Arbitrary<FieldCase> {
  return fc.array(itemCase(min, max, stars), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map((item) => item.text).join(","),
    values: [...new Set(items.flatMap((item) => item.values))].sort((a, b) => a - b),
  }));
}

function itemCase(min: number, max: number, stars: boolean): fc.Arbitrary<FieldCase> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: max + 2 });
  const single = value.map((v) => ({ text: written(v), values: [v] }));
  const range = fc
    .tuple(value, value, fc.option(step))
    .map(([a, b, by]) => span(Math.min(a, b), Math.max(a, b), by));
  if (!stars) return fc.oneof(single, range);
  const star = fc.option(step).map((by) => ({
    text: by === null ? "*" : `*/${by}`,
    values: upTo(min, max, by ?? 1),
  }));
  return fc.oneof(single, range, star);
}

function span(first: number, last: number, step: number | null): FieldCase {
  const text = `${written(first)}-${last}`;
  return {
    text: step === null ? text : `${text}/${step}`,
    values: upTo(first, last, step ?? 1),
  };
}

/** Every third small number with a leading zero: the grammar allows it. */
function written(value: number): string {
  return value % 3 === 0 && value < 10 ? `0${value}` : String(value);
}

function upTo(first: number, last: number, step: number): readonly number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}
