import Dockerode from "dockerode";
import type { Clock } from "../clock.ts";
import { pause } from "../clock.ts";
import { containerStateOf } from "./docker-state.ts";
import type { ContainerSpec, ContainerState, Engine, Labels, OwnedContainer } from "./engine.ts";
import { EngineError, isEngineError, messageOf } from "./engine-error.ts";
import { createImagePuller, type RegistryCredentials } from "./image-pull.ts";
import { demultiplex, lastCharacters } from "./output.ts";

/** Below this the engine refuses a limit, and a container's first process may not fit (R4). */
const LEAST_MEMORY_BYTES = 6 * 1024 * 1024;
/** Longest pause between two tries to reach an engine that went away. */
const RECONNECT_MS = 2000;
/** How many lines of output are asked for; the characters wanted are cut from them. */
const TAIL_LINES = 200;

/**
 * The adapter to the Docker Engine API, also as Podman serves it, on a local socket.
 * It keeps no state: names and labels are the engine's, so a new process finds everything again.
 */
export function dockerEngine(options: {
  kind: "docker" | "podman";
  socketPath: string;
  version: string;
  clock: Clock;
  credentials?: RegistryCredentials | undefined;
}): Engine {
  const docker = new Dockerode({ socketPath: options.socketPath });
  const images = createImagePuller(docker, options.credentials ?? {});
  const inspect = (id: string) => inspectContainer(docker, id);
  return {
    kind: options.kind,
    version: options.version,
    isolates: true,
    hasImage: images.has,
    ensureImage: images.ensure,
    create: (spec) => createContainer(docker, options.kind, spec),
    start: (id) => startContainer(docker, id),
    wait: (id, signal) => waitForEnd(docker, options.clock, id, signal),
    inspect: async (id) => containerStateOf(await inspect(id)),
    stop: (id, graceSeconds) =>
      absentIsFine(docker.getContainer(id).stop({ t: Math.ceil(graceSeconds) })),
    remove: (id) => absentIsFine(docker.getContainer(id).remove({ force: true, v: true })),
    list: (labels) => listContainers(docker, labels),
    outputTail: (id, limit) => outputTail(docker, id, limit),
  };
}

type Inspected = Dockerode.ContainerInspectInfo | undefined;

async function inspectContainer(docker: Dockerode, id: string): Promise<Inspected> {
  try {
    return await docker.getContainer(id).inspect();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw unavailable(error);
  }
}

async function createContainer(
  docker: Dockerode,
  kind: "docker" | "podman",
  spec: ContainerSpec,
): Promise<string> {
  try {
    return (await docker.createContainer(createOptions(kind, spec))).id;
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined) throw unavailable(error);
    const taken = status === 409 || (status === 500 && messageOf(error).includes("already in use"));
    const found = taken ? await inspectContainer(docker, spec.name) : undefined;
    if (found !== undefined && carries(found.Config.Labels, spec.labels)) return found.Id;
    throw new EngineError("neverStarted", engineText(error), { cause: error });
  }
}

/** R7 in the engine's words: no privilege, no capability, own namespaces, limits, nothing else. */
function createOptions(
  kind: "docker" | "podman",
  spec: ContainerSpec,
): Dockerode.ContainerCreateOptions {
  const memory = Math.max(spec.memoryBytes, LEAST_MEMORY_BYTES);
  return {
    name: spec.name,
    Image: spec.image,
    ...(spec.command === undefined ? {} : { Cmd: [...spec.command] }),
    Env: Object.entries(spec.environment).map(([key, value]) => `${key}=${value}`),
    Labels: { ...spec.labels },
    User: `${spec.uid}:${spec.gid}`,
    AttachStdin: false,
    AttachStdout: false,
    AttachStderr: false,
    OpenStdin: false,
    Tty: false,
    HostConfig: {
      Mounts: spec.mounts.map((mount) => ({
        Type: "bind",
        Source: mount.source,
        Target: mount.target,
        ReadOnly: mount.readOnly,
      })),
      Privileged: false,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      IpcMode: "private",
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: spec.cpuMillicores * 1_000_000,
      PidsLimit: spec.pids,
      RestartPolicy: { Name: "no" },
      AutoRemove: false,
      PublishAllPorts: false,
      ...(kind === "docker"
        ? {
            CgroupnsMode: "private",
            LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } },
          }
        : {}),
    },
  };
}

async function startContainer(docker: Dockerode, id: string): Promise<void> {
  try {
    await docker.getContainer(id).start();
  } catch (error) {
    const status = statusOf(error);
    if (status === 304) return;
    if (status === undefined) throw unavailable(error);
    throw new EngineError("neverStarted", engineText(error), { cause: error });
  }
}

/**
 * The engine's answer to `wait` is only a hint to look: it breaks when the engine restarts, and
 * its code hides a kill for lack of memory, so what counts is what an inspection says afterwards.
 */
async function waitForEnd(
  docker: Dockerode,
  clock: Clock,
  id: string,
  signal: AbortSignal,
): Promise<ContainerState> {
  for (let failures = 0; ; ) {
    signal.throwIfAborted();
    try {
      const state = containerStateOf(await inspectContainer(docker, id));
      if (state === undefined) return gone();
      if (state.phase !== "running") return state;
      await docker.getContainer(id).wait({ abortSignal: signal });
      failures = 0;
    } catch {
      signal.throwIfAborted();
      failures += 1;
      await pause(clock, Math.min(100 * 2 ** failures, RECONNECT_MS), signal);
    }
  }
}

function gone(): ContainerState {
  return { phase: "exited", exit: { kind: "unknown", message: "the container is gone" } };
}

async function listContainers(
  docker: Dockerode,
  labels: Labels,
): Promise<readonly OwnedContainer[]> {
  const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  try {
    const found = await docker.listContainers({ all: true, filters: { label } });
    return found.map((container) => ({ id: container.Id, labels: container.Labels }));
  } catch (error) {
    throw unavailable(error);
  }
}

async function outputTail(docker: Dockerode, id: string, limit: number): Promise<string> {
  try {
    const raw: unknown = await docker
      .getContainer(id)
      .logs({ stdout: true, stderr: true, follow: false, tail: TAIL_LINES });
    return lastCharacters(demultiplex(raw as Buffer), limit);
  } catch (error) {
    if (statusOf(error) !== undefined) return "";
    throw unavailable(error);
  }
}

async function absentIsFine(action: Promise<unknown>): Promise<void> {
  try {
    await action;
  } catch (error) {
    const status = statusOf(error);
    // 304: already stopped; 404: not there; 409: its removal is under way.
    if (status === 304 || status === 404 || status === 409) return;
    throw unavailable(error);
  }
}

function carries(found: Labels | undefined, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => found?.[key] === value);
}

function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown }).statusCode;
  return typeof status === "number" ? status : undefined;
}

/** The engine's own words, without the client's preamble about the status. */
export function engineText(error: unknown): string {
  const body = (error as { json?: { message?: unknown } }).json?.message;
  return typeof body === "string" && body !== "" ? body : messageOf(error);
}

function unavailable(error: unknown): EngineError {
  if (isEngineError(error)) return error;
  return new EngineError("unavailable", engineText(error), { cause: error });
}
