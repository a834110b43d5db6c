import { applyJobEvent } from "../operations/commit-job.ts";
import { findNode, lapsedNodes, nextLapse, setNodeLost, shiftLeases } from "../store/nodes.ts";
import { insertEvents } from "../store/records.ts";
import type { Store, Tx } from "../store/store.ts";
import { jobsOnNode } from "../store/tasks.ts";
import { nodeEvent } from "../words/host-events.ts";

/** Tasks reported lost in one transaction. */
const PAGE = 200;

/** Nodes whose lease has lapsed are lost, and their tasks fail with `nodeLost` (S4). */
export async function runLeases(store: Store, now: number): Promise<number | undefined> {
  for (const node of await store.read((db) => lapsedNodes(db, now, PAGE))) {
    while (await store.write((tx) => loseTasks(tx, node, now)));
  }
  return store.read(nextLapse);
}

/**
 * A page of the node's tasks, and last the node itself; true while there are more. A heartbeat that
 * came meanwhile ends it: what was failed stays so, and the node is told to stop it.
 */
async function loseTasks(tx: Tx, node: string, now: number): Promise<boolean> {
  const row = await findNode(tx.db, node);
  if (row === undefined || row.status !== "ready" || row.lease_expires_at > now) return false;
  const { jobs, isWhole } = await jobsOnNode(tx.db, node, { limit: PAGE });
  for (const job of jobs) {
    const taskId = job.state.tasks.at(-1)?.id as string;
    const report = { status: "failed", reason: "nodeLost" } as const;
    await applyJobEvent(tx, job, { type: "taskReported", taskId, at: now, ...report });
  }
  if (!isWhole && jobs.length > 0) return true;
  await setNodeLost(tx, node);
  const text = "is lost: its lease has lapsed, and its tasks count as failed";
  await insertEvents(tx, now, [nodeEvent(node, "node.lost", text)]);
  return false;
}

/** Smaller differences are the clock's ordinary drift. */
const STEP_MS = 2_000;

/** Moves the leases where the wall clock has stepped; the answer is by how much it had. */
export type FollowSteps = () => Promise<number>;

/**
 * Tells steps of the wall clock from the passing of time, by the elapsed time beside it. A step, or
 * a machine that slept, says nothing about the nodes, so their leases move with it. It is asked
 * before a lease is written as well as before one is judged: a lease that was written after the
 * step must not move, and one at a time, so that each step moves them once.
 */
export function watchSteps(
  clock: { now(): number; elapsedMs(): number },
  store: Store,
): FollowSteps {
  let offset = clock.now() - clock.elapsedMs();
  let before: Promise<unknown> = Promise.resolve();
  const follow = async (): Promise<number> => {
    const step = Math.round(clock.now() - clock.elapsedMs() - offset);
    const isStep = Math.abs(step) >= STEP_MS;
    if (isStep) {
      await store.write(async (tx) => {
        await shiftLeases(tx, step);
        tx.touch("leases");
      });
    }
    offset += step;
    return isStep ? step : 0;
  };
  return () => {
    const following = before.then(follow);
    before = following.catch(() => {});
    return following;
  };
}
