import type { Clock } from "../clock.ts";

/** Wakes one who waits; a ring while nobody waits is not lost. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, at once if it rang since the last wait, or after `withinMs`. */
  wait(signal: AbortSignal, limit?: { clock: Clock; withinMs: number }): Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    wait: (signal, limit) =>
      new Promise((resolve) => {
        let cancel: (() => void) | undefined;
        const done = (): void => {
          rung = false;
          wake = undefined;
          cancel?.();
          signal.removeEventListener("abort", done);
          resolve();
        };
        if (rung || signal.aborted) return done();
        wake = done;
        cancel = limit?.clock.after(limit.withinMs, done);
        signal.addEventListener("abort", done);
      }),
  };
}
