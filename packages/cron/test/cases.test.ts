import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  matchesCron,
  nextOccurrence,
  occurrencesBetween,
  parseCron,
  previousOccurrence,
} from "../src/index.ts";

interface Row {
  readonly id: string;
  readonly kind: "next" | "dst" | "hang" | "match" | "between" | "policy" | "parse";
  readonly expr: string;
  readonly tz: string;
  readonly after: string;
  readonly until?: string;
  readonly now?: string;
  readonly limit?: number;
  readonly dueCount?: number;
  readonly expect: readonly string[] | "none" | "error";
  readonly note?: string;
}

const rows: readonly Row[] = readFileSync(new URL("./cases/cron.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Row);

const iso = (instant: number): string => new Date(instant).toISOString().replace(".000Z", "Z");

function answer(row: Row): readonly string[] | "none" | "error" {
  const options = { timeZone: row.tz };
  const after = Date.parse(row.after);
  if (row.kind === "parse") {
    try {
      nextOccurrence(parseCron(row.expr), after, options);
      return [];
    } catch {
      return "error";
    }
  }
  const cron = parseCron(row.expr);
  if (row.kind === "match") return matchesCron(cron, after, options) ? [iso(after)] : "none";
  if (row.kind === "between" || row.kind === "policy") {
    const through = Date.parse((row.until ?? row.now) as string);
    const all = occurrencesBetween(cron, { after, through }, { ...options, limit: Infinity });
    if (row.dueCount !== undefined) expect(all).toHaveLength(row.dueCount);
    if (all.length === 0) return "none";
    return (row.limit === undefined ? all : all.slice(-row.limit)).map(iso);
  }
  const found: string[] = [];
  let from = after;
  while (found.length < (row.limit ?? 1)) {
    const next = nextOccurrence(cron, from, options);
    if (next === undefined) break;
    expect(previousOccurrence(cron, next + 1, options)).toBe(next);
    found.push(iso(next));
    from = next;
  }
  return found.length === 0 ? "none" : found;
}

describe(`published cases, in process zone ${process.env.TZ ?? "of the machine"}`, () => {
  for (const row of rows) {
    it(`${row.id}: ${row.expr} in ${row.tz} (${row.kind})`, () => {
      expect(answer(row)).toEqual(row.expect);
    });
  }
});
