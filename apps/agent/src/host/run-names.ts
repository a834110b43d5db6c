import { createHash } from "node:crypto";

/** A schedule's name is at most this long (D10); a container's may be longer. */
const MAX_SCHEDULE_NAME = 40;

/** The name under which a container's schedule is decided: its own, shortened where it must be. */
export function scheduleNameOf(container: string): string {
  if (container.length <= MAX_SCHEDULE_NAME) return container;
  const digest = createHash("sha256").update(container).digest("hex").slice(0, 10);
  return `${container.slice(0, MAX_SCHEDULE_NAME - 11).replace(/-+$/, "")}-${digest}`;
}

/** A run's id: the same for one step on one node, and for no other (J12). */
export function runIdOf(node: string, module: string, name: string): string {
  return `${node}.${module}.${name}`;
}
