import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type ActiveRun,
  createSchedule,
  decideSchedule,
  type ScheduleSpec,
  type ScheduleState,
  updateSchedule,
} from "../src/index.ts";
import { cronJobScenarios } from "./scenario-rows.ts";
import { otherScenarios } from "./scenario-rows-others.ts";
import { at, clock, created, others, running, schedule } from "./seed-schedule.ts";

/** `hh:mm`, `hh:mm:ss`, or either after a date. */
function instant(text: string): number {
  const [first, second] = text.split(" ");
  return second === undefined ? at(first as string) : at(second, first);
}

describe("scenarios of other schedulers", () => {
  it.each([...cronJobScenarios, ...otherScenarios])(
    "$id ($source): $what; agrees: $agrees",
    (scenario) => {
      const { spec, active = [], namesInUse, ours } = scenario;
      const now = instant(scenario.now);
      const state: ScheduleState = {
        ...createSchedule(
          { name: "report", schedule: "* * * * *", ...spec },
          { uid: "s1", now: instant(scenario.created) },
        ),
        ...(scenario.last === undefined ? {} : { lastScheduleAt: instant(scenario.last) }),
      };
      const runs = active.map((status, i): ActiveRun => ({ id: `r${i}`, status }));
      const decision = decideSchedule(state, runs, { now, namesInUse });
      const starts = created(decision);
      const told =
        starts.length > 10 ? [`${starts.length} from ${starts[0]} to ${starts.at(-1)}`] : starts;
      expect(told).toEqual(ours.created);
      expect(others(decision)).toEqual(ours.others ?? []);
      expect(decision.stopRunIds).toHaveLength(ours.stops ?? 0);
      const { wake } = decision;
      const woken =
        wake.kind !== "at" || wake.at <= now
          ? wake.kind === "at"
            ? "now"
            : wake.kind
          : wake.at === instant(ours.wake)
            ? ours.wake
            : clock(wake.at);
      expect(woken).toBe(ours.wake);
    },
  );

  const bad = (spec: Partial<ScheduleSpec>) => () =>
    createSchedule({ name: "report", schedule: "0 * * * *", ...spec }, { uid: "s1", now: 0 });

  it("T01, T02, T19, T22, T47: what they find in the loop is refused at creation", () => {
    expect(bad({ schedule: "obvious error schedule" })).toThrow("/schedule");
    expect(bad({ timezone: "bad timezone" })).toThrow("/timezone");
    expect(bad({ schedule: "TZ=UTC 0 * * * *", timezone: "America/New_York" })).toThrow(
      "/schedule",
    );
    expect(bad({ schedule: "59 23 31 2 *" })).toThrow("/schedule");
    expect(bad({ schedule: "0-60 * * * *" })).toThrow("/schedule");
  });

  it("T16, T17: whatever the caller says is active counts, wherever it heard of it", () => {
    const state = schedule({ concurrencyPolicy: "Forbid" });
    expect(created(decideSchedule(state, running("unlisted"), { now: at("12:01") }))).toEqual([]);
  });

  it("T18: a run that the caller no longer names lets the next one run", () => {
    const state = schedule({ concurrencyPolicy: "Forbid" });
    const held = decideSchedule(state, running("gone"), { now: at("12:01") }).schedule;
    expect(created(decideSchedule(held, [], { now: at("12:01") }))).toEqual(["12:01"]);
  });

  it("T52: an overrun of three slots: Queue runs late in order and loses none", () => {
    let state = schedule({ concurrencyPolicy: "Queue" });
    const starts: string[] = [];
    for (const [now, active] of [
      ["12:01", []],
      ["12:04", ["r1"]],
      ["12:04:10", []],
      ["12:04:20", []],
      ["12:04:30", []],
    ] as const) {
      const decision = decideSchedule(state, running(...active), { now: at(now) });
      starts.push(...created(decision));
      state = decision.schedule;
    }
    // Theirs drops the third for want of room; ours has no such bound.
    expect(starts).toEqual(["12:01", "12:02", "12:03", "12:04"]);
  });

  it("T55: an edit is not retroactive: the first new run is the first match after it", () => {
    const state = schedule({ schedule: "0 * * * *" }, at("00:30"));
    const decided = decideSchedule(state, [], { now: at("01:00") }).schedule;
    const now = at("01:07:10");
    const edited = updateSchedule(decided, { ...decided.spec, schedule: "* * * * *" }, { now });
    expect(edited.passedOver).toBeUndefined();
    expect(created(decideSchedule(edited.schedule, [], { now: at("01:09") }))).toEqual([
      "01:08",
      "01:09",
    ]);
  });

  it("T58: two executors decide the same pass: the same names, so that one commit loses", () => {
    const options = { now: at("12:03") };
    const both = [0, 1].map(() => decideSchedule(schedule(), [], options));
    expect(both[0]).toEqual(both[1]);
  });

  it("T59: what expires while it is held starts nothing and leaves one record", () => {
    const state = schedule({ concurrencyPolicy: "Queue", startingDeadlineSeconds: 60 });
    const held = decideSchedule(state, running("r1"), { now: at("12:01") }).schedule;
    const late = decideSchedule(held, running("r1"), { now: at("12:02:30") });
    expect(others(late)).toEqual([
      "expire 12:01-12:01 x1 deadline",
      "hold 12:02-12:02 x1 activeRun",
    ]);
  });

  it("T60: an absent hour makes no run, a repeated one makes two, one hour apart", () => {
    const la = { timezone: "America/Los_Angeles" };
    const gap = schedule({ ...la, schedule: "1 2 * * *" }, at("08:00", "2019-03-10"));
    expect(created(decideSchedule(gap, [], { now: at("08:00", "2019-03-11") }))).toEqual([]);
    const fold = schedule({ ...la, schedule: "30 1 * * *" }, at("07:00", "2019-11-03"));
    const { outcomes } = decideSchedule(fold, [], { now: at("12:00", "2019-11-03") });
    expect(outcomes.map((o) => (o.outcome === "create" ? o.runName : o.outcome))).toEqual([
      "report-201911030830",
      "report-201911030930",
    ]);
  });

  /** What the sixty say about other parts of the house. */
  const elsewhere: Readonly<Record<string, string>> = {
    T13: "the ledger of the control plane adopts a run that exists (S2)",
    T25: "which ended runs go first is the control plane's (S6)",
    "T26-T40": "the life of one Job: `@mesh/jobs` (J3 to J8)",
    T45: "a pending run is not given another payload: each occurrence has a run of its own",
    T46: "day of month AND weekday: `@mesh/cron` (C3)",
    T56: "a backfill names its instants; which ones is its caller's choice (D10)",
    T57: "failures never pause a schedule here (A3)",
  };

  it("all sixty are rows here, tests here, or named as another part's", () => {
    const text = readFileSync(new URL(import.meta.url), "utf8");
    const rows = [...cronJobScenarios, ...otherScenarios].map(({ id }) => id).join(" ");
    const named = `${rows} ${[...text.matchAll(/it\("(T[^:]*):/g)].map(([, ids]) => ids).join(" ")}`;
    const others = Object.keys(elsewhere).flatMap((ids) => {
      const [from, to = from] = ids.split("-").map((id) => Number(id.slice(1)));
      return Array.from(
        { length: (to as number) - (from as number) + 1 },
        (_, i) => (from as number) + i,
      );
    });
    for (let n = 1; n <= 60; n++) {
      const id = `T${String(n).padStart(2, "0")}`;
      expect(named.includes(id) !== others.includes(n), id).toBe(true);
    }
  });

  it("an overrunning run: missed ticks are skipped and counted (supercronic, Ofelia)", () => {
    const state = schedule({ concurrencyPolicy: "Skip" });
    const decision = decideSchedule(state, running("r1"), { now: at("12:03") });
    expect(others(decision)).toEqual(["skip 12:01-12:03 x3 activeRun"]);
  });
});
