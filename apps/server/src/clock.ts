/** Undoes a timer; repeating it does nothing. */
export type Cancel = () => void;

/** Wall time and elapsed time, apart: the first may step, the second never goes back. */
export interface Clock {
  /** Epoch milliseconds UTC. */
  now(): number;
  /** Milliseconds since some fixed moment; not moved by steps of the wall clock. */
  elapsedMs(): number;
  /** Calls `wake` once, when the wall clock reaches `at`, however far away that is. */
  at(instant: number, wake: () => void): Cancel;
  /** Calls `wake` once, when `ms` (at most a day) of elapsed time have passed. */
  after(ms: number, wake: () => void): Cancel;
}

/**
 * Longest single wait. Timers count elapsed time and hold at most 24.8 days, so a wait is cut into
 * pieces, and after each the wall clock is read again: a step or a suspended machine costs at most
 * one piece.
 */
const SLICE_MS = 10_000;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  at(instant, wake) {
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      const left = instant - Date.now();
      if (left <= 0) wake();
      else timer = setTimeout(wait, Math.min(left, SLICE_MS));
    };
    timer = setTimeout(wait, Math.max(0, Math.min(instant - Date.now(), SLICE_MS)));
    return () => clearTimeout(timer);
  },
  after(ms, wake) {
    const timer = setTimeout(wake, ms);
    return () => clearTimeout(timer);
  },
};
