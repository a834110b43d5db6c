import { describe, expect, it } from "vitest";
import {
  decideSchedule,
  type Evidence,
  isScheduleStateError,
  parseEvidence,
  parseScheduleState,
  replayDecision,
  type ScheduleState,
  type ScheduleStateError,
} from "../src/index.ts";
import { at, running, schedule } from "./seed-schedule.ts";

function refused(read: () => unknown): ScheduleStateError {
  try {
    read();
  } catch (error) {
    if (isScheduleStateError(error)) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

const problemsOf = (read: () => unknown): readonly string[] =>
  refused(read).diagnostics.map(({ code, pointer }) => `${code} ${pointer}`);

describe("stored states", () => {
  const state = schedule();

  it("a state that was stored is read back", () => {
    const full = { ...state, lastScheduleAt: 0, effectiveFrom: 1, heldAt: 2 };
    expect(parseScheduleState(JSON.parse(JSON.stringify(full)))).toEqual(full);
  });

  it("an unknown version is refused, and only that is said", () => {
    const error = refused(() => parseScheduleState({ v: 2, everything: "else" }));
    expect(error.message).toBe(
      "this schedule cannot be read\n  /v: version 2 is not known: this release knows 1",
    );
    expect(error.diagnostics).toMatchObject([
      { code: "version.unsupported", found: "2", allowed: ["1"] },
    ]);
  });

  it.each([
    [null, ["shape.type "]],
    ["text", ["shape.type "]],
    [{ ...state, v: undefined }, ["shape.missing /v"]],
    [{ ...state, v: "1" }, ["shape.type /v"]],
    [{ ...state, uid: "" }, ["shape.empty /uid"]],
    [{ ...state, generation: 0 }, ["limit.range /generation"]],
    [{ ...state, createdAt: "2026-10-13" }, ["shape.type /createdAt"]],
    [{ ...state, lastScheduleAt: null }, ["shape.type /lastScheduleAt"]],
    [{ ...state, effectiveFrom: 1.5 }, ["shape.type /effectiveFrom"]],
    [{ ...state, heldAt: Number.NaN }, ["shape.type /heldAt"]],
    [{ ...state, lastScheduledAt: 0 }, ["shape.unknown-key /lastScheduledAt"]],
    [
      { ...state, uid: 1, spec: { ...state.spec, concurrencyPolicy: "Never", name: "" } },
      ["shape.type /uid", "shape.empty /spec/name", "shape.enum /spec/concurrencyPolicy"],
    ],
  ])("%j is refused with every problem and its pointer", (value, problems) => {
    expect(problemsOf(() => parseScheduleState(value))).toEqual(problems);
  });
});

describe("stored evidence", () => {
  const { evidence } = decideSchedule(
    schedule({ concurrencyPolicy: "Supersede", startingDeadlineSeconds: 150 }),
    running("r1"),
    { now: at("12:05"), namesInUse: ["x"], decided: [at("12:01")] },
  );

  it("evidence with every member is read back", () => {
    expect(Object.keys(evidence)).toEqual(
      expect.arrayContaining(["expired", "superseded", "nextAt", "namesInUse", "decided"]),
    );
    expect(parseEvidence(JSON.parse(JSON.stringify(evidence)))).toEqual(evidence);
  });

  it.each<[unknown, readonly string[]]>([
    [undefined, ["shape.type "]],
    [{ ...evidence, v: 7 }, ["version.unsupported /v"]],
    [{ ...evidence, rules: 2 }, ["shape.enum /rules"]],
    [{ ...evidence, zoneData: "" }, ["shape.empty /zoneData"]],
    [{ ...evidence, active: {} }, ["shape.type /active"]],
    [
      { ...evidence, active: [{ id: "", status: "done", node: 1 }] },
      [
        "shape.unknown-key /active/0/node",
        "shape.empty /active/0/id",
        "shape.enum /active/0/status",
      ],
    ],
    [{ ...evidence, due: [null] }, ["shape.type /due/0"]],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
    [{ ...evidence, due: [, at("12:05")] }, ["shape.type /due/0"]],
    [{ ...evidence, truncated: 0 }, ["shape.type /truncated"]],
    [{ ...evidence, nextAt: "soon" }, ["shape.type /nextAt"]],
    [{ ...evidence, namesInUse: [""] }, ["shape.empty /namesInUse/0"]],
    [{ ...evidence, decided: ["12:01"] }, ["shape.type /decided/0"]],
    [
      { ...evidence, decided: [{ firstAt: 0 }] },
      [
        "shape.missing /decided/0/lastAt",
        "shape.missing /decided/0/count",
        "shape.missing /decided/0/countIsExact",
      ],
    ],
    [{ ...evidence, expired: { ...evidence.expired, count: 0 } }, ["limit.range /expired/count"]],
    [{ ...evidence, schedule: { ...evidence.schedule, v: 3 } }, ["shape.enum /schedule/v"]],
  ])("what does not parse is refused with its pointer (%#)", (value, problems) => {
    expect(problemsOf(() => parseEvidence(value))).toEqual(problems);
  });

  const interval = (firstAt: string, lastAt: string, count = 1) =>
    ({ firstAt: at(firstAt), lastAt: at(lastAt), count, countIsExact: true }) as const;
  const suspended = schedule({ suspended: true, concurrencyPolicy: "Supersede" });
  const nothing = { expired: undefined, superseded: undefined, due: [] };
  const expired = "it does not follow the base";
  const superseded = "it does not follow what is before it";
  const due = "it does not rise between what is passed over and now";

  const broken: readonly [string, object, string, string][] = [
    ["another base", { baseAt: at("12:01") }, "/baseAt", "it is not the schedule's base"],
    ["due before the base", { ...nothing, due: [at("11:59")] }, "/due", due],
    ["due after now", { due: [at("12:06")] }, "/due", due],
    ["due and superseded", { due: [at("12:04")] }, "/due", due],
    ["due out of order", { ...nothing, due: [at("12:05"), at("12:04")] }, "/due", due],
    ["due twice", { ...nothing, due: [at("12:05"), at("12:05")] }, "/due", due],
    ["a next that is now", { nextAt: at("12:05") }, "/nextAt", "it is not after now and the base"],
    ["two runs, one id", { active: running("r1", "r1") }, "/active", "two runs have the same id"],
    ["an end before its beginning", { expired: interval("12:02", "12:01") }, "/expired", expired],
    ["an interval at the base", { expired: interval("12:00", "12:02") }, "/expired", expired],
    [
      "an interval past now",
      { ...nothing, expired: interval("12:02", "12:06") },
      "/expired",
      expired,
    ],
    [
      "intervals that overlap",
      { superseded: interval("12:02", "12:04") },
      "/superseded",
      superseded,
    ],
    ...[
      { ...nothing, due: [at("12:05")] },
      { ...nothing, expired: interval("12:01", "12:02") },
      { ...nothing, superseded: interval("12:01", "12:02") },
    ].map((facts): [string, object, string, string] => [
      `suspended, with ${Object.keys(JSON.parse(JSON.stringify(facts))).join()}`,
      { schedule: suspended, ...facts },
      "/due",
      "a suspended schedule has nothing due",
    ]),
  ];

  it.each(broken)(
    "%s: a broken invariant is neither read nor decided on",
    (_, change, pointer, message) => {
      const value = JSON.parse(JSON.stringify({ ...evidence, ...change }));
      for (const read of [() => parseEvidence(value), () => replayDecision(value)]) {
        expect(refused(read).diagnostics).toEqual([
          { code: "state.invariant", severity: "error", message, pointer },
        ]);
      }
    },
  );

  it("an interval that ends now, of one occurrence, is in order", () => {
    const value = { ...evidence, ...nothing, expired: interval("12:05", "12:05") };
    const stored = JSON.parse(JSON.stringify(value));
    expect(replayDecision(parseEvidence(stored)).schedule.lastScheduleAt).toBe(at("12:05"));
    const none = { ...stored, expired: interval("12:05", "12:05", 0) };
    expect(problemsOf(() => replayDecision(none))).toEqual(["state.invariant /expired"]);
  });

  it.each([
    ["v", { v: 2 }],
    ["rules", { rules: 2 }],
  ])("a replay refuses an unknown %s", (name, change) => {
    const value = { ...evidence, ...change } as unknown as Evidence;
    expect(refused(() => replayDecision(value)).diagnostics).toMatchObject([
      {
        code: "state.invariant",
        pointer: `/${name}`,
        message: `version 2 is not known: this release knows 1`,
      },
    ]);
  });
});

describe("states that were never admitted", () => {
  it("an unknown policy is refused with the allowed ones, never read as another", () => {
    const state = schedule();
    const spec = { ...state.spec, concurrencyPolicy: "allow" } as unknown as ScheduleState["spec"];
    const error = refused(() => decideSchedule({ ...state, spec }, [], { now: at("12:01") }));
    expect(error.message).toBe(
      "this evidence cannot be read\n  /schedule/spec/concurrencyPolicy: " +
        '"allow" is not allowed: use Allow, Forbid, Replace, Skip, Queue, Supersede',
    );
    expect(error.diagnostics).toMatchObject([
      {
        found: "allow",
        allowed: ["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"],
      },
    ]);
  });

  it("an unknown version of a state is not decided on", () => {
    const state = { ...schedule(), v: 2 } as unknown as ScheduleState;
    expect(problemsOf(() => decideSchedule(state, [], { now: at("12:01") }))).toEqual([
      "state.invariant /schedule/v",
    ]);
  });

  it("two active runs with one id are not decided on", () => {
    expect(
      problemsOf(() => decideSchedule(schedule(), running("r1", "r1"), { now: at("12:01") })),
    ).toEqual(["state.invariant /active"]);
  });

  it("an unknown status of a run is not decided on", () => {
    const active = [{ id: "r1", status: "done" }] as unknown as ReturnType<typeof running>;
    const decide = () => decideSchedule(schedule(), active, { now: at("12:01") });
    expect(refused(decide).diagnostics).toMatchObject([
      {
        code: "state.invariant",
        pointer: "/active/0/status",
        message: "it is none of pending, running, stopping",
      },
    ]);
  });

  it.each([
    ["* * * *", {}, "CronSyntaxError"],
    ["* * * * *", { timezone: "Nowhere/Removed" }, "TimeZoneError"],
    ["* * * * *", { dst: "once" }, "RangeError"],
  ])("expression %j with %j throws the error of its own package", (text, more, name) => {
    const state = schedule();
    const spec = { ...state.spec, schedule: text, ...more } as ScheduleState["spec"];
    expect(() => decideSchedule({ ...state, spec }, [], { now: at("12:01") })).toThrow(
      expect.objectContaining({ name }),
    );
  });

  it("a policy or a `missed` that is unknown is refused even when nothing is due", () => {
    const state = schedule();
    for (const change of [{ concurrencyPolicy: "allow" }, { missed: "some" }]) {
      const spec = { ...state.spec, ...change } as unknown as ScheduleState["spec"];
      expect(
        problemsOf(() => decideSchedule({ ...state, spec }, [], { now: at("12:00:30") })),
      ).toEqual([`shape.enum /schedule/spec/${Object.keys(change)[0]}`]);
    }
  });
});
