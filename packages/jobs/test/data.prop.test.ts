import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  activeRun,
  attemptEnvironment,
  createJob,
  isJobSpecError,
  type JobPolicy,
  parseJobEvent,
  pendingEffects,
  retryDelaySeconds,
  transitionJob,
} from "../src/index.ts";
import {
  backoffs,
  failurePolicies,
  jobEvents,
  jobHistories,
  jobPolicies,
  jobSpecs,
  jobStates,
} from "../src/testing.ts";

const context = { jobId: "j", namespace: "default", now: Date.UTC(2026, 9, 13, 9) };

/** It equals what JSON and structuredClone make of it, so no member is `undefined`. */
function expectPlain(value: unknown): void {
  expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
  expect(structuredClone(value)).toStrictEqual(value);
}

const statesAndEvents = jobStates().chain((state) =>
  fc.tuple(fc.constant(state), jobEvents([...state.job.taskIds, "unknown"])),
);

describe("JSON there and back is the same value (J11)", () => {
  it.each<[string, fc.Arbitrary<unknown>]>([
    ["Backoff", backoffs()],
    ["FailurePolicy", failurePolicies()],
    ["JobPolicy", jobPolicies()],
    ["JobSpec", jobSpecs()],
    ["JobEvent", jobEvents(["t1"])],
    ["the events of a history", jobHistories()],
    ["JobState, Job and Task", jobStates()],
    ["JobEffect", jobStates().map((state) => pendingEffects(state))],
    ["a new Job's Transition", jobSpecs().map((spec) => createJob(spec, context))],
    ["Transition", statesAndEvents.map(([state, event]) => transitionJob(state, event))],
    [
      "ActiveRun",
      jobStates().map((state) => [
        activeRun(state) ?? {},
        activeRun(state, { occurrenceAt: 0 }) ?? {},
      ]),
    ],
    [
      "an attempt's environment",
      jobStates().map((state) =>
        attemptEnvironment(state, { taskId: state.job.taskIds[0] ?? "", occurrenceAt: 0 }),
      ),
    ],
  ])("%s", (_, values) => {
    fc.assert(fc.property(values, expectPlain));
  });

  it("Diagnostic and the errors that carry it", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          createJob(value as JobPolicy, context);
        } catch (error) {
          if (!isJobSpecError(error)) throw error;
          expectPlain(error.toJSON());
        }
      }),
    );
  });

  it("a copied state works in the original's place", () => {
    fc.assert(
      fc.property(statesAndEvents, ([state, event]) => {
        const expected = transitionJob(state, event);
        expect(transitionJob(structuredClone(state), structuredClone(event))).toEqual(expected);
      }),
    );
  });
});

describe("what is parsed", () => {
  it("an event is read as it was written (J3)", () => {
    fc.assert(
      fc.property(jobEvents(["t1"]), (event) => {
        expect(parseJobEvent(JSON.parse(JSON.stringify(event)))).toStrictEqual(event);
      }),
    );
  });

  it("anything else is refused with a typed error, never with another", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(() => parseJobEvent(value)).toThrow(
          expect.objectContaining({ name: "TransitionError" }),
        );
      }),
    );
  });

  it("nothing is both accepted and changed by creation, but for what it fills in (J1)", () => {
    fc.assert(
      fc.property(jobSpecs(), (spec) => {
        const { resources, ...kept } = createJob(spec, context).state.job.spec;
        const { resources: given, ...rest } = spec;
        expect(kept).toEqual({ backoffLimit: 0, ...rest });
        expect(resources).toEqual({ cpu: "100m", memory: "128Mi", ...given });
      }),
    );
  });
});

describe("a delay (J6)", () => {
  const failures = fc.integer({ min: 1, max: 10_000 });

  it("is a whole number of milliseconds, never negative and never above the longest", () => {
    fc.assert(
      fc.property(backoffs(), failures, fc.string(), (backoff, n, jobId) => {
        const seconds = retryDelaySeconds(backoff, { failures: n, jobId });
        const longest =
          backoff.kind === "None"
            ? 0
            : backoff.kind === "Constant"
              ? backoff.delaySeconds
              : (backoff.maxSeconds ?? 600);
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThanOrEqual(longest);
        expect(Math.round(seconds * 1000) / 1000).toBe(seconds);
      }),
    );
  });

  it("does not shrink with further failures where there is no jitter", () => {
    fc.assert(
      fc.property(backoffs(), failures, (backoff, n) => {
        const steady = { ...backoff, jitter: 0 };
        const delay = (count: number) => retryDelaySeconds(steady, { failures: count, jobId: "j" });
        expect(delay(n + 1)).toBeGreaterThanOrEqual(delay(n));
      }),
    );
  });

  it("comes before the retry can be assigned, whatever restarts in between", () => {
    fc.assert(
      fc.property(backoffs(), fc.string({ minLength: 1 }), (backoff, jobId) => {
        const created = createJob({ name: "a", backoffLimit: 1, backoff }, { ...context, jobId });
        const at = context.now + 60_000;
        const report = {
          type: "taskReported",
          at,
          taskId: `${jobId}-1`,
          status: "failed",
        } as const;
        const { state } = transitionJob(created.state, report);
        if (state === undefined) throw new Error("a retry was expected");
        const delay = retryDelaySeconds(backoff, { failures: 1, jobId }) * 1000;
        const assignAt = (time: number) =>
          transitionJob(structuredClone(state), {
            type: "taskAssigned",
            at: time,
            taskId: `${jobId}-2`,
            nodeId: "a",
          }).outcome;
        expect(assignAt(at + Math.round(delay))).toBe("advanced");
        if (delay > 0) expect(assignAt(at + Math.round(delay) - 1)).toBe("ignored");
      }),
    );
  });
});
