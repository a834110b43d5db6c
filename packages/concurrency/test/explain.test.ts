import { describe, expect, it } from "vitest";
import {
  decideSchedule,
  explainDecision,
  explainReason,
  type OutcomeReason,
  suspendSchedule,
} from "../src/index.ts";
import { at, running, schedule } from "./seed-schedule.ts";

describe("a decision in words", () => {
  it("every fact on a line of its own, oldest outcome first", () => {
    const state = {
      ...schedule({ concurrencyPolicy: "Supersede", startingDeadlineSeconds: 150 }),
      lastScheduleAt: at("12:00"),
    };
    const decision = decideSchedule(state, running("r1"), { now: at("12:05:05") });
    expect(explainDecision(decision)).toBe(
      [
        "schedule report (s1), generation 1",
        "expression: * * * * *",
        "zone: UTC (zone data engine)",
        "policy: Supersede, missed runs: All",
        "now: 2026-10-13T12:05:05Z",
        "base: 2026-10-13T12:00Z",
        "last checkpoint: 2026-10-13T12:00Z",
        "active runs: r1 (running)",
        "due: 2026-10-13T12:05Z",
        "2026-10-13T12:01Z to 2026-10-13T12:02Z: 2 expired, because it is older than its " +
          "starting deadline",
        "2026-10-13T12:03Z to 2026-10-13T12:04Z: 2 superseded, because a newer occurrence is due",
        "2026-10-13T12:05Z: held, still due, because a run of this schedule is active",
        "asked to stop: r1",
        "next look: when a run ends",
      ].join("\n"),
    );
  });

  it("nothing due, nothing active, no checkpoint", () => {
    const text = explainDecision(decideSchedule(schedule(), [], { now: at("12:00") }));
    expect(text.split("\n").slice(-4)).toEqual([
      "last checkpoint: none yet",
      "active runs: none",
      "due: nothing",
      "next look: at 2026-10-13T12:01Z",
    ]);
  });

  it("what the limit cut off is said, and looked at again at once", () => {
    const state = schedule({ missedScheduleLimit: 1 }, at("12:00", "2026-10-10"));
    const text = explainDecision(decideSchedule(state, [], { now: at("13:30:00.250") }));
    expect(text).toContain("now: 2026-10-13T13:30:00.250Z");
    expect(text).toContain("due: 2026-10-10T12:01Z (cut off by the limit)");
    expect(text).toContain("late by 3 d 1 h 29 min: a backlog, not a new occurrence");
    expect(text).toContain("next look: at once");
  });

  it("an interval whose count stopped says so", () => {
    const state = schedule({ missedScheduleLimit: 1, missed: "Latest" });
    expect(explainDecision(decideSchedule(state, [], { now: at("12:03") }))).toContain(
      "2026-10-13T12:01Z to 2026-10-13T12:02Z: more than 1 expired, because it was missed",
    );
  });

  it("a suspended schedule and a clock that is behind", () => {
    const { schedule: suspended } = suspendSchedule(schedule(), { now: at("12:00") });
    const idle = explainDecision(decideSchedule(suspended, [], { now: at("12:05") }));
    expect(idle).toContain(
      "the schedule is suspended: nothing is due\nnext look: only after an edit",
    );
    const ahead = { ...schedule(), lastScheduleAt: at("13:00") };
    const behind = explainDecision(decideSchedule(ahead, [], { now: at("12:05") }));
    expect(behind).toContain("the clock is behind the base: nothing is decided");
    expect(behind).toContain("next look: at 2026-10-13T13:01Z");
  });

  it("a zone's times carry their offset, so that a repeated hour reads as two (C8)", () => {
    const belgrade = { schedule: "30 2 * * *", timezone: "Europe/Belgrade" };
    const state = schedule(belgrade, at("12:00", "2026-10-24"));
    const decision = decideSchedule(state, [], { now: at("02:00", "2026-10-25") });
    expect(explainDecision(decision)).toContain(
      "due: 2026-10-25T00:30Z (2026-10-25T02:30+02:00), 2026-10-25T01:30Z (2026-10-25T02:30+01:00)",
    );
  });

  it("a spec without its defaults is explained as it is decided", () => {
    const state = { ...schedule(), spec: { name: "report", schedule: "* * * * *" } };
    const text = explainDecision(decideSchedule(state, [], { now: at("12:01") }));
    expect(text).toContain("zone: UTC");
    expect(text).toContain("policy: Allow, missed runs: All");
    expect(text).toContain("2026-10-13T12:01Z: created report-202610131201, on time");
  });

  it.each<[OutcomeReason, string]>([
    ["due", "it is due"],
    ["activeRun", "a run of this schedule is active"],
    ["queued", "an older occurrence goes first"],
    ["nameTaken", "another Job holds the run's name"],
    ["afterHeld", "an older occurrence is held"],
    ["olderStarted", "an older occurrence starts now"],
    ["newerDue", "a newer occurrence is due"],
    ["missed", "it was missed, and missed ones are not started late"],
    ["deadline", "it is older than its starting deadline"],
    ["suspended", "it came due while the schedule was suspended"],
    ["edited", "it came due before the schedule was edited"],
  ])("%s: %s", (reason, words) => {
    expect(explainReason(reason)).toBe(words);
  });
});
