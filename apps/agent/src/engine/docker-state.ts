import type Dockerode from "dockerode";
import type { ContainerState } from "./engine.ts";

/**
 * What an inspection says, in the port's words. A container that the engine refused to start stays
 * `created`; one whose memory ran out is told by the flag alone, since its code may well be 0.
 */
export function containerStateOf(
  found: Dockerode.ContainerInspectInfo | undefined,
): ContainerState | undefined {
  if (found === undefined) return undefined;
  const { State } = found;
  const startedAt = instantOf(State.StartedAt);
  if (State.Running || State.Paused || State.Restarting) {
    return { phase: "running", ...(startedAt === undefined ? {} : { startedAt }) };
  }
  if (startedAt === undefined) return { phase: "created" };
  const finishedAt = instantOf(State.FinishedAt);
  return {
    phase: "exited",
    exit: { kind: "code", exitCode: State.ExitCode, outOfMemory: State.OOMKilled === true },
    startedAt,
    ...(finishedAt === undefined ? {} : { finishedAt }),
  };
}

/** The engine writes year 1 for "not yet". */
function instantOf(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? "");
  return Number.isFinite(at) && at > 0 ? at : undefined;
}
