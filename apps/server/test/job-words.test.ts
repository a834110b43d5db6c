import { createJob, type FailurePolicy, type JobState, transitionJob } from "@mesh/jobs";
import { expect, it } from "vitest";
import { jobEvents } from "../src/words/job-events.ts";

/** A Job whose first attempt has ended with exit code 9, before and after. */
function failedOnce(failurePolicy?: FailurePolicy): { before: JobState; after: JobState } {
  const spec = { name: "report", image: "busybox:1.36", backoffLimit: 2, failurePolicy };
  const { state: before } = createJob(spec, { jobId: "j1", namespace: "default", now: 0 });
  const taskId = before.job.taskIds[0] ?? "";
  const report = {
    type: "taskReported",
    at: 1000,
    taskId,
    status: "stopped",
    exitCode: 9,
  } as const;
  return { before, after: transitionJob(before, report).state ?? before };
}

const retryOf = ({ before, after }: ReturnType<typeof failedOnce>) =>
  jobEvents(before, after).find(({ type }) => type === "job.retried")?.message;

it("a retry says which attempt it is, of how many at most (J4)", () => {
  expect(retryOf(failedOnce())).toBe(
    "Job default/report is tried again now: attempt 2 of at most 3",
  );
});

it("a retry after an ignored failure also says what it counts as (J7)", () => {
  const ignoring = { rules: [{ action: "Ignore", onExitCodes: { in: [9] } }] } as const;
  expect(retryOf(failedOnce(ignoring))).toBe(
    "Job default/report is tried again now: attempt 2, counted as 1 of at most 3",
  );
});
