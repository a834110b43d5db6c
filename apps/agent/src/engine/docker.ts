import { request } from "node:http";
import Dockerode from "dockerode";
import type { Clock } from "../clock.ts";
import { pause } from "../clock.ts";
import { ANSWER_MS, answered, type Connection } from "./connection.ts";
import { containerStateOf } from "./docker-state.ts";
import type { ContainerSpec, ContainerState, Engine, Labels, OwnedContainer } from "./engine.ts";
import { EngineError, isEngineError, messageOf } from "./engine-error.ts";
import { createImagePuller, type RegistryCredentials } from "./image-pull.ts";
import { demultiplex, lastCharacters } from "./output.ts";

/** Below this the engine refuses a limit, and a container's first process may not fit (R4). */
const LEAST_MEMORY_BYTES = 6 * 1024 * 1024;
/** Below this the kernel refuses a quota. */
const LEAST_CPU_MILLICORES = 10;
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
  const { socketPath, clock, kind } = options;
  const docker = new Dockerode({ socketPath });
  const line: Connection = { docker, socketPath, clock };
  const images = createImagePuller(line, options.credentials ?? {});
  return {
    kind,
    version: options.version,
    isolates: true,
    hasImage: images.has,
    ensureImage: images.ensure,
    create: (spec) => createContainer(line, kind, spec),
    start: (id) => startContainer(line, id),
    wait: (id, signal) => waitForEnd(line, id, signal),
    inspect: async (id) => containerStateOf(await inspectContainer(line, id)),
    stop: (id, graceSeconds) => {
      const call = docker.getContainer(id).stop({ t: Math.ceil(graceSeconds) });
      return absentIsFine(answered(line, call, graceSeconds * 1000 + ANSWER_MS));
    },
    remove: (id) =>
      absentIsFine(answered(line, docker.getContainer(id).remove({ force: true, v: true }))),
    list: (labels) => listContainers(line, labels),
    outputTail: (id, limit) => outputTail(line, id, limit),
  };
}

type Inspected = Dockerode.ContainerInspectInfo | undefined;

async function inspectContainer(line: Connection, id: string): Promise<Inspected> {
  try {
    return await answered(line, line.docker.getContainer(id).inspect());
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw unavailable(error);
  }
}

async function createContainer(
  line: Connection,
  kind: "docker" | "podman",
  spec: ContainerSpec,
): Promise<string> {
  try {
    return (await answered(line, line.docker.createContainer(createOptions(kind, spec)))).id;
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined) throw unavailable(error);
    const taken = status === 409 || (status === 500 && messageOf(error).includes("already in use"));
    const found = taken ? await inspectContainer(line, spec.name) : undefined;
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
      NanoCpus: Math.max(spec.cpuMillicores, LEAST_CPU_MILLICORES) * 1_000_000,
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

async function startContainer(line: Connection, id: string): Promise<void> {
  try {
    await answered(line, line.docker.getContainer(id).start());
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
  { docker, socketPath, clock }: Connection,
  id: string,
  signal: AbortSignal,
): Promise<ContainerState> {
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted();
    try {
      const state = containerStateOf(await inspectContainer({ docker, socketPath, clock }, id));
      if (state === undefined) return gone();
      if (state.phase !== "running") return state;
      const since = clock.elapsed();
      await hangingWait(socketPath, id, signal);
      if (clock.elapsed() - since > RECONNECT_MS) failures = 0;
    } catch {
      signal.throwIfAborted();
    }
    if (failures > 0) await pause(clock, Math.min(50 * 2 ** failures, RECONNECT_MS), signal);
  }
}

/**
 * Resolves when the engine answers or the line breaks. It is a request of its own, since the
 * client library never settles where an answer that has begun is cut off.
 */
function hangingWait(socketPath: string, id: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const path = `/containers/${encodeURIComponent(id)}/wait`;
    const call = request({ socketPath, path, method: "POST", signal }, (answer) => {
      answer.on("error", () => undefined);
      answer.on("close", resolve);
      answer.resume();
    });
    call.on("error", reject);
    call.end();
  });
}

function gone(): ContainerState {
  return { phase: "exited", exit: { kind: "unknown", message: "the container is gone" } };
}

async function listContainers(
  line: Connection,
  labels: Labels,
): Promise<readonly OwnedContainer[]> {
  const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  try {
    const found = await answered(
      line,
      line.docker.listContainers({ all: true, filters: { label } }),
    );
    return found.map((container) => ({ id: container.Id, labels: container.Labels }));
  } catch (error) {
    throw unavailable(error);
  }
}

async function outputTail(line: Connection, id: string, limit: number): Promise<string> {
  try {
    const raw: unknown = await answered(
      line,
      line.docker
        .getContainer(id)
        .logs({ stdout: true, stderr: true, follow: false, tail: TAIL_LINES }),
    );
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
    if (status === undefined) throw unavailable(error);
    throw new EngineError("refused", engineText(error), { cause: error });
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
