export type { Capacity, NodeState, PendingTask, PlacementConstraint } from "./node.ts";
export { type Assignment, type Placements, placeTasks } from "./place.ts";
export { explainUnplaced, type Unplaced, type UnplacedReason } from "./unplaced.ts";
