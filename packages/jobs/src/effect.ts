import { assignableAt } from "./assignable-at.ts";
import { currentTask, isTerminalTask, type JobState, type Task } from "./job.ts";
import type { JobPolicy } from "./spec.ts";

/**
 * Something to do outside, after the state is stored; doing one twice must equal doing it once.
 * `id` is the same whenever the same effect is derived again (J11).
 */
export type JobEffect = { readonly id: string } & (
  | { readonly type: "startTask"; readonly task: Task }
  | { readonly type: "stopTask"; readonly taskId: string }
  | { readonly type: "releaseVolumes"; readonly taskIds: readonly string[] }
  | { readonly type: "deleteJob"; readonly jobId: string }
);

const none: readonly JobEffect[] = [];

/**
 * The effects that this state still asks for: start the pending task of a Job that is not
 * suspended, stop a live task that is to be removed. After a crash between commit and effects,
 * doing these again loses none (J11). The last effects of a deleted Job are not among them: they
 * belong into the transaction that removes its record (J9).
 */
export function pendingEffects(state: JobState<JobPolicy>): readonly JobEffect[] {
  const task = currentTask(state);
  if (isTerminalTask(task.actualStatus)) return none;
  if (task.desiredStatus === "removed") return [stopEffect(task)];
  return assignableAt(state) === undefined ? none : [startEffect(task)];
}

/** Resuming makes a task startable anew: the instant in the id tells the two starts apart. */
export function startEffect(task: Task): JobEffect {
  return { id: `start/${task.id}/${task.updatedAt}`, type: "startTask", task };
}

export function stopEffect(task: Task): JobEffect {
  return { id: `stop/${task.id}`, type: "stopTask", taskId: task.id };
}

/** What is left to do when the last live task of a deleted Job has ended (J9). */
export function removalEffects({
  id,
  taskIds,
}: {
  id: string;
  taskIds: readonly string[];
}): readonly JobEffect[] {
  return [
    { id: `release/${id}`, type: "releaseVolumes", taskIds },
    { id: `delete/${id}`, type: "deleteJob", jobId: id },
  ];
}
