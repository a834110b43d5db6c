import { exitCode, failureReason, instant } from "./bounds.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { StateError } from "./errors.ts";
import { isTerminalJob, isTerminalTask, type JobState, type Task } from "./job.ts";
import { copyJson, list, map, number, oneOf, problem, type Shape, text } from "./shape.ts";
import { type JobPolicy, type JobSpec, specShape } from "./spec.ts";

const versioned: Shape = /* @__PURE__ */ map({ v: any }, {}, true);
const stateShape: Shape = /* @__PURE__ */ shapeOfState();

function shapeOfState(): Shape {
  return map({ v: any, job: shapeOfJob(), tasks: list(shapeOfTask(), 1) });
}

function shapeOfJob(): Shape {
  const count = number(0, Number.MAX_SAFE_INTEGER);
  return map(
    {
      id: text,
      namespace: text,
      spec: specShape,
      status: oneOf(["pending", "running", "succeeded", "failed", "cancelled"]),
      attempts: count,
      ignoredFailures: count,
      taskIds: list(text, 1),
      createdAt: instant,
      updatedAt: instant,
    },
    {
      lastExitCode: exitCode,
      reason: oneOf(["backoffLimit", "failurePolicy", "deadlineExceeded"]),
      suspendedAt: instant,
      deletedAt: instant,
      completedAt: instant,
    },
  );
}

function shapeOfTask(): Shape {
  return map(
    {
      id: text,
      jobId: text,
      actualStatus: oneOf([
        "pending",
        "assigned",
        "running",
        "healthy",
        "stopped",
        "failed",
        "removed",
      ]),
      desiredStatus: oneOf(["running", "removed"]),
      restartCount: number(0, Number.MAX_SAFE_INTEGER),
      createdAt: instant,
      updatedAt: instant,
    },
    {
      nodeId: text,
      containerId: text,
      exitCode,
      failureReason,
      notBefore: number(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      startedAt: instant,
      finishedAt: instant,
    },
  );
}

/** Anything that is there: its value is checked elsewhere. */
function any(): void {}

/**
 * The state that stored data holds, checked member by member and against the laws of J10, so that
 * nothing is decided on a broken one. Of a spec, the policy part is checked, the rest is kept.
 * Throws a `StateError` with every problem; for an unknown `v` it names the known ones.
 */
export function parseJobState<S extends JobPolicy = JobSpec>(value: unknown): JobState<S> {
  const problems: Diagnostic[] = [];
  const copy = copyJson(value, "", problems);
  const check = (step: () => void): void => {
    if (problems.length === 0) step();
    if (problems.length > 0) throw new StateError(problems);
  };
  check(() => versioned(copy, "", problems));
  check(() => checkVersion((copy as { v: unknown }).v, problems));
  check(() => stateShape(copy, "", problems));
  const state = copy as JobState<S>;
  check(() => checkInvariants(state, problems));
  return state;
}

function checkVersion(v: unknown, problems: Diagnostic[]): void {
  if (v === 1) return;
  problems.push(
    problem("version.unsupported", "/v", "this version of job state is not known", {
      found: JSON.stringify(v),
      allowed: ["1"],
      help: "known versions: 1; newer data needs a newer release",
    }),
  );
}

/** The laws that a state by itself can break (J10). */
function checkInvariants({ job, tasks }: JobState<JobPolicy>, problems: Diagnostic[]): void {
  const law = (holds: boolean, pointer: string, message: string): void => {
    if (!holds) problems.push(problem("state.invariant", pointer, message));
  };
  const current = tasks[tasks.length - 1] as Task;
  const isOver = isTerminalJob(job.status);
  const isLive = !isTerminalTask(current.actualStatus);
  const hasBegun = current.actualStatus === "running" || current.actualStatus === "healthy";
  const limit = (job.spec.backoffLimit ?? 0) + 1;
  const maxIgnored = job.spec.failurePolicy?.maxIgnored ?? 10;

  law(job.attempts >= 1 && job.attempts <= limit, "/job/attempts", `must be from 1 to ${limit}`);
  law(job.ignoredFailures <= maxIgnored, "/job/ignoredFailures", `must be at most ${maxIgnored}`);
  law(
    job.taskIds.length === job.attempts + job.ignoredFailures,
    "/job/taskIds",
    "must be as many as attempts and ignored failures together",
  );
  law(new Set(job.taskIds).size === job.taskIds.length, "/job/taskIds", "must be unique");
  law(
    tasks.length === job.taskIds.length &&
      tasks.every(
        (task, i) => task.id === job.taskIds[i] && task.jobId === job.id && task.restartCount === i,
      ),
    "/tasks",
    "must be the Job's own, in the order of taskIds",
  );
  law(
    tasks.every((task) => task === current || isTerminalTask(task.actualStatus)),
    "/tasks",
    "only the last may be live",
  );
  law(isOver || isLive, "/tasks", "a Job that has not ended has a live task");
  law(
    isOver || (job.status === "running") === hasBegun,
    "/job/status",
    "must be running when, and only when, its task is",
  );
  law(
    (job.completedAt !== undefined) === isOver,
    "/job/completedAt",
    "must be set when, and only when, the Job has ended",
  );
  law(
    (job.reason !== undefined) === (job.status === "failed"),
    "/job/reason",
    "must be set when, and only when, the Job has failed",
  );
  law(
    job.status !== "succeeded" || (current.actualStatus === "stopped" && current.exitCode === 0),
    "/job/status",
    "a Job succeeds by a task that stopped with exit code 0",
  );
  law(
    job.deletedAt === undefined || (isOver && isLive),
    "/job/deletedAt",
    "a Job that is being deleted has ended and has a live task",
  );
}
