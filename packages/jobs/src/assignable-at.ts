import { currentTask, type Instant, isTerminalJob, type JobState } from "./job.ts";
import type { JobPolicy } from "./spec.ts";

/**
 * The instant from which the current task may be assigned: its `notBefore`, or else when it was
 * created (J6). No answer where none may be: somebody has it, or the Job is suspended or has ended
 * (J8). It is what a queue sorts by, and holds for as long as the state does.
 */
export function assignableAt(state: JobState<JobPolicy>): Instant | undefined {
  const { actualStatus, notBefore, createdAt } = currentTask(state);
  const { status, suspendedAt } = state.job;
  if (actualStatus !== "pending" || suspendedAt !== undefined) return undefined;
  return isTerminalJob(status) ? undefined : (notBefore ?? createdAt);
}
