import type { Clock } from "../clock.ts";
import type { ContainerState, Engine } from "../engine/engine.ts";
import { isEngineError } from "../engine/engine-error.ts";
import { persist } from "./persist.ts";

/** What was found of a container that had been started before; `undefined` of a fresh start. */
export type FoundState = Exclude<ContainerState, { phase: "created" }> | undefined;

/**
 * Starts a container that was created and never ran; one that ran or runs is left as it is, so that
 * nothing is started twice (A7). `beforeStart` may throw to prevent the start.
 */
export async function ensureRunning(
  { engine, clock, signal }: { engine: Engine; clock: Clock; signal: AbortSignal },
  id: string,
  beforeStart: () => void,
): Promise<FoundState> {
  const look = () => persist(clock, signal, () => engine.inspect(id));
  const found = await look();
  if (found?.phase !== "created") return found;
  beforeStart();
  try {
    await engine.start(id);
    return undefined;
  } catch (error) {
    // No answer is no failure yet: the engine may have started it all the same.
    if (!isEngineError(error) || error.code !== "unavailable") throw error;
    const after = await look();
    if (after === undefined || after.phase === "created") throw error;
    return after;
  }
}
