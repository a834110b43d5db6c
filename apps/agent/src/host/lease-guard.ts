import type { Clock } from "../clock.ts";
import type { Journal } from "../journal/journal.ts";
import type { HostSettings } from "./settings.ts";

/** Ends the tasks' containers before the server gives their work to others (S4). */
export interface LeaseGuard {
  /** The server answered what was sent at `sentAt` of elapsed time. */
  granted(lease: { readonly leaseSeconds: number; readonly sentAt: number }): void;
  /** Whether tasks may run at present. */
  holds(): boolean;
  /** Goes on with the lease from before a restart: one that lapsed meanwhile ends tasks at once. */
  start(): void;
}

/**
 * The deadline is the send time of the last acknowledged heartbeat, plus the lease, less the grace
 * of a stop; it is counted in elapsed time, so that no step of the wall clock moves it.
 */
export function createLeaseGuard(context: {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly settings: HostSettings;
  readonly signal: AbortSignal;
  readonly onLapse: (graceSeconds: number) => Promise<void>;
}): LeaseGuard {
  const { clock, journal, settings, signal, onLapse } = context;
  const before = journal.lease();
  let deadline = before?.epoch === clock.epoch ? before.elapsedMs : Number.NEGATIVE_INFINITY;
  let graceSeconds = settings.stopGraceSeconds;
  let cancel: (() => void) | undefined;
  let started = false;
  const arm = (): void => {
    cancel?.();
    if (!started || signal.aborted) return;
    cancel = clock.after(Math.max(0, deadline - clock.elapsed()), () => {
      if (clock.elapsed() < deadline) arm();
      else void onLapse(graceSeconds).catch(() => undefined);
    });
  };
  signal.addEventListener("abort", () => cancel?.());
  return {
    granted: ({ leaseSeconds, sentAt }) => {
      // A grace as long as the lease would leave no time to work in.
      graceSeconds = Math.min(settings.stopGraceSeconds, leaseSeconds / 3);
      const next = sentAt + (leaseSeconds - graceSeconds) * 1000;
      if (next <= deadline) return;
      deadline = next;
      journal.setLease({ epoch: clock.epoch, elapsedMs: deadline });
      arm();
    },
    holds: () => clock.elapsed() < deadline,
    start: () => {
      started = true;
      arm();
    },
  };
}
