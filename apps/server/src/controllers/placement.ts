import type { Task } from "@mesh/jobs";
import { type Assignment, explainUnplaced, type NodeState, placeTasks } from "@mesh/placement";
import { type Ceilings, type StartRate, underNamespaceCeiling } from "../ceilings.ts";
import { assignTask, pendingTask } from "../operations/assign-task.ts";
import type { StoredJob } from "../store/job-rows.ts";
import { nodesForPlacement } from "../store/nodes.ts";
import { readStored } from "../store/read-stored.ts";
import { insertEvents } from "../store/records.ts";
import { type Db, isConflict, type Store } from "../store/store.ts";
import {
  assignableTasks,
  nextNotBefore,
  runningByNamespace,
  setUnplaced,
  type TaskCursor,
  usedByNode,
} from "../store/tasks.ts";
import { type BoundClaim, boundClaims, claimKey } from "../store/volumes.ts";
import { unplacedEvent } from "../words/job-events.ts";

/** Tasks looked at, and assigned, in one transaction. */
const PAGE = 200;

export interface PlacementOptions {
  readonly now: number;
  readonly ceilings: Ceilings;
  /** Present where `startsPerSecond` is set; it remembers the starts of earlier passes. */
  readonly rate?: StartRate | undefined;
}

/** A snapshot to plan on. */
interface Page {
  readonly jobs: readonly StoredJob[];
  /** Tasks whose Jobs cannot be read: they stop no other. */
  readonly damaged: readonly { readonly taskId: string; readonly why: string }[];
  /** By task: why it was not placed, as it was told. */
  readonly told: ReadonlyMap<string, string | null>;
  readonly nodes: readonly NodeState[];
  readonly running: ReadonlyMap<string, number>;
  readonly next?: TaskCursor;
}

/** What is to be done about the tasks of a page. */
interface Plan {
  readonly assignments: readonly Assignment[];
  readonly waiting: readonly { readonly taskId: string; readonly why: string }[];
  /** The ceiling on starts cut the assignments short. */
  readonly isCut: boolean;
}

/**
 * Gives every task that may start a node that is ready, has room and suits it (S3), a page at a
 * time, oldest first. The answer is when the next delayed retry, or the next start under the
 * ceiling (S7), may be placed; all else pokes this pass.
 */
export async function runPlacement(
  store: Store,
  options: PlacementOptions,
): Promise<number | undefined> {
  const { now, ceilings, rate } = options;
  let after: TaskCursor | undefined;
  do {
    const page = await store.read((db) => loadPage(db, { now, after, ceilings }));
    if (page.damaged.length > 0) await tellDamaged(store, page);
    if (page.jobs.length === 0 && page.next === undefined) break;
    const plan = planPage(page, options);
    await commitPlan(store, page, { plan, now });
    if (plan.isCut) return rate?.nextAt(now);
    // With no node ready, the first page says so of its tasks, and the rest would cost for nothing.
    after = page.nodes.some(({ isReady }) => isReady) ? page.next : undefined;
  } while (after !== undefined);
  return store.read((db) => nextNotBefore(db, now));
}

async function loadPage(
  db: Db,
  options: { now: number; after: TaskCursor | undefined; ceilings: Ceilings },
): Promise<Page> {
  const { now, after, ceilings } = options;
  const found = await assignableTasks(db, { now, after, limit: PAGE });
  const { jobs, damaged, unplaced: told, next } = found;
  if (jobs.length === 0 && next === undefined) {
    return { jobs, damaged, told, nodes: [], running: new Map() };
  }
  const claims = await boundClaims(
    db,
    jobs.flatMap(({ state: { job } }) =>
      (job.spec.volumeClaims ?? []).map(({ claim }) => ({ namespace: job.namespace, claim })),
    ),
  );
  const used = await usedByNode(db);
  const nodes = (await nodesForPlacement(db)).map((node) => nodeState(node, used, claims));
  const isCounted = ceilings.runningTasksPerNamespace !== undefined;
  const running = isCounted ? await runningByNamespace(db) : new Map<string, number>();
  return { jobs, damaged, told, nodes, running, ...(next === undefined ? {} : { next }) };
}

/** The nodes for the tasks, and then what the ceilings leave of it. */
function planPage(page: Page, { now, ceilings, rate }: PlacementOptions): Plan {
  const tasks = page.jobs.map((job) => ({
    ...pendingTask(job),
    namespace: job.state.job.namespace,
  }));
  const planned = placeTasks(tasks, page.nodes);
  const waiting = planned.unplaced.map(({ taskId, reasons }) => ({
    taskId,
    why: explainUnplaced(reasons),
  }));
  let { assignments } = planned;
  const ceiling = ceilings.runningTasksPerNamespace;
  if (ceiling !== undefined) {
    const stuck = new Set(waiting.map(({ taskId }) => taskId));
    const placeable = tasks.filter(({ taskId }) => !stuck.has(taskId));
    const judged = underNamespaceCeiling(placeable, { running: page.running, ceiling });
    // Planned anew: what waits takes no room from what may go.
    assignments = placeTasks(judged.allowed, page.nodes).assignments;
    for (const { taskId, namespace } of judged.waiting) {
      waiting.push({ taskId, why: `namespace ${namespace} has ${ceiling} tasks, its ceiling` });
    }
  }
  const allowed = rate === undefined ? assignments.length : rate.take(assignments.length, now);
  const isCut = allowed < assignments.length;
  return { assignments: assignments.slice(0, allowed), waiting, isCut };
}

async function commitPlan(
  store: Store,
  page: Page,
  { plan, now }: { plan: Plan; now: number },
): Promise<void> {
  const byTask = new Map(page.jobs.map((job) => [liveTask(job).id, job]));
  const jobOf = (taskId: string): StoredJob => byTask.get(taskId) as StoredJob;
  const given = plan.assignments.map(({ taskId, nodeId }) => ({ job: jobOf(taskId), nodeId }));
  try {
    await store.write(
      async (tx) => {
        for (const { job, nodeId } of given) await assignTask(tx, job, { nodeId, now });
      },
      { retryConflicts: false },
    );
  } catch {
    // Something of the page changed since it was read: each on its own.
    await assignEach(store, given, now);
  }
  const news = plan.waiting.filter(({ taskId, why }) => page.told.get(taskId) !== why);
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

async function tellDamaged(store: Store, { damaged, told }: Page): Promise<void> {
  const news = damaged.filter(({ taskId, why }) => told.get(taskId) !== why);
  if (news.length === 0) return;
  await store.write(async (tx) => {
    for (const { taskId, why } of news) await setUnplaced(tx, taskId, why);
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

function nodeState(
  node: Awaited<ReturnType<typeof nodesForPlacement>>[number],
  used: Awaited<ReturnType<typeof usedByNode>>,
  claims: readonly BoundClaim[],
): NodeState {
  return {
    nodeId: node.name,
    isReady: node.status === "ready",
    labels: readStored<Record<string, string>>(node.labels_json) ?? {},
    capacity: { cpuMillicores: node.cpu_millicores, memoryBytes: node.memory_bytes },
    used: used.get(node.name) ?? { cpuMillicores: 0, memoryBytes: 0 },
    claims: claims.filter((claim) => claim.node === node.name).map(claimKey),
  };
}

function liveTask(job: StoredJob): Task {
  return job.state.tasks.at(-1) as Task;
}
