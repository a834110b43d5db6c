import type { Instant, JobState } from "./job.ts";
import type { JobPolicy } from "./spec.ts";

/**
 * What an attempt's environment tells the work about itself (J12). `MESH_RUN_ID` is the same for
 * every attempt: a key under which an effect outside can be made once. `MESH_ATTEMPT` counts from
 * 1, ignored failures included. `MESH_SCHEDULED_AT` is there for scheduled work only.
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
  return {
    MESH_NAME: job.spec.name,
    MESH_NAMESPACE: job.namespace,
    MESH_RUN_ID: job.id,
    MESH_TASK_ID: taskId,
    MESH_ATTEMPT: String(task.restartCount + 1),
    ...(occurrenceAt === undefined
      ? {}
      : { MESH_SCHEDULED_AT: new Date(occurrenceAt).toISOString().replace(".000Z", "Z") }),
  };
}
