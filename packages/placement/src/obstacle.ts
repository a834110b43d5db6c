import { holds, type Ledger, labelOf } from "./ledger.ts";
import type { Capacity, NodeState, PendingTask } from "./node.ts";
import type { UnplacedReason } from "./unplaced.ts";

type Count<R extends UnplacedReason> = { -readonly [K in keyof R]: R[K] };
type Elsewhere = Count<Extract<UnplacedReason, { reason: "claimElsewhere" }>>;
type Label = Count<Extract<UnplacedReason, { reason: "label" }>>;

/** One count for each kind of obstacle; every node is counted once, under the first that it is. */
export function obstaclesTo(ledger: Ledger, task: PendingTask): readonly UnplacedReason[] {
  if (ledger.nodes.length === 0) return [{ reason: "noNodes", nodes: 0 }];
  const counts = { notReady: 0, cpu: 0, memory: 0 };
  const elsewhere = new Map<string, Elsewhere>();
  const labels = new Map<string, Label>();
  for (const [position, node] of ledger.nodes.entries()) {
    if (!node.isReady) {
      counts.notReady += 1;
      continue;
    }
    const claim = task.claims?.find((each) => (ledger.bound.get(each) ?? position) !== position);
    if (claim !== undefined) {
      const { nodeId } = ledger.nodes[ledger.bound.get(claim) as number] as NodeState;
      count(elsewhere, claim, { reason: "claimElsewhere", nodes: 0, claim, nodeId });
      continue;
    }
    const failed = task.placement?.find((constraint) => !holds(constraint, node));
    if (failed !== undefined) {
      const { key } = failed;
      const found = labelOf(node, key);
      const place = found === undefined ? key : `${key}=${found}`;
      const known = found === undefined ? {} : { found };
      count(labels, place, { reason: "label", nodes: 0, key, ...known });
      continue;
    }
    const free = node.capacity.cpuMillicores - (ledger.used[position] as Capacity).cpuMillicores;
    counts[free < task.request.cpuMillicores ? "cpu" : "memory"] += 1;
  }
  return [
    ...some("notReady", counts.notReady),
    ...mostFirst(elsewhere),
    ...mostFirst(labels),
    ...some("cpu", counts.cpu),
    ...some("memory", counts.memory),
  ];
}

function count<R extends { nodes: number }>(counts: Map<string, R>, key: string, first: R): void {
  const known = counts.get(key) ?? first;
  known.nodes += 1;
  counts.set(key, known);
}

function some(reason: "notReady" | "cpu" | "memory", nodes: number): readonly UnplacedReason[] {
  return nodes === 0 ? [] : [{ reason, nodes }];
}

function mostFirst<R extends { nodes: number }>(counts: ReadonlyMap<string, R>): readonly R[] {
  return [...counts.values()].sort((a, b) => b.nodes - a.nodes);
}
