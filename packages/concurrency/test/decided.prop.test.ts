import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideSchedule, type Interval, type ScheduleState } from "../src/index.ts";
import { scheduleStates } from "../src/testing.ts";
import { allOccurrences, baseOf } from "./ledger.ts";
import { at, created, schedule } from "./seed-schedule.ts";

const day = 86_400_000;

/** Some occurrences around now, as single instants and as intervals that may touch or overlap. */
const someDecided = fc.array(
  fc.record({ from: fc.nat(40), length: fc.nat(6), asInterval: fc.boolean() }),
  { maxLength: 6 },
);

describe("occurrences that are already decided (D9)", () => {
  it("are left out of everything: due, intervals, the newest and the next", () => {
    fc.assert(
      fc.property(
        scheduleStates(),
        fc.constantFrom(60_000, 600_000, 3_600_000, 20_000_000),
        someDecided,
        (plain, later, ranges) => {
          const state: ScheduleState = { ...plain, spec: { ...plain.spec, suspended: false } };
          const now = baseOf(state) + later;
          const around = allOccurrences(state, baseOf(state), now + 2 * day).slice(0, 40);
          const decided = ranges.flatMap(({ from, length, asInterval }): (number | Interval)[] => {
            const covered = around.slice(from, from + length + 1);
            const [firstAt] = covered;
            const lastAt = covered.at(-1);
            if (firstAt === undefined || lastAt === undefined) return [];
            if (!asInterval) return covered;
            return [{ firstAt, lastAt, count: covered.length, countIsExact: true }];
          });
          const isDecided = (t: number): boolean =>
            decided.some((d) =>
              typeof d === "number" ? d === t : d.firstAt <= t && t <= d.lastAt,
            );
          const { outcomes, evidence } = decideSchedule(state, [], { now, decided });
          const open = allOccurrences(state, baseOf(state), now).filter((t) => !isDecided(t));
          const reached = evidence.due.at(-1) ?? evidence.expired?.lastAt ?? now;
          const covered = outcomes.flatMap((o) =>
            o.outcome === "create"
              ? [o.at]
              : allOccurrences(state, o.firstAt - 1, o.lastAt).filter((t) => !isDecided(t)),
          );
          expect(covered).toEqual(open.filter((t) => t <= reached));
          expect(evidence.truncated).toBe(covered.length < open.length);
          for (const o of outcomes) {
            if (o.outcome === "create") continue;
            const inside = open.filter((t) => o.firstAt <= t && t <= o.lastAt);
            expect(o.countIsExact ? inside.length : inside.length > o.count).toBe(
              o.countIsExact ? o.count : true,
            );
            expect([inside[0], inside.at(-1)]).toEqual([o.firstAt, o.lastAt]);
          }
          const future = allOccurrences(state, now, now + 40 * day).filter((t) => !isDecided(t));
          if (future.length > 0) expect(evidence.nextAt).toBe(future[0]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("do not count for the limit", () => {
    const options = { now: at("12:07"), decided: [at("12:02"), at("12:03")] };
    const limited = schedule({ missedScheduleLimit: 2 });
    const decision = decideSchedule(limited, [], options);
    expect(created(decision)).toEqual(["12:01", "12:04"]);
    expect(decision.evidence.truncated).toBe(true);
    const rest = decideSchedule(decision.schedule, [], options);
    expect(created(rest)).toEqual(["12:05", "12:06"]);
  });
});
