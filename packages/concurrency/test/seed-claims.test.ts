import { describe, expect, it } from "vitest";
import {
  createSchedule,
  decideSchedule,
  dueSet,
  isScheduleSpecError,
  resumeSchedule,
  type ScheduleSpec,
  stopRequest,
  suspendSchedule,
} from "../src/index.ts";
import { at, clock, created, others, running, schedule } from "./seed-schedule.ts";

function codesOf(spec: unknown): readonly (readonly [string, string | undefined])[] {
  try {
    createSchedule(spec as ScheduleSpec, { uid: "s1", now: at("12:00") });
  } catch (error) {
    if (!isScheduleSpecError(error)) throw error;
    return error.diagnostics.map(({ code, pointer }) => [code, pointer]);
  }
  return [];
}

describe("fields and defaults", () => {
  it("[C31-62] the zone defaults to UTC and the policy to Allow (D1)", () => {
    const state = schedule({ schedule: "0 9 * * *" }, at("08:00"));
    const decision = decideSchedule(state, running("r1"), { now: at("09:00") });
    expect(decision.outcomes).toEqual([
      { outcome: "create", at: at("09:00"), runName: "report-202610130900", reason: "due" },
    ]);
    expect(decision.stopRunIds).toEqual([]);
    expect(state.spec).toMatchObject({ timezone: "UTC", concurrencyPolicy: "Allow" });
  });

  it("[C31-65] a bad expression is refused at creation (D1)", () => {
    expect(codesOf({ name: "report", schedule: "0 24 * * *" })).toEqual([
      ["cron.range", "/schedule"],
    ]);
    expect(codesOf({ name: "report", schedule: "* * * * * *" })).toEqual([
      ["cron.fields", "/schedule"],
    ]);
  });

  it("[C31-68] suspended: nothing is made (D2)", () => {
    const state = schedule({ suspended: true });
    expect(dueSet(state, { now: at("12:03") }).due).toEqual([]);
    const decision = decideSchedule(state, [], { now: at("12:03") });
    expect(decision.outcomes).toEqual([]);
    expect(decision.wake).toEqual({ kind: "edit" });
  });

  it("[C31-69] resuming passes over what came due, unless asked to catch up (D2a)", () => {
    const suspended = suspendSchedule(schedule(), { now: at("12:00") }).schedule;
    const resumed = resumeSchedule(suspended, { now: at("12:10:30") });
    expect(resumed.passedOver).toEqual({
      firstAt: at("12:01"),
      lastAt: at("12:10"),
      count: 10,
      countIsExact: true,
    });
    expect(resumed.reason).toBe("suspended");
    expect(dueSet(resumed.schedule, { now: at("12:10:59") }).due).toEqual([]);
    expect(dueSet(resumed.schedule, { now: at("12:11") }).due).toEqual([at("12:11")]);
    const kept = resumeSchedule(suspended, { now: at("12:10:30"), catchUp: true });
    expect(kept.passedOver).toBeUndefined();
    expect(dueSet(kept.schedule, { now: at("12:10:30") }).due).toHaveLength(10);
  });

  it("[C31-87] time comes in: the same arguments give the same decision, whenever it runs", () => {
    const first = decideSchedule(schedule(), [], { now: at("12:03") });
    expect(decideSchedule(schedule(), [], { now: at("12:03") })).toEqual(first);
    expect(decideSchedule(schedule(), [], { now: at("12:03", "1999-12-31") }).clockBehind).toBe(
      true,
    );
  });
});

describe("zones", () => {
  const belgrade = { schedule: "0 9 * * 1-5", timezone: "Europe/Belgrade" } as const;

  it("[C31-89] evaluated in the zone, kept in UTC (C7, D10)", () => {
    const decision = decideSchedule(schedule(belgrade, at("00:00")), [], { now: at("07:00:05") });
    expect(decision.evidence.due).toEqual([at("07:00")]);
    expect(decision.schedule.lastScheduleAt).toBe(at("07:00"));
    expect(decision.outcomes).toEqual([
      { outcome: "create", at: at("07:00"), runName: "report-202610130700", reason: "due" },
    ]);
  });

  it("[C31-97] a repeated hour makes two runs with two names (D10)", () => {
    const state = schedule(
      { schedule: "30 2 * * *", timezone: "Europe/Belgrade" },
      at("12:00", "2026-10-24"),
    );
    const { outcomes } = decideSchedule(state, [], { now: at("03:00", "2026-10-25") });
    expect(outcomes.map((o) => o.outcome === "create" && o.runName)).toEqual([
      "report-202610250030",
      "report-202610250130",
    ]);
  });
});

describe("base, window, limit", () => {
  it("[C31-98] the base is the last scheduled instant, or creation if there is none (D2)", () => {
    const state = schedule();
    const now = at("12:03");
    expect(dueSet(state, { now }).due.map(clock)).toEqual(["12:01", "12:02", "12:03"]);
    expect(dueSet({ ...state, lastScheduleAt: at("12:02") }, { now }).due.map(clock)).toEqual([
      "12:03",
    ]);
  });

  it("[C31-99] due is after the base and through now (C6, D2)", () => {
    const state = { ...schedule(), lastScheduleAt: at("12:01") };
    expect(dueSet(state, { now: at("12:02") }).due.map(clock)).toEqual(["12:02"]);
    expect(dueSet(state, { now: at("12:02") - 1 }).due).toEqual([]);
  });

  it("the due set says whether the limit cut it, and no policy or deadline touches it (D2)", () => {
    const spec = { missedScheduleLimit: 2, startingDeadlineSeconds: 0, missed: "None" } as const;
    const state = schedule({ ...spec, concurrencyPolicy: "Supersede" });
    const baseAt = at("12:00");
    const [first, second] = [at("12:01"), at("12:02")];
    const dueAt = (time: string) => dueSet(state, { now: at(time) });
    expect(dueAt("12:03")).toEqual({ baseAt, due: [first, second], truncated: true });
    expect(dueAt("12:02")).toEqual({ baseAt, due: [first, second], truncated: false });
    expect(dueAt("12:01")).toEqual({ baseAt, due: [first], truncated: false });
    expect(dueAt("11:59")).toEqual({ baseAt, due: [], truncated: false });
    const { schedule: suspended } = suspendSchedule(state, { now: baseAt });
    expect(dueSet(suspended, { now: at("12:03") })).toEqual({ baseAt, due: [], truncated: false });
  });

  it.each([undefined, 0, -5])("[C31-100] limit %s means 100 (D1, D2)", (missedScheduleLimit) => {
    const now = at("14:00");
    const first = decideSchedule(schedule({ missedScheduleLimit }), [], { now });
    expect(created(first)).toHaveLength(100);
    expect([created(first)[0], created(first).at(-1)]).toEqual(["12:01", "13:40"]);
    expect(first.wake).toEqual({ kind: "at", at: now });
    const second = decideSchedule(first.schedule, [], { now });
    expect(created(second)).toHaveLength(20);
    expect([created(second)[0], created(second).at(-1)]).toEqual(["13:41", "14:00"]);
  });

  it("[C31-101] the earliest come first (D2)", () => {
    const state = schedule({ missedScheduleLimit: 2 });
    expect(created(decideSchedule(state, [], { now: at("12:03") }))).toEqual(["12:01", "12:02"]);
  });

  it("[C31-102] a late controller leaves a backlog, it does not jump to the latest (D2)", () => {
    const now = at("12:03");
    const first = decideSchedule(schedule({ missedScheduleLimit: 2 }), [], { now });
    const second = decideSchedule(first.schedule, [], { now });
    const third = decideSchedule(second.schedule, [], { now });
    expect([first, second, third].map(created)).toEqual([["12:01", "12:02"], ["12:03"], []]);
  });
});

describe("Allow, Forbid, Replace", () => {
  it("[C31-105] Allow keeps the active runs and creates what is due (D4)", () => {
    const decision = decideSchedule(schedule(), running("r1"), { now: at("12:02") });
    expect(decision.stopRunIds).toEqual([]);
    expect(created(decision)).toEqual(["12:01", "12:02"]);
    expect(decision.schedule.lastScheduleAt).toBe(at("12:02"));
  });

  const forbid = schedule({ concurrencyPolicy: "Forbid" });

  it("[C31-106][C31-107] Forbid with an active run creates nothing, keeps its place (D5)", () => {
    const decision = decideSchedule(forbid, running("r1"), { now: at("12:03") });
    expect(created(decision)).toEqual([]);
    expect(others(decision)).toEqual(["hold 12:01-12:03 x3 activeRun"]);
    expect(decision.schedule).toBe(forbid);
    expect(decision.schedule.lastScheduleAt).toBeUndefined();
    expect(decision.wake).toEqual({ kind: "runEnd" });
  });

  it("[C31-108] what Forbid held is due later, subject to the limit (D5)", () => {
    const held = decideSchedule(forbid, running("r1"), { now: at("12:03") }).schedule;
    const now = at("12:04");
    expect(created(decideSchedule(held, [], { now }))).toEqual([
      "12:01",
      "12:02",
      "12:03",
      "12:04",
    ]);
    const limited = { ...held, spec: { ...held.spec, missedScheduleLimit: 2 } };
    expect(created(decideSchedule(limited, [], { now }))).toEqual(["12:01", "12:02"]);
  });

  it("[C31-109] Forbid with none active creates the whole due set in one pass (D5)", () => {
    const decision = decideSchedule(forbid, [], { now: at("12:03") });
    expect(created(decision)).toEqual(["12:01", "12:02", "12:03"]);
  });

  const replace = schedule({ concurrencyPolicy: "Replace" });

  it("[C31-111] Replace asks for the removal of the active runs, then creates (D6)", () => {
    const decision = decideSchedule(replace, running("r1", "r2"), { now: at("12:01") });
    expect(decision.stopRunIds).toEqual(["r1", "r2"]);
    expect(stopRequest(decision)).toBe("deleteRequested");
    expect(created(decision)).toEqual(["12:01"]);
  });

  it("[C31-112] nothing due: Replace touches nothing (D6)", () => {
    const decision = decideSchedule(replace, running("r1"), { now: at("12:00:30") });
    expect([decision.stopRunIds, decision.outcomes]).toEqual([[], []]);
    expect(decision.wake).toEqual({ kind: "at", at: at("12:01") });
  });

  it("[C31-144] three minutes late, limit 2: the two earliest, then Forbid holds (D2, D5)", () => {
    const now = at("12:03");
    const limited = schedule({ concurrencyPolicy: "Forbid", missedScheduleLimit: 2 });
    const first = decideSchedule(limited, [], { now });
    expect(created(first)).toEqual(["12:01", "12:02"]);
    const both = decideSchedule(first.schedule, running("r1", "r2"), { now });
    expect(others(both)).toEqual(["hold 12:03-12:03 x1 activeRun"]);
    const one = decideSchedule(both.schedule, running("r2"), { now });
    expect(others(one)).toEqual(["hold 12:03-12:03 x1 activeRun"]);
    expect(created(decideSchedule(one.schedule, [], { now }))).toEqual(["12:03"]);
  });
});
