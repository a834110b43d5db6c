import { describe, expect, it } from "vitest";
import {
  type ActiveRun,
  createSchedule,
  decideSchedule,
  type Interval,
  isScheduleStateError,
  parseEvidence,
  parseScheduleState,
  replayDecision,
  simulate,
} from "../src/index.ts";
import { at, schedule } from "./seed-schedule.ts";

const MINUTE = 60_000;
const LAST = 253_402_300_799_999;
const state = schedule({ schedule: "*/5 * * * *" });
const now = at("12:30");
const nowhere = state.createdAt;

/** What a caller without types may give. */
const asRuns = (value: unknown): readonly ActiveRun[] => value as readonly ActiveRun[];

describe("what becomes evidence is checked before it is decided on (D9a)", () => {
  it.each<[string, unknown]>([
    ["an instant as text", [String(at("12:05"))]],
    ["an instant as a Date", [new Date(at("12:05"))]],
    ["NaN", [Number.NaN]],
    ["null", [null]],
    ["no interval", [{}]],
    ["an interval backwards", [{ firstAt: now, lastAt: nowhere, count: 1, countIsExact: true }]],
    ["an interval without end", [{ firstAt: 0, lastAt: 1 / 0, count: 1, countIsExact: true }]],
    ["no count", [{ firstAt: nowhere, lastAt: now }]],
    ["a text", "12:05"],
    ["a set", new Set([at("12:05")])],
  ])("decided as %s is refused, not overlooked (D9)", (_, decided) => {
    expect(() => decideSchedule(state, [], { now, decided: decided as Interval[] })).toThrow(
      /^decided/,
    );
  });

  it.each<[string, unknown]>([
    ["a number as id", [{ id: 1, status: "running" }]],
    ["an empty id", [{ id: "", status: "running" }]],
    ["no run", [null]],
    ["a hole", new Array(1)],
    ["an occurrence as text", [{ id: "a", status: "running", occurrenceAt: "x" }]],
    ["a text", "ab"],
    ["null", null],
  ])("active with %s is refused", (_, active) => {
    expect(() => decideSchedule(state, asRuns(active), { now })).toThrow(/^active/);
  });

  it.each<[string, unknown]>([
    ["a single text", "seed-202610131205"],
    ["a number", [5]],
    ["an empty text", [""]],
  ])("namesInUse with %s is refused", (_, names) => {
    expect(() => decideSchedule(state, [], { now, namesInUse: names as string[] })).toThrow(
      /^namesInUse/,
    );
  });

  it.each([
    { createdAt: Number.NaN },
    { lastScheduleAt: null },
    { effectiveFrom: "9" },
    { heldAt: "x" },
    { generation: Number.NaN },
    { spec: { ...state.spec, missedScheduleLimit: Number.POSITIVE_INFINITY } },
    { spec: { ...state.spec, missedScheduleLimit: "7" } },
    { spec: { ...state.spec, startingDeadlineSeconds: "x" } },
    { spec: { ...state.spec, suspended: "false" } },
  ])("a state with %o is not decided on", (members) => {
    const broken = { ...state, ...members } as typeof state;
    const errors: unknown[] = [];
    for (const decide of [
      () => decideSchedule(broken, [], { now }),
      () => replayDecision({ ...decideSchedule(state, [], { now }).evidence, schedule: broken }),
    ]) {
      try {
        decide();
      } catch (error) {
        errors.push(error);
      }
    }
    expect(errors.map(isScheduleStateError)).toEqual([true, true]);
  });

  it("evidence keeps of a ledger's row only what an interval has", () => {
    const row = { firstAt: now, lastAt: now, count: 1, countIsExact: true, outcome: "create" };
    const { evidence } = decideSchedule(state, [], { now, decided: [row] });
    expect(parseEvidence(JSON.parse(JSON.stringify(evidence)))).toStrictEqual(evidence);
  });

  it("after the year 9999 nothing is next, and the evidence can be read", () => {
    const { evidence, wake } = decideSchedule({ ...state, lastScheduleAt: LAST - 1 }, [], {
      now: LAST,
    });
    expect(wake).toEqual({ kind: "edit" });
    expect(parseEvidence(JSON.parse(JSON.stringify(evidence)))).toStrictEqual(evidence);
  });
});

describe("stored data is plain", () => {
  it("a minus before zero does not reach what is stored", () => {
    const made = createSchedule(
      { ...state.spec, missedScheduleLimit: -0, startingDeadlineSeconds: -0 },
      { uid: "u", now: -0 },
    );
    const decision = decideSchedule(made, [], { now: -0, decided: [-0] });
    expect(JSON.parse(JSON.stringify(decision))).toStrictEqual(decision);
  });

  it("a state whose members are inherited is refused: they would not be stored", () => {
    expect(() => parseScheduleState(Object.create(state))).toThrow(/plain object/);
    expect(() => createSchedule(Object.create(state.spec), { uid: "u", now })).toThrow(/plain/);
  });

  it("a member that is undefined is left out", () => {
    expect(parseScheduleState({ ...state, lastScheduleAt: undefined })).toStrictEqual(state);
  });
});

describe("long lists cost in proportion", () => {
  const often = { schedule: "* * * * *", missedScheduleLimit: 10_000 } as const;

  it("ten thousand decided instants, taken names and running runs take no seconds each", () => {
    const through = now + 10_000 * MINUTE;
    const decided = Array.from({ length: 20_000 }, (_, i) => nowhere + i * MINUTE);
    const latest = schedule({ ...often, missed: "Latest" });
    expect(decideSchedule(latest, [], { now: through, decided }).outcomes).toEqual([]);
    const namesInUse = Array.from({ length: 10_000 }, (_, i) => `other-${i}`);
    const many = decideSchedule(schedule(often), [], { now: through, namesInUse });
    expect(many.outcomes).toHaveLength(10_000);
    const steps = simulate(schedule(often), { through: LAST, runSeconds: 1e9 });
    expect(steps).toHaveLength(10_000);
  });
});
