import {
  exitCode,
  failureReason,
  failureReasons,
  instant,
  MAX_CODE,
  MAX_INSTANT,
  MIN_CODE,
} from "./bounds.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { TransitionError } from "./errors.ts";
import type { FailureReason, Instant } from "./job.ts";
import { copyJson, map, type Shape, text, variant } from "./shape.ts";

/** The work of a task has begun. */
export interface TaskBeginning {
  readonly status: "running" | "healthy";
  readonly containerId?: string | undefined;
}

/** A task has ended. */
export type TaskEnding =
  | { readonly status: "stopped"; readonly exitCode: number }
  | {
      readonly status: "failed";
      readonly exitCode?: number | undefined;
      readonly reason?: FailureReason | undefined;
    }
  | { readonly status: "removed" };

/** What happened to a task, as its reporter saw it (J3). */
export type TaskReport = TaskBeginning | TaskEnding;

/** Something that may move a Job on; `at` is the instant at which it is accepted. */
export type JobEvent = { readonly at: Instant } & (
  | { readonly type: "taskAssigned"; readonly taskId: string; readonly nodeId: string }
  | ({ readonly type: "taskReported"; readonly taskId: string } & TaskReport)
  | {
      readonly type:
        | "cancelRequested"
        | "deleteRequested"
        | "suspendRequested"
        | "resumeRequested"
        | "timeReached";
    }
);

const eventShape: Shape = /* @__PURE__ */ shapeOfEvent();

function shapeOfEvent(): Shape {
  const head = { at: instant, type: text };
  const request = map(head);
  const report = { ...head, taskId: text, status: text };
  const begun = map(report, { containerId: text });
  return variant("type", {
    taskAssigned: map({ ...head, taskId: text, nodeId: text }),
    taskReported: variant("status", {
      running: begun,
      healthy: begun,
      stopped: map(report, { exitCode }),
      failed: map(report, { exitCode, reason: failureReason }),
      removed: map(report),
    }),
    cancelRequested: request,
    deleteRequested: request,
    suspendRequested: request,
    resumeRequested: request,
    timeReached: request,
  });
}

/** Whether this is an event at all; cheap, since it runs before each transition. */
export function isJobEvent(event: JobEvent): boolean {
  if (typeof event !== "object" || event === null) return false;
  if (!Number.isInteger(event.at) || Math.abs(event.at) > MAX_INSTANT) return false;
  switch (event.type) {
    case "taskAssigned":
      return isText(event.taskId) && isText(event.nodeId);
    case "taskReported":
      return isText(event.taskId) && isReport(event);
    case "cancelRequested":
    case "deleteRequested":
    case "suspendRequested":
    case "resumeRequested":
    case "timeReached":
      return true;
    default:
      return false;
  }
}

function isReport(report: TaskReport): boolean {
  switch (report.status) {
    case "running":
    case "healthy":
      return report.containerId === undefined || isText(report.containerId);
    case "stopped":
      return isExitCode(report.exitCode);
    case "failed":
      return (
        (report.exitCode === undefined || isExitCode(report.exitCode)) &&
        (report.reason === undefined || failureReasons.includes(report.reason))
      );
    case "removed":
      return true;
    default:
      return false;
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isExitCode(value: number): boolean {
  return Number.isInteger(value) && value >= MIN_CODE && value <= MAX_CODE;
}

/**
 * The event that untyped data holds. A `stopped` report without an exit code reads as 0: it claims
 * an ordinary end; a `failed` one without stays without and counts as 1 (J3).
 * Throws a `TransitionError` with every problem; unknown members are refused, not dropped.
 */
export function parseJobEvent(value: unknown): JobEvent {
  const problems: Diagnostic[] = [];
  const copy = copyJson(value, "", problems);
  if (problems.length === 0) eventShape(copy, "", problems);
  if (problems.length > 0) throw new TransitionError(problems);
  const event = copy as JobEvent;
  if (event.type !== "taskReported" || event.status !== "stopped") return event;
  return { ...event, exitCode: event.exitCode ?? 0 };
}
