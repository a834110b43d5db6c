import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ActiveRun,
  type DecideOptions,
  decideSchedule,
  dueSet,
  parseEvidence,
  parseScheduleState,
  replayDecision,
  resumeSchedule,
  type ScheduleState,
  simulate,
  suspendSchedule,
  updateSchedule,
} from "../src/index.ts";
import { activeRuns, instants, scheduleSpecs, scheduleStates } from "../src/testing.ts";
import { baseOf } from "./ledger.ts";

/** What comes back from JSON and from a structured clone is equal, and has no `undefined`. */
function isPlainData<T>(value: T): T {
  const stored = JSON.parse(JSON.stringify(value)) as T;
  expect(stored).toStrictEqual(value);
  expect(structuredClone(value)).toStrictEqual(value);
  return stored;
}

const laterBy = fc.constantFrom(0, 59_999, 60_000, 600_000, 90_000_000);

describe("exported data is plain JSON, and a copy works in its place", () => {
  it("ScheduleSpec and ScheduleState", () => {
    fc.assert(
      fc.property(scheduleStates(), (state) => {
        isPlainData(state.spec);
        const copy = isPlainData(state);
        expect(parseScheduleState(copy)).toStrictEqual(state);
      }),
    );
  });

  it("ScheduleEdit and Interval", () => {
    fc.assert(
      fc.property(scheduleStates(), scheduleSpecs(), laterBy, (state, other, later) => {
        const now = baseOf(state) + later;
        const suspended = isPlainData(suspendSchedule(state, { now }));
        isPlainData(resumeSchedule(suspended.schedule, { now }));
        isPlainData(updateSchedule(state, { ...other, name: state.spec.name }, { now }));
      }),
    );
  });

  it("ActiveRun, DueSet, Evidence, Outcome, Wake and Decision", () => {
    fc.assert(
      fc.property(
        scheduleStates(),
        activeRuns(),
        laterBy,
        fc.array(instants(), { maxLength: 2 }),
        (state, active, later, decided) => {
          const now = baseOf(state) + later;
          const options: DecideOptions = { now, decided, namesInUse: ["other-202610130000"] };
          isPlainData(dueSet(state, { now }));
          const decision = decideSchedule(state, active, options);
          const stored = isPlainData(decision);
          const evidence = parseEvidence(stored.evidence);
          expect(evidence).toStrictEqual(decision.evidence);
          expect(replayDecision(evidence)).toStrictEqual(decision);
          const copies = [state, active, options].map((value) => isPlainData(value));
          const again = decideSchedule(
            copies[0] as ScheduleState,
            copies[1] as readonly ActiveRun[],
            copies[2] as DecideOptions,
          );
          expect(again).toStrictEqual(decision);
        },
      ),
    );
  });

  it("SimulatedStep", () => {
    fc.assert(
      fc.property(scheduleStates(), laterBy, (state, later) => {
        const through = baseOf(state) + later;
        isPlainData(simulate(state, { through, runSeconds: 90, limit: 50 }));
      }),
    );
  });

  it("evidence takes of a run its three members only, and no list of the caller's", () => {
    const state: ScheduleState = {
      v: 1,
      uid: "s1",
      spec: { name: "report", schedule: "* * * * *" },
      generation: 1,
      createdAt: 0,
    };
    const row = { id: "r1", status: "running", startedAt: new Date(0), row: 7n } as const;
    const active: ActiveRun[] = [row];
    const { evidence } = decideSchedule(state, active, { now: 60_000 });
    active.pop();
    expect(evidence.active).toStrictEqual([{ id: "r1", status: "running" }]);
  });
});
