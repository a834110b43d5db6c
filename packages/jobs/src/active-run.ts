import { currentTask, type Instant, isTerminalTask, type JobState } from "./job.ts";
import type { JobPolicy } from "./spec.ts";

/** A run of a schedule that is not over, as a schedule's decision wants it (D3). */
export interface ActiveRun {
  readonly id: string;
  readonly status: "pending" | "running" | "stopping";
  readonly occurrenceAt?: Instant;
}

/**
 * The Job as an active run: `pending` or `running`, or `stopping` while a Job that has ended or is
 * being deleted still has a live task (D3). No answer once nothing of it is live.
 */
export function activeRun(
  state: JobState<JobPolicy>,
  { occurrenceAt }: { occurrenceAt?: Instant | undefined } = {},
): ActiveRun | undefined {
  const { id, status } = state.job;
  if (isTerminalTask(currentTask(state).actualStatus)) return undefined;
  return {
    id,
    status: status === "pending" || status === "running" ? status : "stopping",
    ...(occurrenceAt === undefined ? {} : { occurrenceAt }),
  };
}
