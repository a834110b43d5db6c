import { backoffMs, type Clock, pause } from "../clock.ts";
import { isEngineError } from "../engine/engine-error.ts";

/**
 * Does what must be done in the end: tries again for as long as the engine does not answer, or
 * cannot.
 * Rejects with the signal's reason once it aborts, and with any other error at once.
 */
export async function persist<T>(
  clock: Clock,
  signal: AbortSignal,
  action: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      if (!isEngineError(error) || error.code === "neverStarted") throw error;
    }
    await pause(clock, Math.min(backoffMs(failures), 5000), signal);
  }
}
