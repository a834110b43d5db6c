import type { Diagnostic } from "./diagnostic.ts";
import { TransitionError } from "./errors.ts";
import type { FailureReason, Instant } from "./job.ts";
import { copyJson, map, number, oneOf, type Shape, text, variant } from "./shape.ts";

/** What happened to a task, as its reporter saw it (J3). */
export type TaskReport =
  | { readonly status: "running" | "healthy"; readonly containerId?: string | undefined }
  | { readonly status: "stopped"; readonly exitCode: number }
  | {
      readonly status: "failed";
      readonly exitCode?: number | undefined;
      readonly reason?: FailureReason | undefined;
    }
  | { readonly status: "removed" };

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

const MAX_INSTANT = 8_640_000_000_000_000;

export const instant: Shape = number(-MAX_INSTANT, MAX_INSTANT);
export const exitCode: Shape = number(-0x8000_0000, 0xffff_ffff);
export const failureReason: Shape = oneOf([
  "nodeLost",
  "outOfMemory",
  "neverStarted",
  "deadlineExceeded",
  "engineError",
  "unknown",
]);

const head = { at: instant, type: text };
const request = map(head);
const report = { ...head, taskId: text, status: text };
const begun = map(report, { containerId: text });

const eventShape = variant("type", {
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

/** A quick look at what types alone cannot hold; only what fails it is checked member by member. */
export function checkEvent(event: JobEvent): void {
  if (Number.isSafeInteger(event.at) && isKnown(event)) return;
  const problems: Diagnostic[] = [];
  eventShape(event, "", problems);
  if (problems.length > 0) throw new TransitionError(problems);
}

function isKnown(event: JobEvent): boolean {
  switch (event.type) {
    case "taskAssigned":
      return typeof event.nodeId === "string" && event.nodeId !== "";
    case "taskReported":
      return isKnownReport(event);
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

function isKnownReport(report: TaskReport): boolean {
  switch (report.status) {
    case "running":
    case "healthy":
    case "removed":
      return true;
    case "stopped":
      return Number.isInteger(report.exitCode);
    default:
      return false;
  }
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
