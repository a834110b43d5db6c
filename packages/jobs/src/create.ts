import { checkInstant, checkText } from "./argument.ts";
import { startEffect } from "./effect.ts";
import type { Instant, Job, JobState, Mutable, Task } from "./job.ts";
import { advanced, type Transition } from "./outcome.ts";
import { fillSpec, type JobPolicy, type JobSpec } from "./spec.ts";

/** The first transition: it always has a state. */
export type Creation<S extends JobPolicy = JobSpec> = Transition<S> & {
  readonly state: JobState<S>;
};

/**
 * A `pending` Job with one pending task (J2). The spec is copied, checked in its policy part and
 * filled: `backoffLimit` 0 and, beside an image, 100m and 128Mi; members it does not know pass
 * through. `taskId` defaults to `<jobId>-1`. That the namespace exists is the caller's to know,
 * and so is `nameInUse`: whether an active Job of the namespace has this name.
 * Throws a `JobSpecError` with every problem, each with its pointer.
 */
export function createJob<S extends JobPolicy>(
  spec: S,
  context: {
    readonly jobId: string;
    readonly namespace: string;
    readonly now: Instant;
    readonly taskId?: string | undefined;
    readonly nameInUse?: boolean | undefined;
  },
): Creation<S> {
  const { jobId, namespace, taskId = `${jobId}-1`, nameInUse = false } = context;
  checkText("jobId", jobId);
  checkText("namespace", namespace);
  checkText("taskId", taskId);
  const now = checkInstant("now", context.now);
  const job: Job<S> = {
    id: jobId,
    namespace,
    spec: fillSpec(spec, { nameInUse }) as S,
    status: "pending",
    attempts: 1,
    ignoredFailures: 0,
    taskIds: [taskId],
    createdAt: now,
    updatedAt: now,
  };
  const task = newTask({ id: taskId, jobId, restartCount: 0, now });
  const state: JobState<S> = { v: 1, job, tasks: [task] };
  return { ...advanced(state, [startEffect(task)]), state };
}

/** A task that no node has: pending, and meant to run. */
export function newTask(task: {
  readonly id: string;
  readonly jobId: string;
  readonly restartCount: number;
  readonly now: Instant;
  readonly notBefore?: Instant | undefined;
}): Task {
  const { id, jobId, restartCount, now, notBefore } = task;
  const fresh: Mutable<Task> = {
    id,
    jobId,
    actualStatus: "pending",
    desiredStatus: "running",
    restartCount,
    createdAt: now,
    updatedAt: now,
  };
  if (notBefore !== undefined) fresh.notBefore = notBefore;
  return fresh;
}
