import { describe, expect, it } from "vitest";
import {
  type Decision,
  decideSchedule,
  explainDecision,
  occurrenceName,
  replayDecision,
  stopRequest,
} from "../src/index.ts";
import { at, created, others, running, schedule } from "./seed-schedule.ts";

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
    expect(stopRequest(asked)).toBe("cancelRequested");
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

  it("[C31-134] evidence has the seven facts, as instants and as text in both zones (D9a)", () => {
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
