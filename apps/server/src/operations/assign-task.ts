import type { Task } from "@mesh/jobs";
import type { PendingTask } from "@mesh/placement";
import type { StoredJob } from "../store/job-rows.ts";
import type { Tx } from "../store/store.ts";
import { sizeOf } from "../store/task-size.ts";
import { claimKey, useClaims } from "../store/volumes.ts";
import { applyJobEvent } from "./commit-job.ts";
import { missingSecrets } from "./secrets.ts";

/** The Job's pending task as placement wants it: what it takes, and where it may go (C31-10). */
export function pendingTask(job: StoredJob): PendingTask {
  const { namespace, spec } = job.state.job;
  const { cpu_millicores: cpuMillicores, memory_bytes: memoryBytes } = sizeOf(spec);
  return {
    taskId: liveTaskId(job),
    request: { cpuMillicores, memoryBytes },
    placement: spec.placement,
    claims: (spec.volumeClaims ?? []).map(({ claim }) => claimKey({ namespace, claim })),
  };
}

/**
 * The assignment under the versions that were read: the first writer wins (S3). A task whose
 * secret does not exist goes to no node: its start has failed, and the message names the secret.
 */
export async function assignTask(
  tx: Tx,
  job: StoredJob,
  { nodeId, now }: { nodeId: string; now: number },
): Promise<void> {
  const { id, namespace, spec } = job.state.job;
  const taskId = liveTaskId(job);
  const missing = await missingSecrets(tx.db, namespace, spec.secrets ?? []);
  if (missing !== undefined) {
    const report = { status: "failed", reason: "neverStarted" } as const;
    const event = { type: "taskReported", taskId, at: now, ...report } as const;
    await applyJobEvent(tx, job, event, { taskId, message: missing });
    return;
  }
  const event = { type: "taskAssigned", taskId, nodeId, at: now } as const;
  const { outcome } = await applyJobEvent(tx, job, event);
  if (outcome === "ignored") return;
  const claims = (spec.volumeClaims ?? []).map(({ claim }) => claim);
  await useClaims(tx, { namespace, claims, node: nodeId, jobId: id, now });
}

function liveTaskId(job: StoredJob): string {
  return (job.state.tasks.at(-1) as Task).id;
}
