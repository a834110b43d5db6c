import { readFileSync } from "node:fs";
import { expect } from "vitest";
import {
  matchesCron,
  nextOccurrence,
  occurrencesBetween,
  parseCron,
  previousOccurrence,
  type ZoneSource,
} from "../../src/index.ts";

/** A row of `cases/cron.jsonl`; its `source` is the public report that it came from. */
export interface Row {
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
}

export function readRows<T>(name: string): readonly T[] {
  return readFileSync(new URL(`../cases/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

const iso = (instant: number): string => new Date(instant).toISOString().replace(".000Z", "Z");

/** What this package answers to a row, in the row's own form. */
export function answer(row: Row, zones?: ZoneSource): readonly string[] | "none" | "error" {
  const options = { timeZone: row.tz, zones };
  const after = Date.parse(row.after);
  if (row.kind === "parse") {
    try {
      parseCron(row.expr);
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
