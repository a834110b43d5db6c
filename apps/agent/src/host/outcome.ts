import type { TaskReport } from "@mesh/protocol";
import type { Exit } from "../engine/engine.ts";
import { isEngineError, messageOf } from "../engine/engine-error.ts";

export type FailureReason = NonNullable<Extract<TaskReport, { status: "failed" }>["reason"]>;

/** How a container's run ended: with a code of its own, or as a failure with its reason (A8). */
export type RunEnd =
  | { readonly kind: "code"; readonly exitCode: number; readonly message?: string }
  | {
      readonly kind: "failure";
      readonly reason: FailureReason;
      readonly exitCode?: number;
      readonly message?: string;
    };

/** A message or output is at most this long on the link. */
export const TEXT_LIMIT = 4096;

/**
 * What an exit means. A container that ran out of memory failed whatever its code says, since the
 * kernel may have killed only a child; an end that nobody saw is never read as success (A8).
 */
export function runEndOf(exit: Exit): RunEnd {
  if (exit.kind === "unknown") return failure("unknown", exit.message);
  if (!exit.outOfMemory) return { kind: "code", exitCode: exit.exitCode };
  return { ...failure("outOfMemory", "memory ran out"), exitCode: exit.exitCode };
}

/** A start that did not come about, as the end of its run. */
export function runEndOfError(error: unknown): RunEnd {
  const away = isEngineError(error) && error.code === "unavailable";
  const reason = away ? "engineError" : "neverStarted";
  return failure(reason, messageOf(error));
}

export function failure(
  reason: FailureReason,
  message: string,
): Extract<RunEnd, { kind: "failure" }> {
  return { kind: "failure", reason, message: message.slice(0, TEXT_LIMIT) };
}

/** Whether the run did what it was to do. */
export function isSuccess(end: RunEnd): boolean {
  return end.kind === "code" && end.exitCode === 0;
}

/** A run's end as a task's report: `stopped` with a code, or `failed` with a reason (J3, A8). */
export function taskReportOf(end: RunEnd): TaskReport {
  if (end.kind === "code") return { status: "stopped", exitCode: end.exitCode };
  const { kind: _, ...rest } = end;
  return { status: "failed", ...rest };
}

export function taskEndOf(exit: Exit): TaskReport {
  return taskReportOf(runEndOf(exit));
}
