import type { JobManifest } from "@mesh/declaration";
import { createJob, isJobSpecError, isTerminalJob, type JobSpec, type JobStatus } from "@mesh/jobs";
import type { ApplyAnswer, JobView } from "@mesh/protocol";
import { invalid, notFound, Refusal, refusal } from "../refusal.ts";
import { type DamagedJob, originOf, type StoredJob, unreadable } from "../store/job-rows.ts";
import { findJob, findJobRow, isNameActive, loadJob } from "../store/jobs.ts";
import { raiseRevision } from "../store/nodes.ts";
import { insertEvents } from "../store/records.ts";
import { insertJobs, removeJobRows } from "../store/save-job.ts";
import { runEnded } from "../store/schedules.ts";
import type { JobRow } from "../store/schema.ts";
import type { Store, Tx } from "../store/store.ts";
import { nodesOfJob } from "../store/tasks.ts";
import { releaseClaims } from "../store/volumes.ts";
import { jobCreated } from "../words/job-events.ts";
import { type Admitted, requireNamespace } from "./admission.ts";
import { canonical } from "./canonical.ts";
import { applyJobEvent } from "./commit-job.ts";

/** What the operations on Jobs are given: nothing here reads a clock or rolls a die. */
export interface JobOptions {
  readonly now: number;
  readonly newId: () => string;
}

export function jobView({ state, origin }: StoredJob): JobView {
  return { state, ...(origin === undefined ? {} : { origin }) };
}

/** A row that cannot be read hides no other: what its columns say, and what is wrong. */
export function listedJob(job: StoredJob | DamagedJob): JobView {
  if (!("problem" in job)) return jobView(job);
  const { row, problem } = job;
  const origin = originOf(row);
  return {
    state: {
      v: 1,
      job: {
        ...{ id: row.id, namespace: row.namespace, status: row.status as JobStatus },
        spec: { name: row.name, image: "", backoffLimit: 0, resources: {} },
        ...{ attempts: 0, ignoredFailures: 0, taskIds: [] },
        ...{ createdAt: row.created_at, updatedAt: row.created_at },
      },
      tasks: [],
    },
    ...(origin === undefined ? {} : { origin }),
    problem,
  };
}

/** A new Job (J2): refused where an active one has the name. */
export async function createNewJob(
  store: Store,
  namespace: string,
  { manifest }: Admitted<"Job">,
  options: JobOptions,
): Promise<JobView> {
  return store.write(async (tx) => {
    await requireNamespace(tx.db, namespace);
    return insertJob(tx, namespace, { spec: specOf(manifest), ...options });
  });
}

/** The Job as the manifest says: the same content changes nothing, active or ended (S6). */
export async function applyJob(
  store: Store,
  namespace: string,
  { manifest, warnings }: Admitted<"Job">,
  options: JobOptions & { readonly replace: boolean },
): Promise<ApplyAnswer> {
  return store.write(async (tx) => {
    await requireNamespace(tx.db, namespace);
    const spec = specOf(manifest);
    const known = await findJob(tx.db, namespace, spec.name);
    const isThere = known !== undefined && known.state.job.spec.name === spec.name;
    if (!isThere) {
      await insertJob(tx, namespace, { spec, ...options });
      return { outcome: "created", warnings };
    }
    if (isSameSpec(known.state.job.spec, spec)) return { outcome: "unchanged", warnings };
    refuseUnlessReplaceable(known, options.replace);
    await applyJobEvent(tx, known, { type: "deleteRequested", at: options.now });
    await insertJob(tx, namespace, { spec, ...options });
    return { outcome: "replaced", warnings };
  });
}

function refuseUnlessReplaceable({ state }: StoredJob, replace: boolean): void {
  const { status, spec } = state.job;
  if (!isTerminalJob(status)) {
    throw refusal(
      409,
      "job.active",
      `Job ${spec.name} is ${status} with other content, and a Job's work never changes`,
      "wait for its end or delete it, or use another name",
    );
  }
  if (replace) return;
  throw refusal(
    409,
    "job.differs",
    `Job ${spec.name} has ended with other content`,
    "apply with replace to put this one in its place, or use another name",
  );
}

export async function cancelJob(
  store: Store,
  namespace: string,
  nameOrId: string,
  now: number,
): Promise<JobView> {
  return store.write(async (tx) => {
    const job = await requireJob(tx, namespace, nameOrId);
    await applyJobEvent(tx, job, { type: "cancelRequested", at: now });
    return jobView((await loadJob(tx.db, job.state.job.id)) ?? job);
  });
}

/** Marks for removal; the record stays until nothing of it is live (J9). */
export async function deleteJob(
  store: Store,
  namespace: string,
  nameOrId: string,
  now: number,
): Promise<void> {
  await store.write(async (tx) => {
    await requireNamespace(tx.db, namespace);
    const row = await findJobRow(tx.db, namespace, nameOrId);
    if (row === undefined) throw notFound("Job", `${namespace}/${nameOrId}`);
    const job = await loadJob(tx.db, row.id).catch(unreadable);
    if (job === "unreadable") return discardJob(tx, row, now);
    if (job !== undefined) await applyJobEvent(tx, job, { type: "deleteRequested", at: now });
  });
}

/**
 * Removes a Job that cannot be read with all that hangs on it. Its node is told, and stops what it
 * may still have of it; its schedule goes on.
 */
async function discardJob(tx: Tx, row: JobRow, now: number): Promise<void> {
  const nodes = await nodesOfJob(tx.db, row.id);
  await releaseClaims(tx, row.id);
  await removeJobRows(tx, { id: row.id, version: row.version, status: row.status });
  for (const node of nodes) await raiseRevision(tx, node);
  if (row.schedule_uid !== null) await runEnded(tx, row.schedule_uid, now);
  const text = `Job ${row.name} is removed: its stored state could not be read`;
  const subject = { kind: "job", namespace: row.namespace, name: row.name } as const;
  await insertEvents(tx, now, [{ type: "job.removed", subject, message: text }]);
  tx.touch("placement");
}

async function requireJob(tx: Tx, namespace: string, nameOrId: string): Promise<StoredJob> {
  await requireNamespace(tx.db, namespace);
  const job = await findJob(tx.db, namespace, nameOrId);
  if (job === undefined) throw notFound("Job", `${namespace}/${nameOrId}`);
  return job;
}

async function insertJob(
  tx: Tx,
  namespace: string,
  options: JobOptions & { readonly spec: JobSpec },
): Promise<JobView> {
  const { spec, now, newId } = options;
  const nameInUse = await isNameActive(tx.db, namespace, spec.name);
  const { state, wake } = refusing(() =>
    createJob(spec, { jobId: newId(), namespace, now, nameInUse }),
  );
  await insertJobs(tx, [{ state, wakeAt: wake?.at }]);
  await insertEvents(tx, now, [jobCreated(state)]);
  tx.touch("placement");
  if (wake !== undefined) tx.touch("jobs");
  return { state };
}

/** What the package refuses is the caller's: a name in use a conflict, all else bad input. */
function refusing<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (!isJobSpecError(error)) throw error;
    const { diagnostics } = error;
    if (!diagnostics.some(({ code }) => code === "job.name-in-use")) throw invalid(diagnostics);
    throw new Refusal(409, { ...invalid(diagnostics).error, code: "job.name-in-use" });
  }
}

function specOf({ kind: _, ...spec }: JobManifest): JobSpec {
  return spec;
}

/** Compares as the Job would keep it: with the same defaults filled in, in any order of keys. */
function isSameSpec(kept: JobSpec, given: JobSpec): boolean {
  const filled = createJob(given, { jobId: "x", namespace: "x", now: 0 }).state.job.spec;
  return canonical(kept) === canonical(filled);
}
