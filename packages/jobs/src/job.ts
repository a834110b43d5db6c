import type { JobPolicy, JobSpec } from "./spec.ts";

/** Epoch milliseconds, UTC: a whole number in the range of `Date`. */
export type Instant = number;

export type JobStatus = "pending" | "running" | "succeeded" | "failed" | "cancelled";

export type TaskStatus =
  | "pending"
  | "assigned"
  | "running"
  | "healthy"
  | "stopped"
  | "failed"
  | "removed";

/** Why a Job is `failed`. */
export type JobReason = "backoffLimit" | "failurePolicy" | "deadlineExceeded";

/** Why a task is `failed`, as far as its reporter knows. */
export type FailureReason =
  | "nodeLost"
  | "outOfMemory"
  | "neverStarted"
  | "deadlineExceeded"
  | "engineError"
  | "unknown";

/** A finite piece of work and how far it has come; `spec` never changes. */
export interface Job<S extends JobPolicy = JobSpec> {
  readonly id: string;
  readonly namespace: string;
  readonly spec: S;
  readonly status: JobStatus;
  /** Counted attempts, the current one included: 1 to `backoffLimit` + 1 (J4). */
  readonly attempts: number;
  /** Failures that the policy ignored: at most `maxIgnored` (J7). */
  readonly ignoredFailures: number;
  /** One for each task, oldest first; `attempts + ignoredFailures` many. */
  readonly taskIds: readonly string[];
  readonly lastExitCode?: number;
  readonly reason?: JobReason;
  readonly suspendedAt?: Instant;
  readonly deletedAt?: Instant;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly completedAt?: Instant;
}

/** One attempt at a Job's work; once it has ended it never changes. */
export interface Task {
  readonly id: string;
  readonly jobId: string;
  readonly actualStatus: TaskStatus;
  readonly desiredStatus: "running" | "removed";
  readonly nodeId?: string;
  readonly containerId?: string;
  /** Number of tasks before this one. */
  readonly restartCount: number;
  readonly exitCode?: number;
  readonly failureReason?: FailureReason;
  /** Not to be assigned before this instant (J6). */
  readonly notBefore?: Instant;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly startedAt?: Instant;
  readonly finishedAt?: Instant;
}

/** All that is stored of a Job; plain JSON, read back with `parseJobState`. */
export interface JobState<S extends JobPolicy = JobSpec> {
  readonly v: 1;
  readonly job: Job<S>;
  /** In the order of `job.taskIds`; only the last can be live. */
  readonly tasks: readonly Task[];
}

/** True for a Job that has ended: its status never changes again (J10). */
export function isTerminalJob(status: JobStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "cancelled";
}

/** True for a task that has ended; the others are live. */
export function isTerminalTask(status: TaskStatus): boolean {
  return status === "stopped" || status === "failed" || status === "removed";
}

/** The newest task, of which every Job has one: no other can be live (J10). */
export function currentTask(state: JobState<JobPolicy>): Task {
  return state.tasks[state.tasks.length - 1] as Task;
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A copy to be changed. Member by member, since engines add members to a spread object about a
 * hundred times more slowly than to this one.
 */
export function copyJob<S extends JobPolicy>(job: Job<S>): Mutable<Job<S>> {
  const copy: Mutable<Job<S>> = {
    id: job.id,
    namespace: job.namespace,
    spec: job.spec,
    status: job.status,
    attempts: job.attempts,
    ignoredFailures: job.ignoredFailures,
    taskIds: job.taskIds,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
  };
  if (job.lastExitCode !== undefined) copy.lastExitCode = job.lastExitCode;
  if (job.reason !== undefined) copy.reason = job.reason;
  if (job.suspendedAt !== undefined) copy.suspendedAt = job.suspendedAt;
  if (job.deletedAt !== undefined) copy.deletedAt = job.deletedAt;
  if (job.completedAt !== undefined) copy.completedAt = job.completedAt;
  return copy;
}

/** A copy of a live task, to be changed: it has neither outcome nor end. */
export function copyLiveTask(task: Task): Mutable<Task> {
  const copy: Mutable<Task> = {
    id: task.id,
    jobId: task.jobId,
    actualStatus: task.actualStatus,
    desiredStatus: task.desiredStatus,
    restartCount: task.restartCount,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
  };
  if (task.notBefore !== undefined) copy.notBefore = task.notBefore;
  if (task.nodeId !== undefined) copy.nodeId = task.nodeId;
  if (task.containerId !== undefined) copy.containerId = task.containerId;
  if (task.startedAt !== undefined) copy.startedAt = task.startedAt;
  return copy;
}

/** The same tasks under a Job that has changed. */
export function withJob<S extends JobPolicy>(state: JobState<S>, job: Job<S>): JobState<S> {
  return { v: 1, job, tasks: state.tasks };
}

/** The current task replaced; those before it are the same objects as before. */
export function withTask<S extends JobPolicy>(
  state: JobState<S>,
  job: Job<S>,
  task: Task,
): JobState<S> {
  const tasks = state.tasks.slice();
  tasks[tasks.length - 1] = task;
  return { v: 1, job, tasks };
}
