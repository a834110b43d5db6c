import { readFileSync } from "node:fs";

/** Wall time and elapsed time, which part when a clock is set or a machine sleeps. */
export interface Clock {
  /** Wall time, epoch milliseconds UTC. It may step either way. */
  now(): number;
  /** Milliseconds that never go back; where the system allows, sleep of the machine counts. */
  elapsed(): number;
  /** Names the counter behind `elapsed`: two readings compare only within one epoch (a boot). */
  readonly epoch: string;
  /** Calls `run` once, `delayMs` from now in elapsed time, however far; returns its cancel. */
  after(delayMs: number, run: () => void): () => void;
}

/** The platform's timers take at most this; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function systemClock(): Clock {
  const boot = readText("/proc/sys/kernel/random/boot_id");
  const countsSleep = boot !== undefined && uptimeMs() !== undefined;
  return {
    now: () => Date.now(),
    elapsed: () => (countsSleep ? uptimeMs() : undefined) ?? performance.now(),
    epoch: countsSleep ? boot : `process-${process.pid}-${performance.timeOrigin}`,
    after: longTimer,
  };
}

function longTimer(delayMs: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (remainingMs: number): void => {
    const stepMs = Math.min(Math.max(remainingMs, 0), LONGEST_TIMER_MS);
    timer = setTimeout(() => {
      if (remainingMs > stepMs) arm(remainingMs - stepMs);
      else run();
    }, stepMs);
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}

/** Time since boot with sleep counted, in steps of 10 ms; only Linux tells it. */
function uptimeMs(): number | undefined {
  const seconds = Number(readText("/proc/uptime")?.split(" ")[0]);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Resolves after `delayMs` of elapsed time, or as soon as `signal` aborts. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal.addEventListener("abort", done);
  });
}

/** The wait before try `failures` + 1: one second, doubled each time, at most one minute. */
export function backoffMs(failures: number): number {
  return Math.min(1000 * 2 ** Math.max(0, failures - 1), 60_000);
}
