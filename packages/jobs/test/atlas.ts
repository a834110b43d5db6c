import {
  createJob,
  type FailureReason,
  type Instant,
  type Job,
  type JobEvent,
  type JobPolicy,
  type JobSpec,
  type JobState,
  type Task,
  type Transition,
  transitionJob,
} from "../src/index.ts";

/** 2026-10-13, UTC, at a time such as "09:05" or "09:05:30". */
export function at(time: string): Instant {
  return Date.parse(`2026-10-13T${time.length === 5 ? `${time}:00` : time}Z`);
}

/** The Job `atlas-report` in `default`, created at 09:00 with task `t1`. */
export function atlas(spec: Partial<JobSpec> = {}): JobState {
  return createJob(
    { name: "atlas-report", image: "busybox:1.36", ...spec },
    { jobId: "j1", namespace: "default", now: at("09:00"), taskId: "t1" },
  ).state;
}

export const assigned = (time: string, taskId = "t1", nodeId = "a"): JobEvent => ({
  type: "taskAssigned",
  at: at(time),
  taskId,
  nodeId,
});

export const running = (time: string, taskId = "t1", containerId?: string): JobEvent => ({
  type: "taskReported",
  at: at(time),
  taskId,
  status: "running",
  ...(containerId === undefined ? {} : { containerId }),
});

export const healthy = (time: string, taskId = "t1"): JobEvent => ({
  type: "taskReported",
  at: at(time),
  taskId,
  status: "healthy",
});

export const stopped = (time: string, exitCode: number, taskId = "t1"): JobEvent => ({
  type: "taskReported",
  at: at(time),
  taskId,
  status: "stopped",
  exitCode,
});

export const failed = (
  time: string,
  more: { taskId?: string; exitCode?: number; reason?: FailureReason } = {},
): JobEvent => ({
  type: "taskReported",
  at: at(time),
  taskId: "t1",
  status: "failed",
  ...more,
});

export const gone = (time: string, taskId = "t1"): JobEvent => ({
  type: "taskReported",
  at: at(time),
  taskId,
  status: "removed",
});

export const ask = (
  type: Exclude<JobEvent["type"], "taskAssigned" | "taskReported">,
  time: string,
): JobEvent => ({ type, at: at(time) });

/** One event; the next task is `t2`, then `t3`, and so on. */
export function step<S extends JobPolicy>(state: JobState<S>, event: JobEvent): Transition<S> {
  return transitionJob(state, event, { nextTaskId: `t${state.tasks.length + 1}` });
}

/** The state after all these events; each must leave one. */
export function after<S extends JobPolicy>(
  state: JobState<S>,
  ...events: readonly JobEvent[]
): JobState<S> {
  return events.reduce((before, event) => {
    const { state: next } = step(before, event);
    if (next === undefined) throw new Error(`no state is left after ${event.type}`);
    return next;
  }, state);
}

export function jobAfter<S extends JobPolicy>(
  state: JobState<S>,
  ...events: readonly JobEvent[]
): Job<S> {
  return after(state, ...events).job;
}

export function taskOf(state: JobState<JobPolicy>, id: string): Task {
  const task = state.tasks.find((candidate) => candidate.id === id);
  if (task === undefined) throw new Error(`no task ${id}`);
  return task;
}
