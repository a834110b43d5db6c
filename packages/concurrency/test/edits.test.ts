import { describe, expect, it } from "vitest";
import {
  decideSchedule,
  dueSet,
  resetCheckpoint,
  resumeSchedule,
  suspendSchedule,
  updateSchedule,
} from "../src/index.ts";
import { at, created, others, running, schedule } from "./seed-schedule.ts";

describe("edits are not retroactive (D2a)", () => {
  const state = schedule();
  const now = at("12:03:30");

  it.each([
    ["the expression", { schedule: "*/2 * * * *" }],
    ["the zone", { timezone: "Asia/Kolkata" }],
    ["daylight saving", { dst: "Once" }],
  ] as const)("changing %s passes over what is due, counted with the old spec", (_, change) => {
    const edit = updateSchedule(state, { ...state.spec, ...change }, { now });
    expect(edit.passedOver).toEqual({
      firstAt: at("12:01"),
      lastAt: at("12:03"),
      count: 3,
      countIsExact: true,
    });
    expect(edit.reason).toBe("edited");
    expect(edit.schedule).toMatchObject({ generation: 2, effectiveFrom: now });
    expect(dueSet(edit.schedule, { now }).due).toEqual([]);
  });

  it.each([
    ["the policy", { concurrencyPolicy: "Queue" }],
    ["the limit", { missedScheduleLimit: 7 }],
    ["the text, but not the fields", { schedule: "0-59 * * * *" }],
  ] as const)("changing %s is an edit of the spec and keeps what is due", (_, change) => {
    const edit = updateSchedule(state, { ...state.spec, ...change }, { now });
    expect(edit).toEqual({
      schedule: { ...state, spec: { ...state.spec, ...change }, generation: 2 },
    });
    expect(dueSet(edit.schedule, { now }).due).toHaveLength(3);
  });

  it("an equal spec changes nothing, whether defaults are written out or not", () => {
    const spec = { name: "report", schedule: "* * * * *" };
    expect(updateSchedule(state, spec, { now }).schedule).toBe(state);
    expect(updateSchedule(state, { ...spec, timezone: "UTC" }, { now }).schedule).toBe(state);
  });

  it("nothing due: an edit passes over nothing and says nothing", () => {
    const edit = updateSchedule(
      state,
      { ...state.spec, schedule: "0 * * * *" },
      { now: at("12:00:59") },
    );
    expect(Object.keys(edit)).toEqual(["schedule"]);
  });

  it("the interval's count stops at the limit and says so", () => {
    const limited = schedule({ missedScheduleLimit: 2 });
    const edit = updateSchedule(limited, { ...limited.spec, schedule: "0 * * * *" }, { now });
    expect(edit.passedOver).toEqual({
      firstAt: at("12:01"),
      lastAt: at("12:03"),
      count: 2,
      countIsExact: false,
    });
  });

  it("an edit while the clock is behind never moves effectiveFrom back", () => {
    const ahead = updateSchedule(state, { ...state.spec, schedule: "0 * * * *" }, { now }).schedule;
    const again = updateSchedule(ahead, state.spec, { now: at("12:01") });
    expect(again.schedule.effectiveFrom).toBe(now);
    expect(again.passedOver).toBeUndefined();
  });

  it("later decisions do not report again what an edit passed over", () => {
    const edit = updateSchedule(state, { ...state.spec, schedule: "*/2 * * * *" }, { now });
    const decision = decideSchedule(edit.schedule, [], { now: at("12:04") });
    expect([...created(decision), ...others(decision)]).toEqual(["12:04"]);
  });

  it("what a policy held is passed over as well", () => {
    const forbid = schedule({ concurrencyPolicy: "Forbid" });
    const held = decideSchedule(forbid, running("r1"), { now }).schedule;
    const edit = updateSchedule(held, { ...held.spec, schedule: "*/2 * * * *" }, { now });
    expect(edit.passedOver?.count).toBe(3);
    expect(decideSchedule(edit.schedule, [], { now }).outcomes).toEqual([]);
  });

  it("a schedule keeps its name", () => {
    const rename = () => updateSchedule(state, { ...state.spec, name: "other" }, { now });
    expect(rename).toThrow(
      expect.objectContaining({
        name: "ScheduleSpecError",
        diagnostics: [
          {
            code: "name.fixed",
            severity: "error",
            message: '"report" cannot become "other": runs bear the name',
            pointer: "/name",
            found: "other",
            allowed: ["report"],
            help: "create a schedule of the new name and delete this one",
          },
        ],
      }),
    );
  });

  it("an edit of a suspended schedule that leaves it suspended keeps what is due", () => {
    const suspended = suspendSchedule(state, { now: at("12:00") }).schedule;
    const spec = { ...suspended.spec, missedScheduleLimit: 5 };
    expect(updateSchedule(suspended, spec, { now })).toEqual({
      schedule: { ...suspended, spec, generation: 3 },
    });
  });
});

describe("suspend and resume (D2, D2a)", () => {
  const state = schedule();

  it("an update that flips `suspended` acts as suspend or resume", () => {
    const now = at("12:05");
    const { spec } = state;
    const suspended = updateSchedule(state, { ...spec, suspended: true }, { now });
    expect(suspended).toEqual(suspendSchedule(state, { now }));
    const resumed = updateSchedule(suspended.schedule, spec, { now: at("12:10:30") });
    expect(resumed).toEqual(resumeSchedule(suspended.schedule, { now: at("12:10:30") }));
    expect(resumed).toMatchObject({ passedOver: { count: 10 }, reason: "suspended" });
  });

  it("an edit of the timing while suspended passes over what came due meanwhile", () => {
    const suspended = suspendSchedule(state, { now: at("12:00") }).schedule;
    const edit = updateSchedule(
      suspended,
      { ...suspended.spec, schedule: "*/2 * * * *" },
      { now: at("12:03") },
    );
    expect(edit).toMatchObject({ passedOver: { count: 3 }, reason: "suspended" });
    const resumed = resumeSchedule(edit.schedule, { now: at("12:05") });
    expect(resumed.passedOver).toMatchObject({ firstAt: at("12:04"), count: 1 });
  });

  it("repeated suspend and resume change nothing", () => {
    const now = at("12:05");
    const suspended = suspendSchedule(state, { now }).schedule;
    expect(suspended.generation).toBe(2);
    expect(suspendSchedule(suspended, { now }).schedule).toBe(suspended);
    expect(resumeSchedule(state, { now })).toEqual({ schedule: state });
    expect(resumeSchedule(state, { now }).schedule).toBe(state);
  });

  it("catching up keeps the base, and with it the backlog", () => {
    const suspended = suspendSchedule(state, { now: at("12:00") }).schedule;
    const { schedule: resumed } = resumeSchedule(suspended, { now: at("12:03"), catchUp: true });
    expect(resumed).toEqual({ ...state, generation: 3 });
    expect(created(decideSchedule(resumed, [], { now: at("12:03") }))).toHaveLength(3);
  });
});

describe("a clock that ran ahead (D9)", () => {
  const now = at("12:03");

  it("a base in the future decides nothing, says so, and wakes at the next one after it", () => {
    const state = { ...schedule(), lastScheduleAt: at("13:00") };
    const decision = decideSchedule(state, running("r1"), { now });
    expect(decision).toMatchObject({
      outcomes: [],
      stopRunIds: [],
      schedule: state,
      clockBehind: true,
      wake: { kind: "at", at: at("13:01") },
    });
    const suspended = suspendSchedule(state, { now }).schedule;
    expect(decideSchedule(suspended, [], { now })).not.toHaveProperty("clockBehind");
  });

  it("a base that is now is not in the future", () => {
    const decision = decideSchedule(schedule(), [], { now: at("12:00") });
    expect(decision).not.toHaveProperty("clockBehind");
  });

  it("resetting the checkpoint lowers the base and never raises it", () => {
    const state = { ...schedule(), lastScheduleAt: at("13:00"), effectiveFrom: at("12:30") };
    expect(resetCheckpoint(state, { at: now }).schedule).toEqual({
      ...state,
      lastScheduleAt: now,
      effectiveFrom: now,
    });
    expect(resetCheckpoint(state, { at: at("12:45") }).schedule).toEqual({
      ...state,
      lastScheduleAt: at("12:45"),
    });
    expect(resetCheckpoint(state, { at: at("13:00") }).schedule).toBe(state);
    expect(resetCheckpoint(state, { at: at("14:00") }).schedule).toBe(state);
    const young = schedule({}, at("13:00"));
    expect(resetCheckpoint(young, { at: now }).schedule).toEqual({ ...young, lastScheduleAt: now });
    const edited = { ...schedule(), lastScheduleAt: at("12:01"), effectiveFrom: at("13:00") };
    expect(resetCheckpoint(edited, { at: now }).schedule).toEqual({
      ...edited,
      effectiveFrom: now,
    });
  });

  it("occurrences that the ledger holds are left out, one by one or as an interval", () => {
    const decided = [
      at("12:02"),
      { firstAt: at("12:04"), lastAt: at("12:06"), count: 3, countIsExact: true },
      { firstAt: at("12:05"), lastAt: at("12:07"), count: 3, countIsExact: true },
    ];
    const decision = decideSchedule(schedule(), [], { now: at("12:09"), decided });
    expect(created(decision)).toEqual(["12:01", "12:03", "12:08", "12:09"]);
    const early = decideSchedule(schedule(), [], { now: at("12:03"), decided });
    expect(early.wake).toEqual({ kind: "at", at: at("12:08") });
  });

  it.each(["Latest", "Supersede"] as const)("%s takes the newest that is not decided", (rule) => {
    const decided = [at("12:03"), at("12:02")];
    const spec = rule === "Latest" ? { missed: rule } : { concurrencyPolicy: rule };
    const decision = decideSchedule(schedule(spec), [], { now, decided });
    expect(created(decision)).toEqual(["12:01"]);
    const all = [...decided, at("12:01")];
    expect(decideSchedule(schedule(spec), [], { now, decided: all }).outcomes).toEqual([]);
  });
});
