import type { Clock } from "../src/clock.ts";

/** Wall time and elapsed time in the test's hands; promises settle between any two timers. */
export interface VirtualClock extends Clock {
  /** Lets `ms` of both times go by, firing timers in order. */
  advance(ms: number): Promise<void>;
  /** Goes on until the wall clock shows this instant. */
  advanceTo(at: number): Promise<void>;
  /** Sets the wall clock without letting time go by. */
  step(ms: number): void;
  /** Lets every promise settle that needs no further time. */
  settle(): Promise<void>;
  readonly waiting: number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export function virtualClock(startAt: number, epoch = "boot-1"): VirtualClock {
  let elapsed = 0;
  let offset = startAt;
  let order = 0;
  const timers = new Set<Timer>();
  const clock: VirtualClock = {
    epoch,
    now: () => elapsed + offset,
    elapsed: () => elapsed,
    after(delayMs, run) {
      order += 1;
      const timer = { at: elapsed + Math.max(0, delayMs), order, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await clock.settle();
      for (;;) {
        const next = earliest(timers);
        if (next === undefined || next.at > until) break;
        timers.delete(next);
        elapsed = next.at;
        next.run();
        await clock.settle();
      }
      elapsed = until;
    },
    advanceTo: (at) => clock.advance(at - clock.now()),
    step(ms) {
      offset += ms;
    },
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    get waiting() {
      return timers.size;
    },
  };
  return clock;
}

function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let best: Timer | undefined;
  for (const timer of timers) {
    if (
      best === undefined ||
      timer.at < best.at ||
      (timer.at === best.at && timer.order < best.order)
    ) {
      best = timer;
    }
  }
  return best;
}
