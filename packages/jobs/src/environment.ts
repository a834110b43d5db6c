import { checkInstant } from "./argument.ts";
import type { Instant, JobState } from "./job.ts";
import type { JobPolicy } from "./spec.ts";

/** What work may be told of itself; a fact that is absent has no variable. */
export interface RunFacts {
  /** Of the Job, or of the module's container. */
  readonly name: string;
  /** Counted from 1, ignored failures included. */
  readonly attempt: number;
  /** The same for every attempt of a run, and for no other run. */
  readonly runId?: string | undefined;
  /** The occurrence; only of scheduled work. */
  readonly scheduledAt?: Instant | undefined;
  readonly taskId?: string | undefined;
  readonly namespace?: string | undefined;
  /** Only of a module's container. */
  readonly module?: string | undefined;
}

/**
 * The variables by which work can make an effect outside once (J12): `MESH_NAME`, `MESH_ATTEMPT`,
 * and, as far as they are known, `MESH_RUN_ID`, `MESH_SCHEDULED_AT` (RFC 3339 in UTC),
 * `MESH_TASK_ID`, `MESH_NAMESPACE` and `MESH_MODULE`.
 *
 * @example
 * runEnvironment({ name: "report", attempt: 2, runId: "j1" }).MESH_ATTEMPT; // "2"
 */
export function runEnvironment(facts: RunFacts): Readonly<Record<string, string>> {
  const { name, attempt, runId, scheduledAt, taskId, namespace, module } = facts;
  return {
    MESH_NAME: name,
    MESH_ATTEMPT: String(attempt),
    ...(runId === undefined ? {} : { MESH_RUN_ID: runId }),
    ...(scheduledAt === undefined ? {} : { MESH_SCHEDULED_AT: formatInstant(scheduledAt) }),
    ...(taskId === undefined ? {} : { MESH_TASK_ID: taskId }),
    ...(namespace === undefined ? {} : { MESH_NAMESPACE: namespace }),
    ...(module === undefined ? {} : { MESH_MODULE: module }),
  };
}

/** An occurrence is a whole minute, so the fraction is left out. */
function formatInstant(at: Instant): string {
  return new Date(checkInstant("scheduledAt", at)).toISOString().replace(".000Z", "Z");
}

/**
 * `runEnvironment` for an attempt of this Job: its run id is the Job's, the same for every attempt.
 * Throws a `RangeError` for a task that is not the Job's.
 */
export function attemptEnvironment(
  state: JobState<JobPolicy>,
  attempt: { readonly taskId: string; readonly occurrenceAt?: Instant | undefined },
): Readonly<Record<string, string>> {
  const { job, tasks } = state;
  const { taskId, occurrenceAt } = attempt;
  const task = tasks.find(({ id }) => id === taskId);
  if (task === undefined) throw new RangeError(`Job ${job.id} has no task ${taskId}`);
  return runEnvironment({
    name: job.spec.name,
    attempt: task.restartCount + 1,
    runId: job.id,
    scheduledAt: occurrenceAt,
    taskId,
    namespace: job.namespace,
  });
}
