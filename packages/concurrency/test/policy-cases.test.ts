import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type ConcurrencyPolicy,
  createSchedule,
  decideSchedule,
  type ScheduleSpec,
  type ScheduleState,
} from "../src/index.ts";
import { allOccurrences } from "./ledger.ts";

/** One public report: what came due in (after, now], and what the report was about. */
interface Row {
  readonly id: string;
  readonly source: string;
  readonly expr: string;
  readonly tz: string;
  readonly after: string;
  readonly now: string;
  readonly dueCount: number;
  readonly expect: readonly string[] | "none";
  readonly limit?: number;
  readonly policy?: ConcurrencyPolicy;
  readonly note: string;
}

const rows = readFileSync(new URL("./cases/policy.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

describe("policy rows from public bug reports", () => {
  it.each(rows)("$id ($source): $note", (row) => {
    const after = Date.parse(row.after);
    const now = Date.parse(row.now);
    const newest = row.expect === "none" ? [] : row.expect.map((text) => Date.parse(text));
    const withSpec = (more: Partial<ScheduleSpec>): ScheduleState => ({
      ...createSchedule(
        { name: "report", schedule: row.expr, timezone: row.tz, ...more },
        { uid: row.id, now: after },
      ),
      lastScheduleAt: after,
    });

    // All due occurrences, in passes that the limit cuts; none is lost and none comes twice.
    const passes: number[] = [];
    let state = withSpec({ ...(row.policy && { concurrencyPolicy: row.policy }) });
    for (;;) {
      const decision = decideSchedule(state, [], { now });
      passes.push(...decision.outcomes.flatMap((o) => (o.outcome === "create" ? [o.at] : [])));
      state = decision.schedule;
      if (!decision.evidence.truncated) break;
      expect(decision.wake).toEqual({ kind: "at", at: now });
    }
    expect(passes).toHaveLength(row.dueCount);
    expect(passes).toEqual(allOccurrences(state, after, now));
    expect(passes.slice(-(row.limit ?? Number.POSITIVE_INFINITY))).toEqual(newest);

    // However far behind, `Latest` starts one at most and the schedule goes on afterwards.
    const latest = decideSchedule(withSpec({ missed: "Latest" }), [], { now });
    const started = latest.outcomes.flatMap((o) => (o.outcome === "create" ? [o.at] : []));
    expect(started).toEqual(newest.slice(-1));
    expect(latest.wake).toMatchObject({ kind: "at", at: expect.any(Number) });

    // With a run active, `Forbid` starts nothing; a clock behind the checkpoint decides nothing.
    const forbid = decideSchedule(
      withSpec({ concurrencyPolicy: "Forbid" }),
      [{ id: "r1", status: "running" }],
      { now },
    );
    expect(forbid.outcomes.every(({ outcome }) => outcome === "hold")).toBe(true);
    expect(forbid.clockBehind).toBe(now < after ? true : undefined);
  });

  it("all rows are run", () => {
    expect(rows).toHaveLength(20);
  });
});
