/** Optional ceilings (S7): they delay placing, and change nothing that is created. */
export interface Ceilings {
  /** Tasks given to nodes in a second, over all namespaces. */
  readonly startsPerSecond?: number | undefined;
  /** Live tasks on nodes at a time, in each namespace. */
  readonly runningTasksPerNamespace?: number | undefined;
}

/** Which of these tasks, in order, the ceiling on each namespace lets through. */
export function underNamespaceCeiling<T extends { readonly namespace: string }>(
  tasks: readonly T[],
  options: { readonly running: ReadonlyMap<string, number>; readonly ceiling: number },
): { readonly allowed: readonly T[]; readonly waiting: readonly T[] } {
  const counts = new Map(options.running);
  const allowed: T[] = [];
  const waiting: T[] = [];
  for (const task of tasks) {
    const count = counts.get(task.namespace) ?? 0;
    if (count >= options.ceiling) {
      waiting.push(task);
      continue;
    }
    counts.set(task.namespace, count + 1);
    allowed.push(task);
  }
  return { allowed, waiting };
}

/** Lets so many starts through in a second: what is not used is kept for one second at most. */
export interface StartRate {
  /** How many of `wanted` may start now. */
  take(wanted: number, now: number): number;
  /** When the next one may. */
  nextAt(now: number): number;
}

export function createStartRate(startsPerSecond: number): StartRate {
  const most = Math.max(1, startsPerSecond);
  let tokens = most;
  let at: number | undefined;
  return {
    take(wanted, now) {
      // A clock that was set back gives nothing for the time that seems not to have passed.
      const passed = at === undefined ? 0 : Math.max(0, now - at);
      tokens = Math.min(most, tokens + (passed / 1000) * startsPerSecond);
      at = now;
      // A sum of fractions that should be whole may fall short of it by a rounding.
      const taken = Math.min(wanted, Math.floor(tokens + 1e-9));
      tokens = Math.max(0, tokens - taken);
      return taken;
    },
    nextAt: (now) => now + Math.ceil(((1 - Math.min(1, tokens)) / startsPerSecond) * 1000),
  };
}
