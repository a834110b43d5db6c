/** An amount of both resources. */
export interface Capacity {
  /** Thousandths of a core. */
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

/** A node label that must, or must not, have a value; a missing label equals no value. */
export interface PlacementConstraint {
  readonly key: string;
  readonly operator: "equals" | "not_equals";
  readonly value: string;
}

/** A task that no node has yet; leave out those that are suspended or not yet to start. */
export interface PendingTask {
  readonly taskId: string;
  readonly request: Capacity;
  /** All must hold. */
  readonly placement?: readonly PlacementConstraint[] | undefined;
  /** Volume claims, by names that are unique over all namespaces. */
  readonly claims?: readonly string[] | undefined;
}

/** What is known of a node at the moment of placing. */
export interface NodeState {
  readonly nodeId: string;
  readonly isReady: boolean;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly capacity: Capacity;
  /** The requests of all live tasks on it, added up. */
  readonly used: Capacity;
  /** Volume claims that are bound to this node. */
  readonly claims?: readonly string[] | undefined;
}
