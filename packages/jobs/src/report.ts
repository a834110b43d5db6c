import { checkText } from "./argument.ts";
import { newTask } from "./create.ts";
import { startEffect } from "./effect.ts";
import { endedTask, finishAfterEnd } from "./ending.ts";
import { TransitionError } from "./errors.ts";
import type { TaskBeginning, TaskEnding, TaskReport } from "./event.ts";
import {
  copyJob,
  copyLiveTask,
  currentTask,
  type Instant,
  isTerminalJob,
  type JobState,
  type Task,
  withTask,
} from "./job.ts";
import { advanced, ignored, type Transition } from "./outcome.ts";
import { judgeFailure, retryDelaySeconds } from "./retry.ts";
import { problem } from "./shape.ts";
import type { JobPolicy } from "./spec.ts";

/** A live task moves only forward along these. */
const rank = { pending: 0, assigned: 1, running: 2, healthy: 3 } as const;

/** What a report on the live task means for it and its Job (J3). */
export function receive<S extends JobPolicy>(
  state: JobState<S>,
  report: TaskReport,
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
      return isTerminalJob(state.job.status)
        ? finishAfterEnd(state, report, at)
        : finish(state, report, at, nextTaskId);
  }
}

/** `running` and `healthy`: the work has begun. */
function begin<S extends JobPolicy>(
  state: JobState<S>,
  report: TaskBeginning,
  at: Instant,
): Transition<S> {
  const task = currentTask(state);
  if (isTerminalJob(state.job.status)) return ignored(state, "jobEnded");
  if (rank[report.status] <= rank[task.actualStatus as keyof typeof rank]) {
    return ignored(state, "notForward");
  }
  const job = copyJob(state.job);
  job.status = "running";
  job.updatedAt = at;
  const begun = copyLiveTask(task);
  begun.actualStatus = report.status;
  begun.updatedAt = at;
  begun.startedAt ??= at;
  if (report.containerId !== undefined) begun.containerId = report.containerId;
  return advanced(withTask(state, job, begun));
}

/** `stopped`, `failed` and `removed`: the task has ended, and with it perhaps the Job (J3). */
function finish<S extends JobPolicy>(
  state: JobState<S>,
  report: TaskEnding,
  at: Instant,
  nextTaskId: string | undefined,
): Transition<S> {
  // A task that vanished while its Job was not over reads as failed with code 1.
  const read = report.status === "removed" ? ({ status: "failed" } as const) : report;
  const ended = endedTask(currentTask(state), read, at);
  const job = copyJob(state.job);
  job.lastExitCode = ended.exitCode as number;
  job.updatedAt = at;
  if (read.status === "stopped" && read.exitCode === 0) {
    job.status = "succeeded";
    job.completedAt = at;
    return advanced(withTask(state, job, ended));
  }
  const verdict = judgeFailure(state.job, ended, at);
  if (verdict.retry === false) {
    job.status = "failed";
    job.reason = verdict.reason;
    job.completedAt = at;
    return advanced(withTask(state, job, ended));
  }
  const isCounted = verdict.retry === "counted";
  const next = retryTask(state, isCounted, at, nextTaskId);
  job.status = "pending";
  if (isCounted) job.attempts += 1;
  else job.ignoredFailures += 1;
  job.taskIds = [...job.taskIds, next.id];
  const tasks = [...state.tasks.slice(0, -1), ended, next];
  return advanced(
    { v: 1, job, tasks },
    job.suspendedAt === undefined ? [startEffect(next)] : undefined,
  );
}

/** The task to append; the one before stays as it was (J4). */
function retryTask(
  { job, tasks }: JobState<JobPolicy>,
  isCounted: boolean,
  at: Instant,
  nextTaskId: string | undefined,
): Task {
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
  const delaySeconds = isCounted
    ? retryDelaySeconds(job.spec.backoff, { failures: job.attempts, jobId: job.id })
    : 0;
  return newTask({
    id,
    jobId: job.id,
    restartCount: tasks.length,
    now: at,
    notBefore: delaySeconds > 0 ? at + Math.round(delaySeconds * 1000) : undefined,
  });
}
