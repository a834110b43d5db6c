import { describe, expect, it } from "vitest";
import {
  createSchedule,
  type Decision,
  decideSchedule,
  dueSet,
  explainDecision,
  isScheduleSpecError,
  occurrenceName,
  replayDecision,
  resumeSchedule,
  type ScheduleSpec,
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

  it("[C31-69] resuming passes over what came due meanwhile, unless asked to catch up (D2a)", () => {
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

  it("[C31-106][C31-107] Forbid with an active run creates nothing and keeps its place (D5)", () => {
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
    expect(created(decision)).toEqual(["12:01"]);
  });

  it("[C31-112] nothing due: Replace touches nothing (D6)", () => {
    const decision = decideSchedule(replace, running("r1"), { now: at("12:00:30") });
    expect([decision.stopRunIds, decision.outcomes]).toEqual([[], []]);
    expect(decision.wake).toEqual({ kind: "at", at: at("12:01") });
  });

  it("[C31-144] three minutes late under limit 2: the two earliest, then Forbid holds (D2, D5)", () => {
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

describe("Skip, Queue, Supersede", () => {
  const every5 = { schedule: "*/5 * * * *", concurrencyPolicy: "Skip", missed: "None" } as const;

  it("[A53-36][A53-38] due while the last run goes on: skipped, and gone (D7)", () => {
    let state = schedule(every5, at("12:04"));
    const seen: string[] = [];
    const step = (time: string, ids: readonly string[]): void => {
      const decision = decideSchedule(state, running(...ids), { now: at(time) });
      seen.push(`${time} ${[...created(decision), ...others(decision)].join()}`);
      state = decision.schedule;
    };
    step("12:05", []);
    step("12:10", ["r1205"]);
    step("12:15", ["r1205"]);
    step("12:17", []);
    step("12:20", []);
    expect(seen).toEqual([
      "12:05 12:05",
      "12:10 skip 12:10-12:10 x1 activeRun",
      "12:15 skip 12:15-12:15 x1 activeRun",
      "12:17 ",
      "12:20 12:20",
    ]);
  });

  it("[A53-37] each skip has its own record, with the active run in its evidence (D9)", () => {
    const decision = decideSchedule(schedule(every5, at("12:09")), running("r1205"), {
      now: at("12:10"),
    });
    expect(decision.outcomes).toEqual([
      {
        outcome: "skip",
        firstAt: at("12:10"),
        lastAt: at("12:10"),
        count: 1,
        countIsExact: true,
        reason: "activeRun",
      },
    ]);
    expect(decision.evidence.active).toEqual(running("r1205"));
  });

  it("[A53-43] Skip is not the seed's Forbid: the same input decided by both (D5, D7)", () => {
    const table = (["Skip", "Forbid"] as const).map((concurrencyPolicy) => {
      let state = schedule({ schedule: "*/5 * * * *", concurrencyPolicy }, at("12:05"));
      return [at("12:10"), at("12:15"), at("12:18")].map((now) => {
        const decision = decideSchedule(state, now < at("12:17") ? running("r1") : [], { now });
        state = decision.schedule;
        return [...created(decision), ...others(decision)];
      });
    });
    expect(table).toEqual([
      [["skip 12:10-12:10 x1 activeRun"], ["skip 12:15-12:15 x1 activeRun"], []],
      [["hold 12:10-12:10 x1 activeRun"], ["hold 12:10-12:15 x2 activeRun"], ["12:10", "12:15"]],
    ]);
  });

  it("[C31-114] Supersede waits until the old run has stopped (D7)", () => {
    const state = schedule({ concurrencyPolicy: "Supersede" });
    const now = at("12:01");
    const asked = decideSchedule(state, running("r1"), { now });
    expect([asked.stopRunIds, created(asked)]).toEqual([["r1"], []]);
    expect(asked.wake).toEqual({ kind: "runEnd" });
    const stopping = decideSchedule(asked.schedule, [{ id: "r1", status: "stopping" }], { now });
    expect([stopping.stopRunIds, created(stopping)]).toEqual([[], []]);
    expect(created(decideSchedule(stopping.schedule, [], { now: at("12:01:40") }))).toEqual([
      "12:01",
    ]);
  });

  it("[C31-115] Queue starts one at a time, oldest first, and loses none (D7)", () => {
    const now = at("12:03");
    let state = schedule({ concurrencyPolicy: "Queue" });
    const started: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const free = decideSchedule(state, [], { now });
      expect(created(free)).toHaveLength(1);
      started.push(...created(free));
      const busy = decideSchedule(free.schedule, running("r1"), { now });
      expect(created(busy)).toEqual([]);
      expect(busy.wake.kind).toBe(turn === 2 ? "at" : "runEnd");
      state = busy.schedule;
    }
    expect(started).toEqual(["12:01", "12:02", "12:03"]);
  });
});

describe("names and evidence", () => {
  it("[C31-117] a run's name holds the UTC occurrence, whatever zone or pass (D10)", () => {
    const name = "atlas-report-schedule-202610130900";
    expect(occurrenceName("atlas-report-schedule", at("09:00"))).toBe(name);
    const zones = [
      { schedule: "0 9 * * *", timezone: "UTC" },
      { schedule: "0 11 * * *", timezone: "Europe/Belgrade" },
    ];
    for (const zone of zones) {
      const state = schedule({ name: "atlas-report-schedule", ...zone }, at("08:00"));
      for (const now of [at("09:00"), at("17:00")]) {
        expect(decideSchedule(state, [], { now }).outcomes[0]).toMatchObject({ runName: name });
      }
    }
  });

  it("[C31-122] a name that another's Job holds: held, and created once it is free (D10)", () => {
    const now = at("12:02");
    const taken = decideSchedule(schedule(), [], { now, namesInUse: ["report-202610131201"] });
    expect(created(taken)).toEqual([]);
    expect(others(taken)).toEqual([
      "hold 12:01-12:01 x1 nameTaken",
      "hold 12:02-12:02 x1 afterHeld",
    ]);
    expect(taken.wake).toEqual({ kind: "at", at: at("12:03") });
    expect(created(decideSchedule(taken.schedule, [], { now }))).toEqual(["12:01", "12:02"]);
  });

  it("[C31-129] runs are named after the schedule: a spec has no other name for them (D10)", () => {
    const { outcomes } = decideSchedule(schedule({ name: "nightly" }), [], { now: at("12:01") });
    expect(outcomes[0]).toMatchObject({ runName: "nightly-202610131201" });
  });

  const incident = (): Decision =>
    decideSchedule(
      {
        ...schedule(
          {
            schedule: "0 9 * * 1-5",
            timezone: "Europe/Belgrade",
            concurrencyPolicy: "Forbid",
          },
          at("00:00", "2026-10-12"),
        ),
        lastScheduleAt: at("07:00", "2026-10-12"),
      },
      running("r1"),
      { now: at("07:00:05") },
    );

  it("[C31-134] evidence holds the seven facts, as instants and as text in both zones (D9a)", () => {
    const { evidence } = incident();
    expect(evidence).toMatchObject({
      schedule: {
        spec: { schedule: "0 9 * * 1-5", timezone: "Europe/Belgrade" },
        lastScheduleAt: at("07:00", "2026-10-12"),
      },
      baseAt: at("07:00", "2026-10-12"),
      now: at("07:00:05"),
      due: [at("07:00")],
      active: [{ id: "r1", status: "running" }],
    });
    expect(evidence.zoneData).not.toBe("");
    const text = explainDecision(incident()).split("\n");
    expect(text).toEqual(
      expect.arrayContaining([
        "expression: 0 9 * * 1-5",
        `zone: Europe/Belgrade (zone data ${evidence.zoneData})`,
        "base: 2026-10-12T07:00Z (2026-10-12T09:00+02:00)",
        "now: 2026-10-13T07:00:05Z (2026-10-13T09:00+02:00)",
        "due: 2026-10-13T07:00Z (2026-10-13T09:00+02:00)",
        "active runs: r1 (running)",
        "last checkpoint: 2026-10-12T07:00Z (2026-10-12T09:00+02:00)",
      ]),
    );
  });

  it("[C31-137] evidence tells a backlog from a new occurrence, where a count cannot (D9a)", () => {
    const now = at("12:03");
    const backlog = decideSchedule(schedule({ missedScheduleLimit: 1 }), [], { now });
    const fresh = decideSchedule({ ...schedule(), lastScheduleAt: at("12:02") }, [], { now });
    expect([created(backlog), created(fresh)]).toEqual([["12:01"], ["12:03"]]);
    expect([backlog.evidence.baseAt, fresh.evidence.baseAt]).toEqual([at("12:00"), at("12:02")]);
    expect(explainDecision(backlog)).toContain("late by 2 min: a backlog, not a new occurrence");
    expect(explainDecision(fresh)).toContain("created report-202610131203, on time");
  });

  it("[C31-138] the bundle alone answers for the decision (D9a)", () => {
    const decision = incident();
    const stored = JSON.parse(JSON.stringify(decision.evidence));
    // A zone that no data knows: the replay would throw if it looked.
    stored.schedule.spec.timezone = "Nowhere/Removed";
    const replayed = replayDecision(stored);
    expect(replayed.outcomes).toEqual(decision.outcomes);
    expect(replayed.wake).toEqual(decision.wake);
    expect(replayDecision(JSON.parse(JSON.stringify(decision.evidence)))).toEqual(decision);
  });
});
