import { createLoadTree, type Leaf, type LoadTree, leastLoaded, updateLeaf } from "./load-tree.ts";
import type { Capacity, NodeState, PendingTask, PlacementConstraint } from "./node.ts";
import type { Unplaced, UnplacedReason } from "./unplaced.ts";

export interface Assignment {
  readonly taskId: string;
  readonly nodeId: string;
}

export interface Placements {
  readonly assignments: readonly Assignment[];
  readonly unplaced: readonly Unplaced[];
}

/** The nodes in the order of their names, and what this pass has given away so far. */
interface Pass {
  readonly nodes: readonly NodeState[];
  readonly positions: ReadonlyMap<string, number>;
  readonly used: { cpuMillicores: number; memoryBytes: number }[];
  readonly tree: LoadTree;
  /** Claim → position of the node that it is bound to. */
  readonly bound: Map<string, number>;
  /** Constraints → which positions satisfy them; worked out once for equal constraints. */
  readonly eligible: Map<string, Uint8Array>;
}

/**
 * A node for each task (S3), in the order given. A node takes a task when it is ready, satisfies
 * all its constraints, has every claim that is bound, and has the cpu and memory left. Among those
 * the least loaded wins, by the larger of its used shares of cpu and memory before the task comes;
 * ties go to the first name. A claim that is bound nowhere binds to the node that its first task
 * gets. Costs about O((tasks + nodes) · log nodes); tasks that fit nowhere cost O(nodes) each.
 * Throws a `RangeError` for an amount that is negative or no number, and for an id given twice.
 */
export function placeTasks(
  pending: readonly PendingTask[],
  nodes: readonly NodeState[],
): Placements {
  const pass = startPass(nodes);
  const assignments: Assignment[] = [];
  const unplaced: Unplaced[] = [];
  const seen = new Set<string>();
  for (const task of pending) {
    checkAmount(`request of task ${task.taskId}`, task.request);
    if (seen.has(task.taskId)) throw new RangeError(`task ${task.taskId} is given twice`);
    seen.add(task.taskId);
    const position = choose(pass, task);
    const node = pass.nodes[position];
    if (node === undefined) {
      unplaced.push({ taskId: task.taskId, reasons: reasonsFor(pass, task) });
      continue;
    }
    take(pass, position, task);
    assignments.push({ taskId: task.taskId, nodeId: node.nodeId });
  }
  return { assignments, unplaced };
}

function startPass(given: readonly NodeState[]): Pass {
  const nodes = [...given].sort((a, b) => (a.nodeId < b.nodeId ? -1 : a.nodeId > b.nodeId ? 1 : 0));
  const positions = new Map<string, number>();
  const bound = new Map<string, number>();
  for (const [position, node] of nodes.entries()) {
    checkAmount(`capacity of node ${node.nodeId}`, node.capacity);
    checkAmount(`used of node ${node.nodeId}`, node.used);
    if (positions.has(node.nodeId)) throw new RangeError(`node ${node.nodeId} is given twice`);
    positions.set(node.nodeId, position);
    for (const claim of node.claims ?? []) {
      const other = bound.get(claim);
      if (other !== undefined && other !== position) {
        throw new RangeError(`claim ${claim} is bound to two nodes`);
      }
      bound.set(claim, position);
    }
  }
  const used = nodes.map((node) => ({ ...node.used }));
  const tree = createLoadTree(nodes.map((node, i) => leafOf(node, used[i] as Capacity)));
  return { nodes, positions, used, tree, bound, eligible: new Map() };
}

/** Position of the node that takes the task, or -1. */
function choose(pass: Pass, task: PendingTask): number {
  const request = { cpu: task.request.cpuMillicores, memory: task.request.memoryBytes };
  const eligible = eligibleFor(pass, task.placement ?? []);
  const pinned = boundPositions(pass, task.claims ?? []);
  if (pinned.size === 0) return leastLoaded(pass.tree, request, eligible);
  if (pinned.size > 1) return -1;
  const [position = -1] = pinned;
  const isFree =
    (pass.tree.cpu[pass.tree.width + position] as number) >= request.cpu &&
    (pass.tree.memory[pass.tree.width + position] as number) >= request.memory;
  return isFree && (eligible === undefined || eligible[position] === 1) ? position : -1;
}

/** The task's share is taken, and its claims that were bound nowhere are bound here. */
function take(pass: Pass, position: number, task: PendingTask): void {
  const used = pass.used[position] as { cpuMillicores: number; memoryBytes: number };
  used.cpuMillicores += task.request.cpuMillicores;
  used.memoryBytes += task.request.memoryBytes;
  updateLeaf(pass.tree, position, leafOf(pass.nodes[position] as NodeState, used));
  for (const claim of task.claims ?? []) pass.bound.set(claim, position);
}

function leafOf(node: NodeState, used: Capacity): Leaf {
  if (!node.isReady) return { load: Number.POSITIVE_INFINITY, cpu: -1, memory: -1 };
  const { cpuMillicores, memoryBytes } = node.capacity;
  return {
    load: Math.max(share(used.cpuMillicores, cpuMillicores), share(used.memoryBytes, memoryBytes)),
    cpu: cpuMillicores - used.cpuMillicores,
    memory: memoryBytes - used.memoryBytes,
  };
}

/** A node that has none of a resource counts as full. */
function share(used: number, capacity: number): number {
  return capacity > 0 ? used / capacity : 1;
}

function boundPositions(pass: Pass, claims: readonly string[]): ReadonlySet<number> {
  const positions = new Set<number>();
  for (const claim of claims) {
    const position = pass.bound.get(claim);
    if (position !== undefined) positions.add(position);
  }
  return positions;
}

function eligibleFor(
  pass: Pass,
  constraints: readonly PlacementConstraint[],
): Uint8Array | undefined {
  if (constraints.length === 0) return undefined;
  const key = JSON.stringify(constraints.map(({ key, operator, value }) => [key, operator, value]));
  let eligible = pass.eligible.get(key);
  if (eligible === undefined) {
    eligible = Uint8Array.from(pass.nodes, (node) =>
      constraints.every((constraint) => holds(constraint, node)) ? 1 : 0,
    );
    pass.eligible.set(key, eligible);
  }
  return eligible;
}

function holds({ key, operator, value }: PlacementConstraint, node: NodeState): boolean {
  return (labelOf(node, key) === value) === (operator === "equals");
}

function labelOf(node: NodeState, key: string): string | undefined {
  return node.labels !== undefined && Object.hasOwn(node.labels, key)
    ? node.labels[key]
    : undefined;
}

/** One count for each kind of obstacle, every node counted once. */
function reasonsFor(pass: Pass, task: PendingTask): readonly UnplacedReason[] {
  if (pass.nodes.length === 0) return [{ reason: "noNodes", nodes: 0 }];
  const counts = new Map<string, UnplacedReason>();
  for (const position of pass.nodes.keys()) {
    const obstacle = obstacleAt(pass, task, position);
    const key = JSON.stringify(obstacle);
    const nodes = (counts.get(key)?.nodes ?? 0) + 1;
    counts.set(key, { ...obstacle, nodes } as UnplacedReason);
  }
  return [...counts.values()].sort(byOrderOfChecks);
}

const order: readonly UnplacedReason["reason"][] = [
  "noNodes",
  "notReady",
  "claimElsewhere",
  "label",
  "cpu",
  "memory",
];

function byOrderOfChecks(a: UnplacedReason, b: UnplacedReason): number {
  return order.indexOf(a.reason) - order.indexOf(b.reason) || b.nodes - a.nodes;
}

/** The first check that the node fails, counted for one node. */
function obstacleAt(pass: Pass, task: PendingTask, position: number): UnplacedReason {
  const node = pass.nodes[position] as NodeState;
  if (!node.isReady) return { reason: "notReady", nodes: 1 };
  for (const claim of task.claims ?? []) {
    const at = pass.bound.get(claim);
    if (at !== undefined && at !== position) {
      const { nodeId } = pass.nodes[at] as NodeState;
      return { reason: "claimElsewhere", nodes: 1, claim, nodeId };
    }
  }
  const failed = task.placement?.find((constraint) => !holds(constraint, node));
  if (failed !== undefined) {
    const found = labelOf(node, failed.key);
    return {
      reason: "label",
      nodes: 1,
      key: failed.key,
      ...(found === undefined ? {} : { found }),
    };
  }
  const free = pass.tree.cpu[pass.tree.width + position] as number;
  return { reason: free < task.request.cpuMillicores ? "cpu" : "memory", nodes: 1 };
}

function checkAmount(what: string, { cpuMillicores, memoryBytes }: Capacity): void {
  for (const amount of [cpuMillicores, memoryBytes]) {
    if (!(amount >= 0 && amount <= Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(`${what} must be from 0 to 2^53 - 1, found ${amount}`);
    }
  }
}
