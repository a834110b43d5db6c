import type { Clock } from "../clock.ts";

/** Calls back when the wall clock reaches an instant, and a little early or late never twice. */
export interface Alarm {
  set(at: number): void;
  clear(): void;
}

/**
 * Timers count elapsed time, and a wall clock may be stepped or its machine sleep, so that no wait
 * is longer than this: it bounds how late a step is noticed.
 */
const LOOK_AGAIN_MS = 10_000;

/** `run` is also called after a step of the wall clock, whatever was set. */
export function createAlarm(clock: Clock, run: () => void): Alarm {
  let cancel: (() => void) | undefined;
  const clear = (): void => {
    cancel?.();
    cancel = undefined;
  };
  const set = (at: number): void => {
    clear();
    const offset = clock.now() - clock.elapsed();
    const wait = Math.max(0, Math.min(at - clock.now(), LOOK_AGAIN_MS));
    cancel = clock.after(wait, () => {
      const stepped = Math.abs(clock.now() - clock.elapsed() - offset) >= 1000;
      if (clock.now() >= at || stepped) run();
      else set(at);
    });
  };
  return { set, clear };
}
