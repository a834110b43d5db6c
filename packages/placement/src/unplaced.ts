/**
 * Why some nodes cannot take a task. Each node is counted once, under the first of these that
 * applies to it, in this order.
 */
export type UnplacedReason =
  | { readonly reason: "noNodes"; readonly nodes: 0 }
  | { readonly reason: "notReady"; readonly nodes: number }
  /** The claim is bound to another node. */
  | {
      readonly reason: "claimElsewhere";
      readonly nodes: number;
      readonly claim: string;
      readonly nodeId: string;
    }
  /** A constraint does not hold; `found` is the node's value, absent if it has no such label. */
  | {
      readonly reason: "label";
      readonly nodes: number;
      readonly key: string;
      readonly found?: string;
    }
  /** Less cpu is left than the task asks for. */
  | { readonly reason: "cpu"; readonly nodes: number }
  | { readonly reason: "memory"; readonly nodes: number };

/** A task that no node can take now, with one count for each kind of obstacle. */
export interface Unplaced {
  readonly taskId: string;
  readonly reasons: readonly UnplacedReason[];
}

/** The reasons in words, as in "3 nodes: 2 lack memory, 1 has zone=b". */
export function explainUnplaced(reasons: readonly UnplacedReason[]): string {
  const total = reasons.reduce((sum, { nodes }) => sum + nodes, 0);
  if (total === 0) return "there are no nodes";
  const heading = total === 1 ? "1 node" : `${total} nodes`;
  return `${heading}: ${reasons.map(explainReason).join(", ")}`;
}

function explainReason(reason: UnplacedReason): string {
  const { nodes } = reason;
  const one = nodes === 1;
  switch (reason.reason) {
    case "noNodes":
      return "there are no nodes";
    case "notReady":
      return `${nodes} ${one ? "is" : "are"} not ready`;
    case "claimElsewhere":
      return `${nodes} ${one ? "lacks" : "lack"} claim ${reason.claim}, bound to ${reason.nodeId}`;
    case "label":
      return reason.found === undefined
        ? `${nodes} ${one ? "has" : "have"} no label ${reason.key}`
        : `${nodes} ${one ? "has" : "have"} ${reason.key}=${reason.found}`;
    case "cpu":
      return `${nodes} ${one ? "lacks" : "lack"} cpu`;
    case "memory":
      return `${nodes} ${one ? "lacks" : "lack"} memory`;
  }
}
