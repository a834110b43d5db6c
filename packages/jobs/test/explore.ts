import {
  createJob,
  type Instant,
  type JobEvent,
  type JobPolicy,
  type JobState,
  type Transition,
  transitionJob,
} from "../src/index.ts";

type State = JobState<JobPolicy>;

const START = Date.UTC(2026, 9, 13, 9);
const SECOND = 1000;

const ignoreLost = {
  rules: [
    { action: "Ignore", onReasons: ["nodeLost"] },
    { action: "Fail", onExitCodes: { in: [2] } },
  ],
  maxIgnored: 1,
} as const;

export type Policy = Omit<JobPolicy, "name">;

/** Policies that between them turn on every rule. */
export const policies: readonly Policy[] = [
  {},
  { backoffLimit: 1 },
  { backoffLimit: 1, failurePolicy: ignoreLost },
  { backoffLimit: 1, backoff: { kind: "Constant", delaySeconds: 1 } },
  { backoffLimit: 1, activeDeadlineSeconds: 1 },
  { ttlSecondsAfterFinished: 0, activeDeadlineSeconds: 1 },
  {
    backoffLimit: 1,
    backoff: { kind: "Constant", delaySeconds: 1 },
    activeDeadlineSeconds: 2,
    ttlSecondsAfterFinished: 1,
    failurePolicy: ignoreLost,
  },
];

/** Everything that can be said about a state: on time, too early, late, twice, of any task. */
function* eventsAt(state: State, spanSeconds: number): Generator<JobEvent> {
  const { updatedAt, taskIds } = state.job;
  const last = START + spanSeconds * SECOND;
  const times = new Set([updatedAt - SECOND, updatedAt, Math.min(updatedAt + SECOND, last)]);
  for (const at of times) {
    for (const taskId of [...taskIds, "unknown"]) yield* eventsOf(taskId, at);
    yield { type: "cancelRequested", at };
    yield { type: "deleteRequested", at };
    yield { type: "suspendRequested", at };
    yield { type: "resumeRequested", at };
    yield { type: "timeReached", at };
  }
}

function* eventsOf(taskId: string, at: Instant): Generator<JobEvent> {
  const report = { type: "taskReported", at, taskId } as const;
  yield { type: "taskAssigned", at, taskId, nodeId: "a" };
  yield { type: "taskAssigned", at, taskId, nodeId: "b" };
  yield { ...report, status: "running" };
  yield { ...report, status: "healthy" };
  for (const exitCode of [0, 1, 2]) yield { ...report, status: "stopped", exitCode };
  yield { ...report, status: "failed" };
  yield { ...report, status: "failed", exitCode: 0, reason: "nodeLost" };
  yield { ...report, status: "removed" };
}

/**
 * What of a state its future depends on. States that agree in this are the same place: node names,
 * exit codes and the times of what is over are recorded, but no rule reads them again.
 */
function placeOf({ job, tasks }: State): string {
  const { status, attempts, ignoredFailures, reason, updatedAt, completedAt } = job;
  const current = tasks.at(-1);
  return JSON.stringify([
    [status, attempts, ignoredFailures, reason, updatedAt, completedAt],
    [job.suspendedAt !== undefined, job.deletedAt !== undefined],
    [current?.actualStatus, current?.desiredStatus, current?.notBefore, current?.updatedAt],
  ]);
}

/**
 * Every state that any interleaving of these events leads to; `visit` sees each step from each.
 * Time goes on for `spanSeconds`, second by second. Answers with how many states there are.
 */
export function explore(
  policy: Policy,
  visit: (before: State, event: JobEvent, step: Transition<JobPolicy>) => void,
  spanSeconds = 3,
): number {
  const { state } = createJob(
    { name: "atlas-report", ...policy },
    { jobId: "j", namespace: "default", now: START },
  );
  const seen = new Set([placeOf(state)]);
  const open: State[] = [state];
  for (let before = open.pop(); before !== undefined; before = open.pop()) {
    for (const event of eventsAt(before, spanSeconds)) {
      const step = transitionJob(before, event);
      visit(before, event, step);
      if (step.state === undefined || seen.has(placeOf(step.state))) continue;
      seen.add(placeOf(step.state));
      open.push(step.state);
    }
  }
  return seen.size;
}
