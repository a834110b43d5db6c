import type { Clock } from "../src/clock.ts";

/** A clock that a test moves; wakes run in the order of their instants. */
export interface VirtualClock extends Clock {
  /** Passes time, waking what is due on the way; after each wake `settle` is awaited. */
  advance(ms: number, settle?: () => Promise<void>): Promise<void>;
  /** Moves the wall clock alone, as a step or a machine that slept. */
  step(ms: number): void;
}

interface Timer {
  readonly of: "wall" | "elapsed";
  readonly at: number;
  readonly wake: () => void;
}

export function createVirtualClock(start: number): VirtualClock {
  let wall = start;
  let elapsed = 0;
  let order = 0;
  const timers = new Map<number, Timer>();
  const away = (timer: Timer): number => timer.at - (timer.of === "wall" ? wall : elapsed);
  const takeDue = (within: number): Timer | undefined => {
    const [id, timer] =
      [...timers]
        .sort(([a, x], [b, y]) => away(x) - away(y) || a - b)
        .find(([, t]) => away(t) <= within) ?? [];
    if (id !== undefined) timers.delete(id);
    return timer;
  };
  const add = (timer: Timer) => {
    const id = order++;
    timers.set(id, timer);
    return () => timers.delete(id);
  };
  return {
    now: () => wall,
    elapsedMs: () => elapsed,
    at: (instant, wake) => add({ of: "wall", at: instant, wake }),
    after: (ms, wake) => add({ of: "elapsed", at: elapsed + ms, wake }),
    async advance(ms, settle = async () => {}) {
      let left = ms;
      const pass = (forward: number): void => {
        wall += forward;
        elapsed += forward;
        left -= forward;
      };
      await settle();
      for (let timer = takeDue(left); timer !== undefined; timer = takeDue(left)) {
        pass(Math.max(0, away(timer)));
        timer.wake();
        await settle();
      }
      pass(left);
      await settle();
    },
    step(ms) {
      wall += ms;
    },
  };
}
