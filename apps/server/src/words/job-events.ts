import {
  explainJobReason,
  isTerminalJob,
  isTerminalTask,
  type JobState,
  type Task,
} from "@mesh/jobs";
import { secondText } from "../instants.ts";
import type { NewEvent } from "../store/records.ts";

/** What to tell of a Job's way from `before` to `after`, which is absent once it is removed. */
export function jobEvents(
  before: JobState,
  after: JobState | undefined,
  options: { message?: string | undefined } = {},
): NewEvent[] {
  if (after === undefined)
    return [told(before, "job.removed", "is removed: nothing of it is live")];
  const known = new Map(before.tasks.map((task) => [task.id, task]));
  const events: NewEvent[] = [];
  for (const [index, task] of after.tasks.entries()) {
    const old = known.get(task.id);
    const attempt = index + 1;
    if (old === undefined) events.push(retried(after, task, attempt));
    else events.push(...taskEvents(after, old, { task, attempt, message: options.message }));
  }
  return [...events, ...statusEvents(before, after)];
}

export function jobCreated(state: JobState): NewEvent {
  return told(state, "job.created", `is created: ${state.job.spec.image}`);
}

/** Why the task has no node, told once for each change of the reason. */
export function unplacedEvent(state: JobState, why: string): NewEvent {
  return told(state, "attempt.waiting", `waits for a node: ${why}`);
}

function taskEvents(
  state: JobState,
  old: Task,
  now: { task: Task; attempt: number; message: string | undefined },
): NewEvent[] {
  const { task, attempt, message } = now;
  const data = { taskId: task.id, attempt, ...nodeOf(task) };
  if (old.actualStatus === task.actualStatus) {
    if (old.desiredStatus === task.desiredStatus) return [];
    return [told(state, "attempt.stopping", `: attempt ${attempt} is asked to stop`, data)];
  }
  switch (task.actualStatus) {
    case "assigned":
      return [
        told(state, "attempt.placed", `: attempt ${attempt} goes to node ${task.nodeId}`, data),
      ];
    case "running":
    case "healthy": {
      if (old.actualStatus === "running") return [];
      const where = task.nodeId === undefined ? "" : ` on node ${task.nodeId}`;
      return [told(state, "attempt.started", `: attempt ${attempt} runs${where}`, data)];
    }
    default: {
      if (!isTerminalTask(task.actualStatus)) return [];
      const end = `: attempt ${attempt} ${endText(task, message)}`;
      return [told(state, "attempt.ended", end, { ...data, ...endData(task) })];
    }
  }
}

function endText(task: Task, message: string | undefined): string {
  const detail = message === undefined ? "" : `: ${message}`;
  if (task.actualStatus === "removed") return "is gone";
  const code = task.exitCode === undefined ? "" : ` with code ${task.exitCode}`;
  if (task.actualStatus === "stopped") return `exited${code}${detail}`;
  const reason = task.failureReason === undefined ? "" : ` (${task.failureReason})`;
  return `failed${code}${reason}${detail}`;
}

function endData(task: Task): Record<string, unknown> {
  return {
    status: task.actualStatus,
    ...(task.exitCode === undefined ? {} : { exitCode: task.exitCode }),
    ...(task.failureReason === undefined ? {} : { failureReason: task.failureReason }),
  };
}

function retried(state: JobState, task: Task, attempt: number): NewEvent {
  const { attempts, spec } = state.job;
  const when = task.notBefore === undefined ? "now" : `at ${secondText(task.notBefore)}`;
  const most = (spec.backoffLimit ?? 0) + 1;
  // An ignored failure is followed by an attempt that does not count (J7).
  const counted = attempt === attempts ? "" : `, counted as ${attempts}`;
  const text = `is tried again ${when}: attempt ${attempt}${counted} of at most ${most}`;
  return told(state, "job.retried", text, { taskId: task.id, attempt });
}

function statusEvents(before: JobState, after: JobState): NewEvent[] {
  const { job } = after;
  const events: NewEvent[] = [];
  if (before.job.suspendedAt === undefined && job.suspendedAt !== undefined) {
    events.push(told(after, "job.suspended", "is suspended: nothing more is started"));
  } else if (before.job.suspendedAt !== undefined && job.suspendedAt === undefined) {
    events.push(told(after, "job.resumed", "is resumed"));
  }
  if (before.job.deletedAt === undefined && job.deletedAt !== undefined) {
    events.push(told(after, "job.deleted", "is deleted; its container is still to stop"));
  } else if (before.job.status !== job.status && isTerminalJob(job.status)) {
    events.push(ended(after));
  }
  return events;
}

function ended(state: JobState): NewEvent {
  const { job } = state;
  const exit = job.lastExitCode === undefined ? {} : { exitCode: job.lastExitCode };
  const many = job.taskIds.length === 1 ? "1 attempt" : `${job.taskIds.length} attempts`;
  switch (job.status) {
    case "succeeded":
      return told(state, "job.succeeded", `succeeded after ${many}`, exit);
    case "cancelled":
      return told(state, "job.cancelled", "is cancelled");
    default: {
      const why = job.reason === undefined ? "" : `: ${explainJobReason(job.reason)}`;
      const data = { ...exit, ...(job.reason === undefined ? {} : { reason: job.reason }) };
      return told(state, "job.failed", `failed after ${many}${why}`, data);
    }
  }
}

function told(
  state: JobState,
  type: string,
  predicate: string,
  data: Record<string, unknown> = {},
): NewEvent {
  const { id, namespace, spec } = state.job;
  return {
    type,
    subject: { kind: "job", namespace, name: spec.name },
    message: `Job ${namespace}/${spec.name}${predicate.startsWith(":") ? "" : " "}${predicate}`,
    data: { jobId: id, ...data },
  };
}

function nodeOf(task: Task): { node?: string } {
  return task.nodeId === undefined ? {} : { node: task.nodeId };
}
