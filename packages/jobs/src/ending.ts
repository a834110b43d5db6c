import { stopEffect } from "./effect.ts";
import type { TaskEnding } from "./event.ts";
import {
  copyJob,
  copyLiveTask,
  currentTask,
  type Instant,
  isTerminalJob,
  isTerminalTask,
  type Job,
  type JobReason,
  type JobState,
  type Mutable,
  type Task,
  withJob,
  withTask,
} from "./job.ts";
import { advanced, ignored, removed, type Transition, wakeAt } from "./outcome.ts";
import type { JobPolicy } from "./spec.ts";

/** The Job is `cancelled`, for good (J8). */
export function cancel<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
  if (isTerminalJob(state.job.status)) return ignored(state, "jobEnded");
  return end(state, { status: "cancelled", at });
}

/** The Job is to go; its record stays until none of its tasks is live (J9). */
export function remove<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
  const { job } = state;
  if (job.deletedAt !== undefined) return ignored(state, "alreadyDeleted");
  const marked = isTerminalJob(job.status)
    ? advanced(withJob(state, deletedJob(job, at)))
    : end(state, { status: "cancelled", deletedAt: at, at });
  const { actualStatus } = currentTask(marked.state ?? state);
  return isTerminalTask(actualStatus) ? removed(job) : marked;
}

/** The deadline, then retention: whatever is due at this instant (J8). */
export function passTime<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
  const { job } = state;
  if (job.deletedAt !== undefined) return ignored(state, "alreadyDeleted");
  const due = wakeAt(state);
  const isOver = isTerminalJob(job.status);
  if (due === undefined || at < due) {
    const forGood = isOver && job.spec.ttlSecondsAfterFinished === undefined;
    return ignored(state, forGood ? "jobEnded" : "tooEarly");
  }
  if (isOver) return removed(job);
  const ended = end(state, { status: "failed", reason: "deadlineExceeded", at });
  // A retention of 0 seconds is over at the same instant, so that once is as good as twice.
  return ended.wake !== undefined && ended.wake.at <= at ? removed(job) : ended;
}

/** The Job is over and never changes, but its live task may end; a deleted Job goes with it. */
export function finishAfterEnd<S extends JobPolicy>(
  state: JobState<S>,
  report: TaskEnding,
  acceptedAt: Instant,
): Transition<S> {
  const { job } = state;
  if (job.deletedAt !== undefined) return removed(job);
  const task = currentTask(state);
  const at = Math.max(acceptedAt, task.updatedAt);
  return advanced(withTask(state, job, endedTask(task, report, at)));
}

/** The Job ends before its work did: a live task is to go (J8). */
function end<S extends JobPolicy>(
  state: JobState<S>,
  ending: {
    readonly status: "cancelled" | "failed";
    readonly reason?: JobReason;
    readonly deletedAt?: Instant;
    readonly at: Instant;
  },
): Transition<S> {
  const { status, reason, deletedAt, at } = ending;
  const job = copyJob(state.job);
  job.status = status;
  if (reason !== undefined) job.reason = reason;
  if (deletedAt !== undefined) job.deletedAt = deletedAt;
  job.updatedAt = at;
  job.completedAt = at;
  const task = currentTask(state);
  if (task.actualStatus === "pending") {
    // No node has it, so nobody will report its end.
    const gone = endedTask(task, { status: "removed" }, at);
    gone.desiredStatus = "removed";
    return advanced(withTask(state, job, gone));
  }
  const stopping = copyLiveTask(task);
  stopping.desiredStatus = "removed";
  stopping.updatedAt = at;
  return advanced(withTask(state, job, stopping), [stopEffect(stopping)]);
}

function deletedJob<S extends JobPolicy>(job: Job<S>, at: Instant): Job<S> {
  const deleted = copyJob(job);
  deleted.deletedAt = at;
  deleted.updatedAt = at;
  return deleted;
}

/** The task as it will stay; a failure without a code counts as 1 (J3). */
export function endedTask(task: Task, report: TaskEnding, at: Instant): Mutable<Task> {
  const ended = copyLiveTask(task);
  ended.actualStatus = report.status;
  ended.updatedAt = at;
  ended.finishedAt = at;
  if (report.status !== "removed") ended.exitCode = (report.exitCode ?? 1) + 0;
  if (report.status === "failed" && report.reason !== undefined) {
    ended.failureReason = report.reason;
  }
  return ended;
}
