import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
  createJob,
  explainJobReason,
  isJobSpecError,
  isStateError,
  isTransitionError,
  type JobEvent,
  type JobPolicy,
  JobSpecError,
  parseJobEvent,
  parseJobState,
  StateError,
  TransitionError,
  transitionJob,
} from "../src/index.ts";
import { at, atlas, stopped } from "./atlas.ts";

const context = { jobId: "j1", namespace: "default", now: at("09:00") };

function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}

const create = (spec: object, more: object = {}) =>
  thrownBy(() => createJob(spec as JobPolicy, { ...context, ...more }));

/** One for each code: `docs/reference/errors-jobs.md` lists the same. */
const texts: readonly [string, () => Error, string][] = [
  ["shape.missing", () => create({}), "job spec is refused\n  /name: name is missing"],
  [
    "shape.type",
    () => create({ name: "a", backoffLimit: "3" }),
    'job spec is refused\n  /backoffLimit: must be a whole number, found "3"',
  ],
  ["shape.empty", () => create({ name: "" }), "job spec is refused\n  /name: must not be empty"],
  [
    "shape.enum",
    () => create({ name: "a", backoff: { kind: "Linear" } }),
    'job spec is refused\n  /backoff/kind: must be one of None, Constant, Exponential, found "Linear"',
  ],
  [
    "shape.unknown-key",
    () => create({ name: "a", failurePolicy: { rules: [], maxignored: 1 } }),
    'job spec is refused\n  /failurePolicy/maxignored: "maxignored" is not known here\n    help: use one of rules, maxIgnored',
  ],
  [
    "limit.range",
    () => create({ name: "a", backoffLimit: -1 }),
    "job spec is refused\n  /backoffLimit: must be a whole number from 0 to 10000, found -1",
  ],
  [
    "name.invalid",
    () => create({ name: "Atlas" }),
    'job spec is refused\n  /name: must be a DNS-1123 label, found "Atlas"\n    help: use 1 to 63 of a-z, 0-9 and -, with no - at either end',
  ],
  [
    "job.name-in-use",
    () => create({ name: "a" }, { nameInUse: true }),
    "job spec is refused\n  /name: an active Job of this namespace has this name\n    help: choose another name, or wait until that Job has ended",
  ],
  [
    "job.event",
    () => thrownBy(() => transitionJob(atlas(), { type: "lost", at: 0 } as unknown as JobEvent)),
    "job event is refused\n  this is no job event\n    help: read untyped data with parseJobEvent, which says what is wrong with it",
  ],
  [
    "job.task-id-used",
    () =>
      thrownBy(() =>
        transitionJob(atlas({ backoffLimit: 1 }), stopped("09:05", 1), { nextTaskId: "t1" }),
      ),
    'job event is refused\n  /nextTaskId: the Job already has a task of this id, found "t1"\n    help: give each attempt an id of its own',
  ],
  [
    "version.unsupported",
    () => thrownBy(() => parseJobState({ v: 2 })),
    "stored job state does not parse\n  /v: this version of job state is not known, found 2\n    help: known versions: 1; newer data needs a newer release",
  ],
  [
    "state.invariant",
    () => thrownBy(() => parseJobState({ ...atlas(), job: { ...atlas().job, attempts: 2 } })),
    "stored job state does not parse (2 problems)\n  /job/attempts: must be from 1 to 1\n  /job/taskIds: must be as many as attempts and ignored failures together",
  ],
];

describe("an error", () => {
  it.each(texts)("%s says what, where and what to do", (code, make, text) => {
    const error = make();
    expect(error.message).toBe(text);
    expect((error as JobSpecError).diagnostics[0]).toMatchObject({ code, severity: "error" });
  });

  it("counts its problems when there are several", () => {
    expect(create({ name: "A", backoffLimit: -1 }).message).toMatch(/^job spec is refused \(2 /);
  });

  it("shows long and strange values short", () => {
    const show = (backoffLimit: unknown) => create({ name: "a", backoffLimit }).message;
    expect(show("x".repeat(1000))).toMatch(/, found "x{56}\.\.\.$/);
    expect(show([1])).toContain("found a list");
    expect(show({})).toContain("found a map");
    expect(show(null)).toContain("found null");
    expect(create({ name: "a", run: () => 1 }).message).toContain("found a function");
  });

  it("is told apart by its guard, whichever copy of the package made it", () => {
    const made = [new JobSpecError([]), new TransitionError([]), new StateError([])];
    const guards = [isJobSpecError, isTransitionError, isStateError];
    expect(guards.map((guard) => made.map(guard))).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
    const foreign = runInNewContext("({ [brand]: true })", {
      brand: Symbol.for("@mesh/jobs/StateError"),
    });
    expect(isStateError(foreign)).toBe(true);
    for (const value of [null, undefined, "StateError", new Error("a"), {}]) {
      expect(guards.some((guard) => guard(value))).toBe(false);
    }
  });

  it("has a name and goes into JSON with its problems", () => {
    const error = thrownBy(() => parseJobEvent({ type: "timeReached", at: 0.5 }));
    expect(error.name).toBe("TransitionError");
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "TransitionError",
      message: error.message,
      diagnostics: (error as TransitionError).diagnostics,
    });
    expect(new JobSpecError([]).name).toBe("JobSpecError");
    expect(new StateError([]).name).toBe("StateError");
    expect(Object.keys(error)).not.toContain("brand");
  });
});

it("each reason has its words", () => {
  const words = (
    [
      "backoffLimit",
      "failurePolicy",
      "deadlineExceeded",
      "nodeLost",
      "outOfMemory",
      "neverStarted",
      "engineError",
      "unknown",
      "unknownTask",
      "taskOver",
      "jobEnded",
      "notForward",
      "tooEarly",
      "suspended",
      "alreadySuspended",
      "notSuspended",
      "alreadyDeleted",
    ] as const
  ).map(explainJobReason);
  expect(new Set(words).size).toBe(17);
  expect(explainJobReason("backoffLimit")).toBe("the retry limit is spent");
});
