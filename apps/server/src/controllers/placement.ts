import type { Task } from "@mesh/jobs";
import { explainUnplaced, type NodeState, type PendingTask, placeTasks } from "@mesh/placement";
import { applyJobEvent } from "../operations/commit-job.ts";
import { missingSecrets } from "../operations/secrets.ts";
import type { StoredJob } from "../store/jobs.ts";
import { nodesForPlacement } from "../store/nodes.ts";
import { insertEvents } from "../store/records.ts";
import { type Db, isConflict, type Store, type Tx } from "../store/store.ts";
import {
  assignableTasks,
  nextNotBefore,
  setUnplaced,
  type TaskCursor,
  usedByNode,
} from "../store/tasks.ts";
import { type BoundClaim, boundClaims, useClaims } from "../store/volumes.ts";
import { unplacedEvent } from "../words/job-events.ts";
import { sizeOf } from "../work.ts";

/** Tasks looked at, and assigned, in one transaction. */
const PAGE = 200;

/** What a pass that plans on one snapshot knows. */
interface Page {
  readonly jobs: readonly StoredJob[];
  readonly told: ReadonlyMap<string, string | null>;
  readonly nodes: readonly NodeState[];
  readonly next?: TaskCursor;
}

/**
 * Gives every task that may start a node that is ready, has room and suits it (S3), a page at a
 * time. The answer is when the next delayed retry may be placed; all else pokes this pass.
 */
export async function runPlacement(store: Store, now: number): Promise<number | undefined> {
  let after: TaskCursor | undefined;
  do {
    const page = await store.read((db) => loadPage(db, now, after));
    if (page.jobs.length > 0) await placePage(store, page, now);
    // With no node ready, the first page says so of its tasks, and the rest would cost for nothing.
    after = page.nodes.some(({ isReady }) => isReady) ? page.next : undefined;
  } while (after !== undefined);
  return store.read((db) => nextNotBefore(db, now));
}

async function loadPage(db: Db, now: number, after: TaskCursor | undefined): Promise<Page> {
  const { jobs, unplaced: told, next } = await assignableTasks(db, { now, after, limit: PAGE });
  if (jobs.length === 0) return { jobs, told, nodes: [] };
  const claims = await boundClaims(db, jobs.flatMap(claimsOf));
  const used = await usedByNode(db);
  const nodes = (await nodesForPlacement(db)).map((node) => nodeState(node, used, claims));
  return { jobs, told, nodes, ...(next === undefined ? {} : { next }) };
}

async function placePage(store: Store, page: Page, now: number): Promise<void> {
  const byTask = new Map(page.jobs.map((job) => [liveTask(job).id, job]));
  const { assignments, unplaced } = placeTasks(page.jobs.map(pendingTask), page.nodes);
  const news = unplaced
    .map(({ taskId, reasons }) => ({ taskId, why: explainUnplaced(reasons) }))
    .filter(({ taskId, why }) => page.told.get(taskId) !== why);
  const jobOf = (taskId: string): StoredJob => byTask.get(taskId) as StoredJob;
  const commit = async (tx: Tx, given: typeof assignments): Promise<void> => {
    for (const { taskId, nodeId } of given) await assignTask(tx, jobOf(taskId), { nodeId, now });
  };
  try {
    await store.write((tx) => commit(tx, assignments), { retryConflicts: false });
  } catch {
    // Something of the page changed since it was read: each on its own.
    await assignEach(
      store,
      assignments.map((one) => ({ ...one, job: jobOf(one.taskId) })),
      now,
    );
  }
  if (news.length === 0) return;
  await store.write(async (tx) => {
    for (const { taskId, why } of news) await setUnplaced(tx, taskId, why);
    await insertEvents(
      tx,
      now,
      news.map(({ taskId, why }) => unplacedEvent(jobOf(taskId).state, why)),
    );
  });
}

/** Where another writer was first nothing is done (S3); its news pokes the next pass. */
async function assignEach(
  store: Store,
  assignments: readonly { job: StoredJob; nodeId: string }[],
  now: number,
): Promise<void> {
  const failures: unknown[] = [];
  for (const { job, nodeId } of assignments) {
    try {
      await store.write((tx) => assignTask(tx, job, { nodeId, now }), { retryConflicts: false });
    } catch (error) {
      if (!isConflict(error)) failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** The assignment under the versions that were read: the first writer wins (S3). */
export async function assignTask(
  tx: Tx,
  job: StoredJob,
  { nodeId, now }: { nodeId: string; now: number },
): Promise<void> {
  const { id, namespace, spec } = job.state.job;
  const taskId = liveTask(job).id;
  const missing = await missingSecrets(tx.db, namespace, spec.secrets ?? []);
  if (missing !== undefined) {
    const report = { status: "failed", reason: "neverStarted" } as const;
    const event = { type: "taskReported", taskId, at: now, ...report } as const;
    await applyJobEvent(tx, job, event, { taskId, message: missing });
    return;
  }
  const { outcome } = await applyJobEvent(tx, job, {
    type: "taskAssigned",
    taskId,
    nodeId,
    at: now,
  });
  if (outcome === "ignored") return;
  const claims = (spec.volumeClaims ?? []).map(({ claim }) => claim);
  await useClaims(tx, { namespace, claims, node: nodeId, jobId: id, now });
}

function pendingTask(job: StoredJob): PendingTask {
  const { spec } = job.state.job;
  const { cpu_millicores: cpuMillicores, memory_bytes: memoryBytes } = sizeOf(spec);
  const claims = claimsOf(job).map(claimKey);
  return {
    taskId: liveTask(job).id,
    request: { cpuMillicores, memoryBytes },
    placement: spec.placement,
    claims,
  };
}

function claimsOf(job: StoredJob): { namespace: string; claim: string }[] {
  const { namespace, spec } = job.state.job;
  return (spec.volumeClaims ?? []).map(({ claim }) => ({ namespace, claim }));
}

function claimKey({ namespace, claim }: { namespace: string; claim: string }): string {
  return `${namespace}/${claim}`;
}

function nodeState(
  node: Awaited<ReturnType<typeof nodesForPlacement>>[number],
  used: Awaited<ReturnType<typeof usedByNode>>,
  claims: readonly BoundClaim[],
): NodeState {
  return {
    nodeId: node.name,
    isReady: node.status === "ready",
    labels: JSON.parse(node.labels_json) as Record<string, string>,
    capacity: { cpuMillicores: node.cpu_millicores, memoryBytes: node.memory_bytes },
    used: used.get(node.name) ?? { cpuMillicores: 0, memoryBytes: 0 },
    claims: claims.filter((claim) => claim.node === node.name).map(claimKey),
  };
}

function liveTask(job: StoredJob): Task {
  return job.state.tasks.at(-1) as Task;
}
