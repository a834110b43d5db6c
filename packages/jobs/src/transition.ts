import { checkText } from "./argument.ts";
import { newTask } from "./create.ts";
import { type JobEffect, startEffect, stopEffect } from "./effect.ts";
import { TransitionError } from "./errors.ts";
import { checkEvent, type JobEvent, type TaskReport } from "./event.ts";
import {
  currentTask,
  type Instant,
  isTerminalJob,
  isTerminalTask,
  type Job,
  type JobReason,
  type JobState,
  type Task,
} from "./job.ts";
import { advanced, ignored, removed, type Transition, wakeAt } from "./outcome.ts";
import { judgeFailure, retryDelaySeconds } from "./retry.ts";
import { problem } from "./shape.ts";
import type { JobPolicy } from "./spec.ts";

type Report = TaskReport & { readonly taskId: string };
type Ending = Exclude<Report, { status: "running" | "healthy" }>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A live task moves only forward along these. */
const rank = { pending: 0, assigned: 1, running: 2, healthy: 3 } as const;

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
  checkEvent(event);
  const { job } = state;
  const at = Math.max(event.at, job.updatedAt);
  switch (event.type) {
    case "taskAssigned":
      return assign(state, event, at);
    case "taskReported":
      return receive(state, event, at, options.nextTaskId);
    case "cancelRequested":
      return isTerminalJob(job.status)
        ? ignored(state, "jobEnded")
        : end(state, { status: "cancelled", at });
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

function receive<S extends JobPolicy>(
  state: JobState<S>,
  report: Report,
  at: Instant,
  nextTaskId: string | undefined,
): Transition<S> {
  switch (report.status) {
    case "running":
    case "healthy":
      return begin(state, report, at);
    case "stopped":
    case "failed":
    case "removed":
      return finish(state, report, at, nextTaskId);
  }
}

function assign<S extends JobPolicy>(
  state: JobState<S>,
  event: { readonly taskId: string; readonly nodeId: string },
  at: Instant,
): Transition<S> {
  const { job } = state;
  const task = currentTask(state);
  if (event.taskId !== task.id) return ignored(state, otherTask(job, event.taskId));
  if (isTerminalTask(task.actualStatus)) return ignored(state, "taskOver");
  if (isTerminalJob(job.status)) return ignored(state, "jobEnded");
  if (task.actualStatus !== "pending") return ignored(state, "notForward");
  if (job.suspendedAt !== undefined) return ignored(state, "suspended");
  if (task.notBefore !== undefined && at < task.notBefore) return ignored(state, "tooEarly");
  const assigned: Task = {
    ...task,
    actualStatus: "assigned",
    nodeId: event.nodeId,
    updatedAt: at,
  };
  return advanced(withTask(state, { ...job, updatedAt: at }, assigned));
}

/** `running` and `healthy`: the work has begun. */
function begin<S extends JobPolicy>(
  state: JobState<S>,
  report: Exclude<Report, Ending>,
  at: Instant,
): Transition<S> {
  const { job } = state;
  const task = currentTask(state);
  if (report.taskId !== task.id) return ignored(state, otherTask(job, report.taskId));
  if (isTerminalTask(task.actualStatus)) return ignored(state, "taskOver");
  if (isTerminalJob(job.status)) return ignored(state, "jobEnded");
  if (rank[report.status] <= rank[task.actualStatus as keyof typeof rank]) {
    return ignored(state, "notForward");
  }
  const begun: Mutable<Task> = { ...task, actualStatus: report.status, updatedAt: at };
  begun.startedAt ??= at;
  if (report.containerId !== undefined) begun.containerId = report.containerId;
  return advanced(withTask(state, { ...job, status: "running", updatedAt: at }, begun));
}

/** `stopped`, `failed` and `removed`: the task has ended, and with it perhaps the Job (J3). */
function finish<S extends JobPolicy>(
  state: JobState<S>,
  report: Ending,
  at: Instant,
  nextTaskId: string | undefined,
): Transition<S> {
  const { job } = state;
  const task = currentTask(state);
  if (report.taskId !== task.id) return ignored(state, otherTask(job, report.taskId));
  if (isTerminalTask(task.actualStatus)) return ignored(state, "taskOver");
  if (isTerminalJob(job.status)) return finishAfterEnd(state, report, at);

  // A task that vanished while its Job was not over reads as failed with code 1.
  const status = report.status === "removed" ? "failed" : report.status;
  const exitCode = report.status === "removed" ? 1 : (report.exitCode ?? 1);
  const reason = report.status === "failed" ? report.reason : undefined;
  const ended = endedTask(task, { status, exitCode, reason, at });
  const next: Job<S> = { ...job, lastExitCode: exitCode, updatedAt: at };
  if (status === "stopped" && exitCode === 0) {
    return advanced(withTask(state, { ...next, status: "succeeded", completedAt: at }, ended));
  }
  const verdict = judgeFailure(job, { exitCode, reason, at });
  if (verdict.retry === false) {
    return advanced(
      withTask(
        state,
        { ...next, status: "failed", reason: verdict.reason, completedAt: at },
        ended,
      ),
    );
  }
  return retry(withTask(state, next, ended), verdict.retry, at, nextTaskId);
}

/** The Job is over and never changes, but its live task may end; a deleted Job goes with it. */
function finishAfterEnd<S extends JobPolicy>(
  state: JobState<S>,
  report: Ending,
  acceptedAt: Instant,
): Transition<S> {
  const { job } = state;
  if (job.deletedAt !== undefined) return removed(job);
  const task = currentTask(state);
  const at = Math.max(acceptedAt, task.updatedAt);
  const exitCode = report.status === "removed" ? undefined : (report.exitCode ?? 1);
  const reason = report.status === "failed" ? report.reason : undefined;
  return advanced(
    withTask(state, job, endedTask(task, { status: report.status, exitCode, reason, at })),
  );
}

/** A new task is appended; the one before stays as it was (J4). */
function retry<S extends JobPolicy>(
  state: JobState<S>,
  kind: "counted" | "ignored",
  at: Instant,
  nextTaskId: string | undefined,
): Transition<S> {
  const { job, tasks } = state;
  const id = nextTaskId ?? `${job.id}-${tasks.length + 1}`;
  checkText("nextTaskId", id);
  if (job.taskIds.includes(id)) {
    throw new TransitionError([
      problem("job.task-id-used", "/nextTaskId", "the Job already has a task of this id", {
        found: JSON.stringify(id),
        help: "give each attempt an id of its own",
      }),
    ]);
  }
  const delaySeconds =
    kind === "counted"
      ? retryDelaySeconds(job.spec.backoff, { failures: job.attempts, jobId: job.id })
      : 0;
  const task = newTask({
    id,
    jobId: job.id,
    restartCount: tasks.length,
    now: at,
    notBefore: delaySeconds > 0 ? at + Math.round(delaySeconds * 1000) : undefined,
  });
  const next: Job<S> = {
    ...job,
    status: "pending",
    attempts: job.attempts + (kind === "counted" ? 1 : 0),
    ignoredFailures: job.ignoredFailures + (kind === "ignored" ? 1 : 0),
    taskIds: [...job.taskIds, id],
  };
  return advanced(
    { v: 1, job: next, tasks: [...tasks, task] },
    job.suspendedAt === undefined ? [startEffect(task)] : [],
  );
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
  const { at, ...members } = ending;
  const job: Job<S> = { ...state.job, ...members, updatedAt: at, completedAt: at };
  const task = currentTask(state);
  if (task.actualStatus === "pending") {
    // No node has it, so nobody will report its end.
    const gone: Task = { ...endedTask(task, { status: "removed", at }), desiredStatus: "removed" };
    return advanced(withTask(state, job, gone));
  }
  const stopping: Task = { ...task, desiredStatus: "removed", updatedAt: at };
  const effects: readonly JobEffect[] = [stopEffect(stopping)];
  return advanced(withTask(state, job, stopping), effects);
}

function remove<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
  const { job } = state;
  if (job.deletedAt !== undefined) return ignored(state, "alreadyDeleted");
  const marked = isTerminalJob(job.status)
    ? advanced(withJob(state, { ...job, deletedAt: at, updatedAt: at }))
    : end(state, { status: "cancelled", deletedAt: at, at });
  const { actualStatus } = currentTask(marked.state ?? state);
  return isTerminalTask(actualStatus) ? removed(job) : marked;
}

function suspend<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
  const { job } = state;
  if (isTerminalJob(job.status)) return ignored(state, "jobEnded");
  if (job.suspendedAt !== undefined) return ignored(state, "alreadySuspended");
  return advanced(withJob(state, { ...job, suspendedAt: at, updatedAt: at }));
}

function resume<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
  const { suspendedAt, ...job } = state.job;
  if (isTerminalJob(job.status)) return ignored(state, "jobEnded");
  if (suspendedAt === undefined) return ignored(state, "notSuspended");
  const task = currentTask(state);
  const next: Job<S> = { ...job, updatedAt: at };
  if (task.actualStatus !== "pending") return advanced(withJob(state, next));
  const startable: Task = { ...task, updatedAt: at };
  return advanced(withTask(state, next, startable), [startEffect(startable)]);
}

function passTime<S extends JobPolicy>(state: JobState<S>, at: Instant): Transition<S> {
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

function endedTask(
  task: Task,
  ending: {
    readonly status: "stopped" | "failed" | "removed";
    readonly exitCode?: number | undefined;
    readonly reason?: Task["failureReason"] | undefined;
    readonly at: Instant;
  },
): Task {
  const { status, exitCode, reason, at } = ending;
  const ended: Mutable<Task> = { ...task, actualStatus: status, updatedAt: at, finishedAt: at };
  if (exitCode !== undefined) ended.exitCode = exitCode;
  if (reason !== undefined) ended.failureReason = reason;
  return ended;
}

function otherTask(job: Job<JobPolicy>, taskId: string): "taskOver" | "unknownTask" {
  return job.taskIds.includes(taskId) ? "taskOver" : "unknownTask";
}

function withJob<S extends JobPolicy>(state: JobState<S>, job: Job<S>): JobState<S> {
  return { v: 1, job, tasks: state.tasks };
}

/** The current task replaced; those before it are the same objects as before. */
function withTask<S extends JobPolicy>(state: JobState<S>, job: Job<S>, task: Task): JobState<S> {
  const tasks = [...state.tasks];
  tasks[tasks.length - 1] = task;
  return { v: 1, job, tasks };
}
