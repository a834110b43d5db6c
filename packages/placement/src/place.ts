import { createGroups, type Groups, leastLoadedOf } from "./group.ts";
import { checkAmount, holds, type Ledger, leafAt, openLedger } from "./ledger.ts";
import type { NodeState, PendingTask } from "./node.ts";
import { obstaclesTo } from "./obstacle.ts";
import type { Unplaced, UnplacedReason } from "./unplaced.ts";

export interface Assignment {
  readonly taskId: string;
  readonly nodeId: string;
}

export interface Placements {
  readonly assignments: readonly Assignment[];
  readonly unplaced: readonly Unplaced[];
}

/**
 * A node for each task (S3), in the order given. A node takes a task when it is ready, satisfies
 * all its constraints, has every claim that is bound, and has the cpu and memory left. Among those
 * the least loaded wins, by the larger of its used shares of cpu and memory before the task comes;
 * ties go to the first name. A claim that is bound nowhere binds to the node that its first task
 * gets. Costs about O((tasks + nodes) · log nodes) for each set of constraints in use.
 * Throws a `RangeError` for an amount that is negative or no number, for an unknown operator, and
 * for an id given twice.
 */
export function placeTasks(
  pending: readonly PendingTask[],
  nodes: readonly NodeState[],
): Placements {
  const ledger = openLedger(nodes);
  const groups = createGroups();
  const obstacles = rememberObstacles(ledger);
  const assignments: Assignment[] = [];
  const unplaced: Unplaced[] = [];
  const seen = new Set<string>();
  for (const task of pending) {
    const { taskId } = task;
    checkAmount(`request of task ${taskId}`, task.request);
    for (const { operator } of task.placement ?? []) {
      if (operator !== "equals" && operator !== "not_equals") {
        const rule = `operator of task ${taskId} must be equals or not_equals`;
        throw new RangeError(`${rule}, found ${operator}`);
      }
    }
    if (seen.has(taskId)) throw new RangeError(`task ${taskId} is given twice`);
    seen.add(taskId);
    const position = choose(ledger, groups, task);
    const node = ledger.nodes[position];
    if (node === undefined) {
      unplaced.push({ taskId, reasons: obstacles(task) });
      continue;
    }
    take(ledger, position, task);
    assignments.push({ taskId, nodeId: node.nodeId });
  }
  return { assignments, unplaced };
}

/** Position of the node that takes the task, or -1. */
function choose(ledger: Ledger, groups: Groups, task: PendingTask): number {
  const constraints = task.placement ?? [];
  const pinned = new Set<number>();
  for (const claim of task.claims ?? []) {
    const position = ledger.bound.get(claim);
    if (position !== undefined) pinned.add(position);
  }
  if (pinned.size === 0) return leastLoadedOf(groups, ledger, constraints, task.request);
  if (pinned.size > 1) return -1;
  const [position = -1] = pinned;
  const node = ledger.nodes[position] as NodeState;
  const { cpu, memory } = leafAt(ledger, position);
  const fits =
    node.isReady &&
    cpu >= task.request.cpuMillicores &&
    memory >= task.request.memoryBytes &&
    constraints.every((constraint) => holds(constraint, node));
  return fits ? position : -1;
}

/** The task's share is taken, and its claims that were bound nowhere are bound here. */
function take(ledger: Ledger, position: number, task: PendingTask): void {
  const used = ledger.used[position] as { cpuMillicores: number; memoryBytes: number };
  used.cpuMillicores += task.request.cpuMillicores;
  used.memoryBytes += task.request.memoryBytes;
  for (const claim of task.claims ?? []) ledger.bound.set(claim, position);
  ledger.placed.push(position);
}

/** Many tasks that ask for the same have the same obstacles, as long as nothing is placed. */
function rememberObstacles(ledger: Ledger): (task: PendingTask) => readonly UnplacedReason[] {
  const known = new Map<string, readonly UnplacedReason[]>();
  let placed = 0;
  return (task) => {
    if (placed !== ledger.placed.length) known.clear();
    placed = ledger.placed.length;
    const { request, placement, claims } = task;
    const key = JSON.stringify([request.cpuMillicores, request.memoryBytes, placement, claims]);
    const reasons = known.get(key) ?? obstaclesTo(ledger, task);
    known.set(key, reasons);
    return reasons;
  };
}
