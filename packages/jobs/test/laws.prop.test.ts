import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJob, pendingEffects, transitionJob } from "../src/index.ts";
import { type JobHistory, jobEvents, jobHistories, jobStates } from "../src/testing.ts";
import { laws } from "./laws.ts";

/** Plays a history; `visit` sees each step until the record is gone. */
function play(
  { spec, context, events }: JobHistory,
  visit: (step: Parameters<(typeof laws)[string]>) => void,
): void {
  let state = createJob(spec, context).state;
  for (const event of events) {
    const step = transitionJob(state, event);
    visit([state, event, step]);
    if (step.state === undefined) return;
    state = step.state;
  }
}

describe("for any sequence of events, repeated, late and in any order (J10)", () => {
  it.each(Object.entries(laws))("%s", (_, holds) => {
    fc.assert(
      fc.property(jobHistories(), (history) => {
        play(history, (step) => expect(holds(...step)).toBe(true));
      }),
    );
  });
});

describe("the histories of these properties", () => {
  it("reach every status, retries, ignored failures, deletion and each ignored reason", () => {
    const seen = new Set<string>();
    for (const history of fc.sample(jobHistories({ maxEvents: 30 }), 2000)) {
      play(history, ([, , { state, outcome, reason }]) => {
        seen.add(outcome === "ignored" ? `${reason}` : (state?.job.status ?? "gone"));
        if ((state?.job.attempts ?? 1) > 1) seen.add("retried");
        if ((state?.job.ignoredFailures ?? 0) > 0) seen.add("forgiven");
        if (state?.job.reason) seen.add(state.job.reason);
        if (state?.job.deletedAt !== undefined) seen.add("deleted");
        if (state?.tasks.some((task) => task.notBefore !== undefined)) seen.add("delayed");
      });
    }
    expect([...seen].sort()).toEqual(
      [
        ...["pending", "running", "succeeded", "failed", "cancelled", "gone", "deleted"],
        ...["retried", "forgiven", "delayed"],
        ...["backoffLimit", "failurePolicy", "deadlineExceeded"],
        ...["unknownTask", "taskOver", "jobEnded", "notForward", "tooEarly", "suspended"],
        ...["alreadySuspended", "notSuspended", "alreadyDeleted"],
      ].sort(),
    );
  });
});

describe("effects (J11)", () => {
  const statesAndEvents = jobStates().chain((state) =>
    fc.tuple(fc.constant(state), jobEvents(state.job.taskIds)),
  );

  it("a crash after the commit loses none: the stored state asks for all that are not done", () => {
    fc.assert(
      fc.property(statesAndEvents, ([state, event]) => {
        const step = transitionJob(state, event);
        const stored = JSON.parse(JSON.stringify(step.state ?? state));
        const asked = pendingEffects(stored).map(({ id }) => id);
        if (step.state === undefined) return;
        expect(asked).toEqual(expect.arrayContaining(step.effects.map(({ id }) => id)));
      }),
    );
  });

  it("ids are unique over a whole life where each event has a time of its own", () => {
    fc.assert(
      fc.property(jobHistories(), ({ spec, context, events }) => {
        const created = createJob(spec, context);
        const ids = created.effects.map(({ id }) => id);
        let { state } = created;
        let at = context.now;
        for (const event of events) {
          at += 1000;
          const step = transitionJob(state, { ...event, at });
          ids.push(...step.effects.map(({ id }) => id));
          if (step.state === undefined) break;
          state = step.state;
        }
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});
