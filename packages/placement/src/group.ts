import { holds, type Ledger, labelOf, leafAt } from "./ledger.ts";
import { createLoadTree, type LoadTree, leastLoaded, updateLeaf } from "./load-tree.ts";
import type { Capacity, NodeState, PlacementConstraint } from "./node.ts";

/** The ready nodes that satisfy the same constraints, searchable by load. */
interface Group {
  /** Ascending, so that ties go to the first name. */
  readonly positions: readonly number[];
  readonly leafOf: ReadonlyMap<number, number>;
  readonly tree: LoadTree;
  /** How much of the ledger's `placed` the tree already knows. */
  known: number;
}

/** Groups and label values, each worked out when first asked for. */
export interface Groups {
  readonly byConstraints: Map<string, Group>;
  readonly byLabel: Map<string, ReadonlyMap<string | undefined, readonly number[]>>;
}

export function createGroups(): Groups {
  return { byConstraints: new Map(), byLabel: new Map() };
}

/** Position of the least loaded node of those that satisfy all constraints and have room, or -1. */
export function leastLoadedOf(
  groups: Groups,
  ledger: Ledger,
  constraints: readonly PlacementConstraint[],
  request: Capacity,
): number {
  const group = groupFor(groups, ledger, constraints);
  const { placed } = ledger;
  for (; group.known < placed.length; group.known += 1) {
    const position = placed[group.known] as number;
    const leaf = group.leafOf.get(position);
    if (leaf !== undefined) updateLeaf(group.tree, leaf, leafAt(ledger, position));
  }
  const leaf = leastLoaded(group.tree, request.cpuMillicores, request.memoryBytes);
  return group.positions[leaf] ?? -1;
}

function groupFor(
  groups: Groups,
  ledger: Ledger,
  constraints: readonly PlacementConstraint[],
): Group {
  const signature = constraints
    .map(({ key, operator, value }) => JSON.stringify([key, operator, value]))
    .join();
  const known = groups.byConstraints.get(signature);
  if (known !== undefined) return known;
  const positions = candidates(groups, ledger, constraints).filter((position) => {
    const node = ledger.nodes[position] as NodeState;
    return node.isReady && constraints.every((constraint) => holds(constraint, node));
  });
  const group: Group = {
    positions,
    leafOf: new Map(positions.map((position, leaf) => [position, leaf])),
    tree: createLoadTree(positions.map((position) => leafAt(ledger, position))),
    known: ledger.placed.length,
  };
  groups.byConstraints.set(signature, group);
  return group;
}

/** Nodes that can satisfy the constraints: by the first label that must have a value, or all. */
function candidates(
  { byLabel }: Groups,
  { nodes }: Ledger,
  constraints: readonly PlacementConstraint[],
): readonly number[] {
  const first = constraints.find(({ operator }) => operator === "equals");
  if (first === undefined) return [...nodes.keys()];
  let byValue = byLabel.get(first.key);
  if (byValue === undefined) {
    byValue = positionsByValue(nodes, first.key);
    byLabel.set(first.key, byValue);
  }
  return byValue.get(first.value) ?? [];
}

function positionsByValue(
  nodes: readonly NodeState[],
  key: string,
): ReadonlyMap<string | undefined, readonly number[]> {
  const byValue = new Map<string | undefined, number[]>();
  for (const [position, node] of nodes.entries()) {
    const value = labelOf(node, key);
    const positions = byValue.get(value);
    if (positions === undefined) byValue.set(value, [position]);
    else positions.push(position);
  }
  return byValue;
}
