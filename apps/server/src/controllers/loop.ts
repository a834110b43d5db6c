import type { Logger } from "pino";
import type { Cancel, Clock } from "../clock.ts";

/** A controller's repeated pass: it is never run twice at a time. */
export interface Loop {
  /** Runs a pass soon; several calls before it starts are one. */
  poke(): void;
  /** Settles when no pass runs or is asked for; true if one did. */
  idle(): Promise<boolean>;
  /** No pass begins any more; settles when the last one is over. */
  stop(): Promise<void>;
}

/** After a failed pass: at first, and at most, after repeated failures. */
const RETRY_MS = { first: 1_000, most: 60_000 };

/**
 * A wall clock that is set back would make a loop sleep for as long again. So it also looks when as
 * much time has passed as the instant was away, with a little more, so that the instant is first.
 */
const ELAPSED_MS = { slack: 1_000, most: 86_400_000 };

/**
 * Runs `pass` at once, when poked, and at the instant that the last pass named. A pass that throws
 * is logged and tried again, later each time; it never ends the loop.
 */
export function startLoop(options: {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pass: (now: number) => Promise<number | undefined>;
}): Loop {
  const { name, clock, log, pass } = options;
  let wanted = false;
  let stopped = false;
  let failures = 0;
  let running: Promise<void> | undefined;
  let cancel: Cancel = () => {};

  const run = async (): Promise<void> => {
    while (wanted && !stopped) {
      wanted = false;
      cancel();
      const next = await once();
      if (next !== undefined && !stopped) cancel = wakeAt(clock, next, poke);
    }
  };
  const once = async (): Promise<number | undefined> => {
    try {
      const next = await pass(clock.now());
      failures = 0;
      return next;
    } catch (error) {
      failures += 1;
      log.error({ err: error, controller: name }, "a pass failed");
      return clock.now() + Math.min(RETRY_MS.first * 2 ** (failures - 1), RETRY_MS.most);
    }
  };
  const poke = (): void => {
    wanted = true;
    // Begins a moment later, so that what is poked together, or by the pass itself, is seen.
    running ??= Promise.resolve()
      .then(run)
      .finally(() => {
        running = undefined;
        // Poked between the last look and here.
        if (wanted && !stopped) poke();
      });
  };
  poke();
  return {
    poke,
    async idle() {
      const wasBusy = running !== undefined;
      while (running !== undefined) await running;
      return wasBusy;
    },
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}

function wakeAt(clock: Clock, instant: number, wake: () => void): Cancel {
  const away = Math.max(0, instant - clock.now()) + ELAPSED_MS.slack;
  const cancels = [clock.at(instant, wake), clock.after(Math.min(away, ELAPSED_MS.most), wake)];
  return () => {
    for (const cancel of cancels) cancel();
  };
}
