import { bitsOf, type CronExpression } from "./expression.ts";
import { fieldValues } from "./values.ts";

const FULL_SIZE = [60, 24, 31, 12, 7];

/**
 * The expression in its plainest form, with the same fields (C11 g): one space between fields, no
 * leading zeros, values sorted, runs as ranges. A field with an item that starts with `*` keeps
 * its items as written, since `dst: "Once"` tells `*` from a full range (C9).
 *
 * @example formatCron(parseCron("00  9,8,10 * * 01-05")) // "0 8-10 * * 1-5"
 */
export function formatCron(cron: CronExpression): string {
  const bits = bitsOf(cron);
  const values = fieldValues(bits);
  return bits.source
    .replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "")
    .split(/[ \t]+/)
    .map((text, index) => {
      const field = values[index] as readonly number[];
      if (!text.includes("*")) return formatValues(field);
      return field.length === FULL_SIZE[index] ? "*" : formatItems(text);
    })
    .join(" ");
}

function formatItems(text: string): string {
  const items = text.replace(/\d+/g, (digits) => String(Number(digits))).split(",");
  return [...new Set(items)].join(",");
}

function formatValues(values: readonly number[]): string {
  return runsOf(values)
    .map(([first, last]) =>
      last === first ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(",");
}

/** The runs of consecutive numbers in a sorted list, as pairs of first and last. */
export function runsOf(values: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const value of values) {
    const run = runs[runs.length - 1];
    if (run && run[1] === value - 1) run[1] = value;
    else runs.push([value, value]);
  }
  return runs;
}
