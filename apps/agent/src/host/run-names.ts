/** A run's id: the same for one step on one node, and for no other (J12). */
export function runIdOf(node: string, module: string, name: string): string {
  return `${node}.${module}.${name}`;
}
