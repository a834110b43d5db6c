import { startEffect } from "./effect.ts";
import { cancel, passTime, remove } from "./ending.ts";
import { TransitionError } from "./errors.ts";
import { isJobEvent, type JobEvent } from "./event.ts";
import {
  copyJob,
  copyLiveTask,
  currentTask,
  type Instant,
  isTerminalJob,
  isTerminalTask,
  type JobState,
  withJob,
  withTask,
} from "./job.ts";
import { advanced, ignored, type Transition } from "./outcome.ts";
import type { IgnoredReason } from "./reason.ts";
import { receive } from "./report.ts";
import { problem } from "./shape.ts";
import type { JobPolicy } from "./spec.ts";

/**
 * The state after an event, the effects to do once it is stored, and when `timeReached` is wanted.
 * Late, repeated and stale events are normal: they change nothing and say why (J5). `at` is the
 * time of acceptance, clamped to `updatedAt`. `nextTaskId` names the task of a retry, should this
 * event bring one; it defaults to `<jobId>-<n>`.
 * Throws a `TransitionError` for what is no event and for a task id that was used before.
 */
export function transitionJob<S extends JobPolicy>(
  state: JobState<S>,
  event: JobEvent,
  options: { readonly nextTaskId?: string | undefined } = {},
): Transition<S> {
  if (!isJobEvent(event)) throw notAnEvent();
  const { job } = state;
  // Adding 0 makes a minus zero, which JSON does not have, an ordinary one.
  const at = Math.max(event.at, job.updatedAt) + 0;
  switch (event.type) {
    case "taskAssigned":
    case "taskReported": {
      const stale = staleness(state, event.taskId);
      if (stale !== undefined) return ignored(state, stale);
      return event.type === "taskAssigned"
        ? assign(state, event.nodeId, at)
        : receive(state, event, at, options.nextTaskId);
    }
    case "cancelRequested":
      return cancel(state, at);
    case "deleteRequested":
      return remove(state, at);
    case "suspendRequested":
      return suspend(state, at);
    case "resumeRequested":
      return resume(state, at);
    case "timeReached":
      return passTime(state, at);
  }
}

function notAnEvent(): TransitionError {
  return new TransitionError([
    problem("job.event", "", "this is no job event", {
      help: "read untyped data with parseJobEvent, which says what is wrong with it",
    }),
  ]);
}

/** Why nothing that is said of this task matters any more, if so: only the last can be live. */
function staleness(state: JobState<JobPolicy>, taskId: string): IgnoredReason | undefined {
  const task = currentTask(state);
  if (task.id === taskId) return isTerminalTask(task.actualStatus) ? "taskOver" : undefined;
  return state.job.taskIds.includes(taskId) ? "taskOver" : "unknownTask";
}

function assign<S extends JobPolicy>(
  state: JobState<S>,
  nodeId: string,
  at: Instant,
): Transition<S> {
  const { job } = state;
  const task = currentTask(state);
  if (isTerminalJob(job.status)) return ignored(state, "jobEnded");
  if (task.actualStatus !== "pending") return ignored(state, "notForward");
  if (job.suspendedAt !== undefined) return ignored(state, "suspended");
  if (task.notBefore !== undefined && at < task.notBefore) return ignored(state, "tooEarly");
  const next = copyJob(job);
  next.updatedAt = at;
  const assigned = copyLiveTask(task);
  assigned.actualStatus = "assigned";
  assigned.nodeId = nodeId;
  assigned.updatedAt = at;
  return advanced(withTask(state, next, assigned));
}

function suspend<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
  const { job } = state;
  if (isTerminalJob(job.status)) return ignored(state, "jobEnded");
  if (job.suspendedAt !== undefined) return ignored(state, "alreadySuspended");
  const next = copyJob(job);
  next.suspendedAt = at;
  next.updatedAt = at;
  return advanced(withJob(state, next));
}

function resume<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
  const { suspendedAt, ...job } = state.job;
  if (isTerminalJob(job.status)) return ignored(state, "jobEnded");
  if (suspendedAt === undefined) return ignored(state, "notSuspended");
  const next = copyJob<S>(job);
  next.updatedAt = at;
  const task = currentTask(state);
  if (task.actualStatus !== "pending") return advanced(withJob(state, next));
  const startable = copyLiveTask(task);
  startable.updatedAt = at;
  return advanced(withTask(state, next, startable), [startEffect(startable)]);
}
