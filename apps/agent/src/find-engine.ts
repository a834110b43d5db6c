import { existsSync } from "node:fs";
import Dockerode from "dockerode";

export interface FoundEngine {
  readonly kind: "docker" | "podman";
  readonly socketPath: string;
  readonly version: string;
}

/** An engine that takes longer to say its version counts as absent. */
const ANSWER_MS = 3000;

/**
 * The first container engine that answers: the one `DOCKER_HOST` names, then Docker's and Podman's
 * usual sockets, or only the `socketPaths` given. `undefined` when none does.
 */
export async function findEngine(
  options: { readonly socketPaths?: readonly string[] | undefined } = {},
): Promise<FoundEngine | undefined> {
  for (const socketPath of options.socketPaths ?? usualSockets(process.env)) {
    if (!existsSync(socketPath)) continue;
    const found = await askVersion(socketPath).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Asks the engine behind a socket who it is; rejects when it does not answer in time. */
export async function askVersion(socketPath: string): Promise<FoundEngine> {
  const docker = new Dockerode({ socketPath, timeout: ANSWER_MS });
  const { Version, Components } = await docker.version();
  const isPodman = (Components ?? []).some(({ Name }) => /podman/i.test(Name));
  return { kind: isPodman ? "podman" : "docker", socketPath, version: Version };
}

function usualSockets(environment: NodeJS.ProcessEnv): readonly string[] {
  const { DOCKER_HOST: named, XDG_RUNTIME_DIR: own } = environment;
  return [
    ...(named?.startsWith("unix://") ? [named.slice("unix://".length)] : []),
    "/var/run/docker.sock",
    ...(own === undefined ? [] : [`${own}/docker.sock`]),
    "/run/podman/podman.sock",
    ...(own === undefined ? [] : [`${own}/podman/podman.sock`]),
  ];
}
