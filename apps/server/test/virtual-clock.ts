import type { Clock } from "../src/clock.ts";

/** A clock that a test moves; wakes run in the order of their instants. */
export interface VirtualClock extends Clock {
  /** Passes time, waking what is due on the way; after each wake `settle` is awaited. */
  advance(ms: number, settle?: () => Promise<void>): Promise<void>;
  /** Moves the wall clock alone, as a step or a machine that slept. */
  step(ms: number): void;
}

export function createVirtualClock(start: number): VirtualClock {
  let wall = start;
  let elapsed = 0;
  let order = 0;
  const timers = new Map<number, { at: number; wake: () => void }>();
  const takeDue = (until: number): { at: number; wake: () => void } | undefined => {
    const [id, timer] =
      [...timers].sort(([a, x], [b, y]) => x.at - y.at || a - b).find(([, t]) => t.at <= until) ??
      [];
    if (id !== undefined) timers.delete(id);
    return timer;
  };
  return {
    now: () => wall,
    elapsedMs: () => elapsed,
    at(instant, wake) {
      const id = order++;
      timers.set(id, { at: instant, wake });
      return () => timers.delete(id);
    },
    async advance(ms, settle = async () => {}) {
      const until = wall + ms;
      await settle();
      for (let timer = takeDue(until); timer !== undefined; timer = takeDue(until)) {
        const forward = Math.max(0, timer.at - wall);
        wall += forward;
        elapsed += forward;
        timer.wake();
        await settle();
      }
      elapsed += until - wall;
      wall = until;
      await settle();
    },
    step(ms) {
      wall += ms;
    },
  };
}
