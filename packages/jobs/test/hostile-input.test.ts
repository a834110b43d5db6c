import { describe, expect, it } from "vitest";
import {
  createJob,
  isTransitionError,
  type JobEvent,
  parseJobState,
  runEnvironment,
  transitionJob,
} from "../src/index.ts";

const context = { jobId: "j", namespace: "default", now: 1000 };

describe("what a careless caller gives does not reach what is stored (J11)", () => {
  it("a minus before zero reads back as it was stored", () => {
    const { state } = createJob({ name: "report", backoffLimit: 1 }, { ...context, now: -0 });
    expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
    const earlier = createJob({ name: "report" }, { ...context, now: -1000 }).state;
    const moved = transitionJob(earlier, { at: -0, type: "suspendRequested" }).state;
    expect(JSON.parse(JSON.stringify(moved))).toStrictEqual(moved);
    for (const status of ["stopped", "failed"] as const) {
      const report = { at: 5, type: "taskReported", taskId: "j-1", status, exitCode: -0 } as const;
      const ended = transitionJob(state, report).state;
      expect(parseJobState(JSON.parse(JSON.stringify(ended)))).toStrictEqual(ended);
    }
  });

  it.each([null, undefined])("%s is no event, and told so as any other is", (event) => {
    const { state } = createJob({ name: "report" }, context);
    let refusal: unknown;
    try {
      transitionJob(state, event as unknown as JobEvent);
    } catch (error) {
      refusal = error;
    }
    expect(isTransitionError(refusal)).toBe(true);
  });

  it.each(["2026", Number.NaN, null])("%s is no occurrence to tell the work (J12)", (at) => {
    const facts = { name: "report", attempt: 1, scheduledAt: at as number };
    expect(() => runEnvironment(facts)).toThrow(/^scheduledAt must be/);
  });
});
