import { occurrencesBetween, parseCron } from "@mesh/cron";
import { describe, expect, it } from "vitest";
import {
  type ActiveRun,
  type ConcurrencyPolicy,
  decideSchedule,
  type ScheduleState,
} from "../src/index.ts";
import { at, clock, created, others, running, schedule } from "./seed-schedule.ts";

interface Pass {
  readonly deleted: readonly string[];
  readonly created: readonly string[];
  readonly lastScheduleAt: number | undefined;
}

/** Chapter 31's pass, transcribed sentence by sentence from its text: the oracle for D4 to D6. */
function chapter31(state: ScheduleState, activeIds: readonly string[], now: number): Pass {
  const { spec, createdAt } = state;
  let { lastScheduleAt } = state;
  // "chooses its base from LastScheduleAt, or CreatedAt if none exists"
  const base = lastScheduleAt ?? createdAt;
  // "up to the configured missed limit, defaulting to 100 when nonpositive"
  const configured = spec.missedScheduleLimit ?? 0;
  const limit = configured > 0 ? configured : 100;
  // "returns occurrences after that base through now"; "takes the earliest due occurrences"
  let due = occurrencesBetween(parseCron(spec.schedule), { after: base, through: now }, { limit });
  const deleted: string[] = [];
  switch (spec.concurrencyPolicy) {
    case "Forbid":
      // "makes due nil when an active job exists"
      if (activeIds.length > 0) due = [];
      break;
    case "Replace":
      // "deletes active jobs before creating the due set"
      if (due.length > 0) deleted.push(...activeIds);
      break;
  }
  for (const occurrence of due) lastScheduleAt = occurrence;
  return { deleted, created: due.map(clock), lastScheduleAt };
}

describe("[C31-116] the three policies of the seed keep their meaning (D4, D5, D6)", () => {
  const table = (["Allow", "Forbid", "Replace"] as const).flatMap((policy) =>
    [[], ["r1"], ["r1", "r2"]].flatMap((active) =>
      [0, 1, 3].flatMap((due) =>
        [1, 2, 100, undefined].map((limit) => ({ policy, active, due, limit })),
      ),
    ),
  );

  it.each(table)(
    "[C31-116] $policy, active $active, $due due, limit $limit: as chapter 31 has it",
    ({ policy, active, due, limit }) => {
      const state = schedule({ concurrencyPolicy: policy, missedScheduleLimit: limit });
      const now = at("12:00:30") + due * 60_000;
      const decision = decideSchedule(state, running(...active), { now });
      expect({
        deleted: decision.stopRunIds,
        created: created(decision),
        lastScheduleAt: decision.schedule.lastScheduleAt,
      }).toEqual(chapter31(state, active, now));
    },
  );

  it("[C31-116] a run that is stopping does not count for them (D3)", () => {
    const stopping: readonly ActiveRun[] = [{ id: "r1", status: "stopping" }];
    for (const concurrencyPolicy of ["Allow", "Forbid", "Replace"] as const) {
      const decision = decideSchedule(schedule({ concurrencyPolicy }), stopping, {
        now: at("12:01"),
      });
      expect([created(decision), decision.stopRunIds]).toEqual([["12:01"], []]);
    }
  });
});

/** What happens at 12:00:30 plus as many minutes as are due. */
type Row = readonly [
  policy: ConcurrencyPolicy,
  due: number,
  limit: number,
  active: "none" | "running" | "stopping",
  outcomes: readonly string[],
  stops: boolean,
  checkpoint: string | undefined,
  wake: string,
];

const rows: readonly Row[] = [
  ["Allow", 0, 2, "none", [], false, undefined, "12:01"],
  ["Allow", 1, 2, "none", ["12:01"], false, "12:01", "12:02"],
  ["Allow", 3, 2, "none", ["12:01", "12:02"], false, "12:02", "now"],
  ["Allow", 3, 9, "running", ["12:01", "12:02", "12:03"], false, "12:03", "12:04"],
  ["Forbid", 0, 2, "running", [], false, undefined, "12:01"],
  ["Forbid", 1, 2, "running", ["hold 12:01-12:01 x1 activeRun"], false, undefined, "runEnd"],
  ["Forbid", 3, 2, "running", ["hold 12:01-12:02 x2 activeRun"], false, undefined, "runEnd"],
  ["Forbid", 3, 2, "none", ["12:01", "12:02"], false, "12:02", "now"],
  ["Forbid", 3, 9, "stopping", ["12:01", "12:02", "12:03"], false, "12:03", "12:04"],
  ["Replace", 0, 2, "running", [], false, undefined, "12:01"],
  ["Replace", 1, 2, "running", ["12:01"], true, "12:01", "12:02"],
  ["Replace", 3, 2, "running", ["12:01", "12:02"], true, "12:02", "now"],
  ["Replace", 3, 9, "none", ["12:01", "12:02", "12:03"], false, "12:03", "12:04"],
  ["Skip", 0, 2, "running", [], false, undefined, "12:01"],
  ["Skip", 1, 2, "none", ["12:01"], false, "12:01", "12:02"],
  ["Skip", 1, 2, "running", ["skip 12:01-12:01 x1 activeRun"], false, "12:01", "12:02"],
  ["Skip", 1, 2, "stopping", ["skip 12:01-12:01 x1 activeRun"], false, "12:01", "12:02"],
  ["Skip", 3, 9, "none", ["12:01", "skip 12:02-12:03 x2 olderStarted"], false, "12:03", "12:04"],
  ["Skip", 3, 2, "none", ["12:01", "skip 12:02-12:02 x1 olderStarted"], false, "12:02", "now"],
  ["Skip", 3, 9, "running", ["skip 12:01-12:03 x3 activeRun"], false, "12:03", "12:04"],
  ["Queue", 0, 2, "stopping", [], false, undefined, "12:01"],
  ["Queue", 1, 2, "none", ["12:01"], false, "12:01", "12:02"],
  ["Queue", 3, 9, "none", ["12:01", "hold 12:02-12:03 x2 queued"], false, "12:01", "runEnd"],
  ["Queue", 3, 1, "none", ["12:01"], false, "12:01", "now"],
  ["Queue", 1, 2, "running", ["hold 12:01-12:01 x1 activeRun"], false, undefined, "runEnd"],
  [
    "Queue",
    3,
    9,
    "stopping",
    ["hold 12:01-12:01 x1 activeRun", "hold 12:02-12:03 x2 queued"],
    false,
    undefined,
    "runEnd",
  ],
  ["Supersede", 0, 2, "running", [], false, undefined, "12:01"],
  ["Supersede", 1, 2, "none", ["12:01"], false, "12:01", "12:02"],
  [
    "Supersede",
    3,
    9,
    "none",
    ["12:03", "supersede 12:01-12:02 x2 newerDue"],
    false,
    "12:03",
    "12:04",
  ],
  [
    "Supersede",
    3,
    1,
    "none",
    ["12:03", "supersede 12:01-12:02 >1 newerDue"],
    false,
    "12:03",
    "12:04",
  ],
  ["Supersede", 1, 2, "running", ["hold 12:01-12:01 x1 activeRun"], true, undefined, "runEnd"],
  [
    "Supersede",
    3,
    9,
    "running",
    ["supersede 12:01-12:02 x2 newerDue", "hold 12:03-12:03 x1 activeRun"],
    true,
    "12:02",
    "runEnd",
  ],
  ["Supersede", 1, 2, "stopping", ["hold 12:01-12:01 x1 activeRun"], false, undefined, "runEnd"],
];

describe("every policy, in rows (D4 to D9)", () => {
  it.each(rows)(
    "%s, %i due, limit %i, a run %s: %j",
    (concurrencyPolicy, due, missedScheduleLimit, active, outcomes, stops, checkpoint, wake) => {
      const now = at("12:00:30") + due * 60_000;
      const state = schedule({ concurrencyPolicy, missedScheduleLimit });
      const runs: readonly ActiveRun[] =
        active === "none" ? [] : [{ id: "r1", status: active, occurrenceAt: at("12:00") }];
      const decision = decideSchedule(state, runs, { now });
      expect([...created(decision), ...others(decision)]).toEqual(outcomes);
      expect(decision.stopRunIds).toEqual(stops ? ["r1"] : []);
      const { lastScheduleAt } = decision.schedule;
      expect(lastScheduleAt && clock(lastScheduleAt)).toBe(checkpoint);
      const woken =
        decision.wake.kind !== "at"
          ? decision.wake.kind
          : decision.wake.at === now
            ? "now"
            : clock(decision.wake.at);
      expect(woken).toBe(wake);
    },
  );
});

describe("a name that is taken (D10)", () => {
  const namesInUse = ["report-202610131201"];

  it.each(["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"] as const)(
    "%s holds it and what follows, stops nothing, and does not spin where the limit cuts",
    (concurrencyPolicy) => {
      const state = schedule({ concurrencyPolicy, missedScheduleLimit: 1 });
      const now = at("12:01:30");
      const runs: readonly ActiveRun[] = concurrencyPolicy === "Replace" ? running("r1") : [];
      const decision = decideSchedule(state, runs, { now, namesInUse });
      expect(others(decision)).toEqual(["hold 12:01-12:01 x1 nameTaken"]);
      expect(decision.stopRunIds).toEqual([]);
      expect(decision.schedule).toBe(state);
      expect(decision.wake).toEqual({ kind: "at", at: at("12:02") });
      const later = decideSchedule(state, runs, { now: at("12:05:30"), namesInUse });
      if (concurrencyPolicy !== "Supersede") {
        expect(later.evidence.truncated).toBe(true);
        expect(later.wake).toEqual({ kind: "at", at: at("12:06") });
      }
    },
  );
});
