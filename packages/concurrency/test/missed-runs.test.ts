import { describe, expect, it } from "vitest";
import { type ConcurrencyPolicy, decideSchedule } from "../src/index.ts";
import { at, created, others, running, schedule } from "./seed-schedule.ts";

describe("missed runs (D8)", () => {
  const seen = (
    spec: Parameters<typeof schedule>[0],
    time: string,
    active: readonly string[] = [],
  ): readonly string[] => {
    const decision = decideSchedule(schedule(spec), running(...active), { now: at(time) });
    return [...created(decision), ...others(decision)];
  };

  it.each([
    ["All", "12:03", ["12:01", "12:02", "12:03"]],
    ["Latest", "12:03", ["12:03", "expire 12:01-12:02 x2 missed"]],
    ["Latest", "12:01", ["12:01"]],
    ["Latest", "12:00:59", []],
    ["None", "12:03", ["12:03", "expire 12:01-12:02 x2 missed"]],
    ["None", "12:03:59", ["12:03", "expire 12:01-12:02 x2 missed"]],
  ] as const)("%s at %s: %j", (missed, time, expected) => {
    expect(seen({ missed }, time)).toEqual(expected);
  });

  it("None starts what came due less than 60 s ago, and nothing at 60 s", () => {
    const hourly = { schedule: "0 * * * *", missed: "None" } as const;
    expect(seen(hourly, "13:00:59")).toEqual(["13:00"]);
    expect(seen(hourly, "13:01:00")).toEqual(["expire 13:00-13:00 x1 missed"]);
  });

  it("a starting deadline expires what is older than it, and keeps what is as old", () => {
    const spec = { startingDeadlineSeconds: 60 };
    expect(seen(spec, "12:03:00")).toEqual(["12:02", "12:03", "expire 12:01-12:01 x1 deadline"]);
    expect(seen(spec, "12:02:00")).toEqual(["12:01", "12:02"]);
    const now = at("12:03") + 1;
    const decision = decideSchedule(schedule(spec), [], { now });
    expect(created(decision)).toEqual(["12:03"]);
    expect(others(decision)).toEqual(["expire 12:01-12:02 x2 deadline"]);
  });

  it("held occurrences expire by the deadline too, and the checkpoint moves over them", () => {
    const spec = { startingDeadlineSeconds: 90, concurrencyPolicy: "Forbid" } as const;
    const decision = decideSchedule(schedule(spec), running("r1"), { now: at("12:04") });
    expect(others(decision)).toEqual([
      "expire 12:01-12:02 x2 deadline",
      "hold 12:03-12:04 x2 activeRun",
    ]);
    expect(decision.schedule.lastScheduleAt).toBe(at("12:02"));
  });

  it("deadline first, then missed: one interval, whose reason holds for all of it", () => {
    const hourly = { schedule: "0 * * * *", startingDeadlineSeconds: 30 } as const;
    expect(seen({ ...hourly, missed: "None" }, "14:00:40")).toEqual([
      "expire 13:00-14:00 x2 deadline",
    ]);
    expect(seen({ ...hourly, missed: "Latest" }, "14:00:30")).toEqual([
      "14:00",
      "expire 13:00-13:00 x1 deadline",
    ]);
    for (const startingDeadlineSeconds of [60, 90]) {
      const wide = { startingDeadlineSeconds, missed: "Latest" } as const;
      expect(seen(wide, "12:03:00")).toEqual(["12:03", "expire 12:01-12:02 x2 missed"]);
    }
  });

  it("the deadline leaves room under the limit: expired ones do not count for it", () => {
    const spec = { startingDeadlineSeconds: 60, missedScheduleLimit: 1 };
    const decision = decideSchedule(schedule(spec), [], { now: at("12:05") });
    expect(created(decision)).toEqual(["12:04"]);
    expect(others(decision)).toEqual(["expire 12:01-12:03 >1 deadline"]);
    expect(decision.wake).toEqual({ kind: "at", at: at("12:05") });
  });

  it("being a year behind costs one interval, whose count stops at the limit", () => {
    const behind = schedule({ missed: "Latest" }, at("12:00", "2025-10-13"));
    const decision = decideSchedule(behind, [], { now: at("12:00") });
    expect(decision.outcomes).toEqual([
      {
        outcome: "expire",
        firstAt: at("12:01", "2025-10-13"),
        lastAt: at("11:59"),
        count: 100,
        countIsExact: false,
        reason: "missed",
      },
      { outcome: "create", at: at("12:00"), runName: "report-202610131200", reason: "due" },
    ]);
  });

  it.each(["Allow", "Forbid", "Skip", "Queue"] as const)(
    "%s and None: a held one expires",
    (policy) => {
      const hourly = { schedule: "0 * * * *", missed: "None", concurrencyPolicy: policy } as const;
      const held = decideSchedule(schedule(hourly), running("r1"), { now: at("13:00") });
      const later = decideSchedule(held.schedule, [], { now: at("13:02") });
      const consumed: readonly ConcurrencyPolicy[] = ["Allow", "Skip"];
      expect(others(later)).toEqual(
        consumed.includes(policy) ? [] : ["expire 13:00-13:00 x1 missed"],
      );
      expect(created(later)).toEqual([]);
    },
  );

  describe("Supersede and None (D7)", () => {
    const spec = {
      schedule: "*/5 * * * *",
      missed: "None",
      concurrencyPolicy: "Supersede",
    } as const;
    const held = decideSchedule(schedule(spec), running("r1"), { now: at("12:05") });

    it("what it holds for a stop does not expire meanwhile", () => {
      expect(held.schedule.heldAt).toBe(at("12:05"));
      const later = decideSchedule(held.schedule, [], { now: at("12:08") });
      expect(created(later)).toEqual(["12:05"]);
      expect(later.schedule).not.toHaveProperty("heldAt");
    });

    it("a newer one that comes due while it waits takes its place", () => {
      const later = decideSchedule(held.schedule, [], { now: at("12:13") });
      expect(created(later)).toEqual(["12:10"]);
      expect(others(later)).toEqual(["supersede 12:05-12:05 x1 newerDue"]);
    });

    it("what was missed with nothing to wait for expires", () => {
      const missed = decideSchedule(schedule(spec), [], { now: at("12:08") });
      expect(others(missed)).toEqual(["expire 12:05-12:05 x1 missed"]);
      const busy = decideSchedule(schedule(spec), running("r1"), { now: at("12:08") });
      expect([others(busy), busy.stopRunIds]).toEqual([["expire 12:05-12:05 x1 missed"], []]);
    });

    it("what another policy or another rule once held is not spared", () => {
      const left = { heldAt: at("12:05") };
      const queue = schedule({ ...spec, concurrencyPolicy: "Queue" });
      const late = decideSchedule({ ...queue, ...left }, [], { now: at("12:08") });
      expect(others(late)).toEqual(["expire 12:05-12:05 x1 missed"]);
      expect(late.schedule).not.toHaveProperty("heldAt");
      const latest = schedule({ ...spec, missed: "Latest" });
      const newest = decideSchedule({ ...latest, ...left }, [], { now: at("12:13") });
      expect(others(newest)).toEqual(["expire 12:05-12:05 x1 missed"]);
    });

    it("no other combination records what it holds", () => {
      for (const other of [{ missed: "All" }, { concurrencyPolicy: "Queue" }] as const) {
        const state = schedule({ ...spec, ...other });
        const decision = decideSchedule(state, running("r1"), { now: at("12:05") });
        expect(decision.schedule).toBe(state);
      }
    });
  });
});
