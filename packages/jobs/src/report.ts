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
  isTerminalTask,
  type Job,
  type JobState,
  type Task,
  withTask,
} from "./job.ts";
import { advanced, ignored, type Transition } from "./outcome.ts";
import { judgeFailure, retryDelaySeconds } from "./retry.ts";
import { problem } from "./shape.ts";
import type { JobPolicy } from "./spec.ts";

type Of<Report> = Report & { readonly taskId: string };

/** A live task moves only forward along these. */
const rank = { pending: 0, assigned: 1, running: 2, healthy: 3 } as const;

/** What a report means for the task and its Job (J3). */
export function receive<S extends JobPolicy>(
  state: JobState<S>,
  report: Of<TaskReport>,
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

/** `running` and `healthy`: the work has begun. */
function begin<S extends JobPolicy>(
  state: JobState<S>,
  report: Of<TaskBeginning>,
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
  const next = copyJob(job);
  next.status = "running";
  next.updatedAt = at;
  const begun = copyLiveTask(task);
  begun.actualStatus = report.status;
  begun.updatedAt = at;
  begun.startedAt ??= at;
  if (report.containerId !== undefined) begun.containerId = report.containerId;
  return advanced(withTask(state, next, begun));
}

/** `stopped`, `failed` and `removed`: the task has ended, and with it perhaps the Job (J3). */
function finish<S extends JobPolicy>(
  state: JobState<S>,
  report: Of<TaskEnding>,
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
  const next = copyJob(job);
  next.lastExitCode = exitCode;
  next.updatedAt = at;
  if (status === "stopped" && exitCode === 0) {
    next.status = "succeeded";
    next.completedAt = at;
    return advanced(withTask(state, next, ended));
  }
  const verdict = judgeFailure(job, { exitCode, reason, at });
  if (verdict.retry === false) {
    next.status = "failed";
    next.reason = verdict.reason;
    next.completedAt = at;
    return advanced(withTask(state, next, ended));
  }
  const retried = retryTask(state, verdict.retry, at, nextTaskId);
  next.status = "pending";
  if (verdict.retry === "counted") next.attempts += 1;
  else next.ignoredFailures += 1;
  next.taskIds = [...job.taskIds, retried.id];
  const tasks = [...state.tasks.slice(0, -1), ended, retried];
  return advanced(
    { v: 1, job: next, tasks },
    job.suspendedAt === undefined ? [startEffect(retried)] : [],
  );
}

/** The task to append; the one before stays as it was (J4). */
function retryTask(
  { job, tasks }: JobState<JobPolicy>,
  kind: "counted" | "ignored",
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
  const delaySeconds =
    kind === "counted"
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

/** Why a report on a task that is not the current one is ignored. */
export function otherTask(job: Job<JobPolicy>, taskId: string): "taskOver" | "unknownTask" {
  return job.taskIds.includes(taskId) ? "taskOver" : "unknownTask";
}
