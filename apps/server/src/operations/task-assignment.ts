import type { TaskAssignment } from "@mesh/protocol";
import type { StoredJob } from "../store/job-rows.ts";
import { sizeOf } from "../store/task-size.ts";
import type { SecretValue } from "./secrets.ts";

/** The live task of a Job as its node is told of it: the work is the Job's spec (J2). */
export function assignmentOf(job: StoredJob, secrets: readonly SecretValue[]): TaskAssignment {
  const { id, namespace, spec, taskIds } = job.state.job;
  const task = job.state.tasks.at(-1) as (typeof job.state.tasks)[number];
  const attempt = taskIds.length;
  const scheduledAt = job.origin?.occurrenceAt;
  const size = sizeOf(spec);
  return {
    taskId: task.id,
    jobId: id,
    jobName: spec.name,
    namespace,
    attempt,
    ...(scheduledAt === undefined ? {} : { scheduledAt }),
    desiredStatus: task.desiredStatus,
    work: {
      image: spec.image,
      ...(spec.command === undefined ? {} : { command: [...spec.command] }),
      ...(spec.environment === undefined ? {} : { environment: { ...spec.environment } }),
      cpuMillicores: size.cpu_millicores,
      memoryBytes: size.memory_bytes,
      ...(secrets.length === 0 ? {} : { secrets: secrets.map((secret) => ({ ...secret })) }),
      ...(spec.volumeClaims === undefined
        ? {}
        : {
            volumeClaims: spec.volumeClaims.map(({ claim, target, readOnly }) => ({
              claim,
              target,
              ...(readOnly === undefined ? {} : { readOnly }),
            })),
          }),
    },
  };
}
