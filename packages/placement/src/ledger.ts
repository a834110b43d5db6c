import type { Leaf } from "./load-tree.ts";
import type { Capacity, NodeState, PlacementConstraint } from "./node.ts";

/** The nodes in the order of their names, and what one pass has given away so far. */
export interface Ledger {
  readonly nodes: readonly NodeState[];
  readonly used: readonly { cpuMillicores: number; memoryBytes: number }[];
  /** Claim → position of the node that it is bound to. */
  readonly bound: Map<string, number>;
  /** Positions in the order in which tasks were placed on them. */
  readonly placed: number[];
}

export function openLedger(given: readonly NodeState[]): Ledger {
  const nodes = [...given].sort((a, b) => (a.nodeId < b.nodeId ? -1 : a.nodeId > b.nodeId ? 1 : 0));
  const bound = new Map<string, number>();
  for (const [position, node] of nodes.entries()) {
    checkAmount(`capacity of node ${node.nodeId}`, node.capacity);
    checkAmount(`used of node ${node.nodeId}`, node.used);
    if (nodes[position - 1]?.nodeId === node.nodeId) {
      throw new RangeError(`node ${node.nodeId} is given twice`);
    }
    for (const claim of node.claims ?? []) {
      if ((bound.get(claim) ?? position) !== position) {
        throw new RangeError(`claim ${claim} is bound to two nodes`);
      }
      bound.set(claim, position);
    }
  }
  return { nodes, used: nodes.map(({ used }) => ({ ...used })), bound, placed: [] };
}

/** How loaded the node is, and what it has left. */
export function leafAt(ledger: Ledger, position: number): Leaf {
  const { capacity } = ledger.nodes[position] as NodeState;
  const used = ledger.used[position] as Capacity;
  const cpuShare = share(used.cpuMillicores, capacity.cpuMillicores);
  const memoryShare = share(used.memoryBytes, capacity.memoryBytes);
  return {
    load: Math.max(cpuShare, memoryShare),
    cpu: capacity.cpuMillicores - used.cpuMillicores,
    memory: capacity.memoryBytes - used.memoryBytes,
  };
}

export function holds({ key, operator, value }: PlacementConstraint, node: NodeState): boolean {
  return (labelOf(node, key) === value) === (operator === "equals");
}

export function labelOf({ labels }: NodeState, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

export function checkAmount(what: string, { cpuMillicores, memoryBytes }: Capacity): void {
  for (const amount of [cpuMillicores, memoryBytes]) {
    // A text, as database drivers give large numbers, would be joined instead of added.
    if (!(typeof amount === "number" && amount >= 0 && amount <= Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(`${what} must be from 0 to 2^53 - 1, found ${amount}`);
    }
  }
}

/** A node that has none of a resource counts as full. */
function share(used: number, capacity: number): number {
  return capacity > 0 ? used / capacity : 1;
}
