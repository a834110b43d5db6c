import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Clock, pause } from "../clock.ts";
import type { ContainerSpec, ContainerState, Engine, Labels, OwnedContainer } from "./engine.ts";
import { EngineError, messageOf } from "./engine-error.ts";
import { lastCharacters } from "./output.ts";
import { findCommand } from "./raw-exec-command.ts";
import {
  bootId,
  chownTree,
  clearRun,
  type Place,
  processLine,
  processOf,
  readOutput,
  readSpec,
  readState,
  writeJson,
} from "./raw-exec-files.ts";

/**
 * Starts plain processes of the host in place of containers, for trying the system where no
 * container engine answers. It lies outside the bound R7: nothing is isolated, nothing is limited,
 * the image is not used. A "container" is a folder; its exit code is written by the shell that
 * runs the command, so neither an agent that dies nor one that comes back loses it (A8).
 */
export function rawExecEngine(options: { directory: string; clock: Clock }): Engine {
  const children = new Map<string, ChildProcess>();
  const place = (id: string): Place => ({ folder: join(options.directory, id) });
  const inspect = (id: string): ContainerState | undefined => {
    if (children.has(id)) return { phase: "running" };
    return readState(place(id), options.clock.now());
  };
  const signal = (id: string, name: "SIGTERM" | "SIGKILL"): void => {
    const pid = children.get(id)?.pid ?? processOf(place(id));
    if (pid !== undefined) signalGroup(pid, name);
  };
  const ended = (id: string, within: AbortSignal) =>
    waitForEnd(options.clock, id, inspect, children, within);
  const kill = async (id: string): Promise<void> => {
    writeJson(join(place(id).folder, "killed"), { at: options.clock.now() });
    signal(id, "SIGKILL");
    await ended(id, new AbortController().signal);
  };
  mkdirSync(options.directory, { recursive: true, mode: 0o711 });
  return {
    kind: "raw-exec",
    version: process.version,
    isolates: false,
    hasImage: () => Promise.resolve(false),
    ensureImage: () => Promise.resolve(),
    create: async (spec) => createFolder(options.directory, spec),
    start: async (id) => {
      if (inspect(id)?.phase === "running") return;
      await startProcess(place(id), id, children, options.clock);
    },
    wait: (id, within) => ended(id, within),
    inspect: async (id) => inspect(id),
    stop: async (id, graceSeconds) => {
      if (inspect(id)?.phase !== "running") return;
      signal(id, "SIGTERM");
      const grace = new AbortController();
      const cancel = options.clock.after(graceSeconds * 1000, () => grace.abort());
      await ended(id, grace.signal).catch(() => undefined);
      cancel();
      if (inspect(id)?.phase === "running") await kill(id);
    },
    remove: async (id) => {
      if (inspect(id)?.phase === "running") await kill(id);
      rmSync(place(id).folder, { recursive: true, force: true });
    },
    list: async (labels) => listFolders(options.directory, labels),
    outputTail: async (id, limit) => lastCharacters(readOutput(place(id), limit * 4), limit),
  };
}

function createFolder(directory: string, spec: ContainerSpec): string {
  const folder = join(directory, spec.name);
  const found = readSpec({ folder });
  if (found === undefined) {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    writeJson(join(folder, "spec.json"), spec);
  } else if (!carries(found.labels, spec.labels)) {
    throw new EngineError("neverStarted", `the name ${spec.name} belongs to another container`);
  }
  return spec.name;
}

/**
 * Runs in the process group that it leads: tells its own process and start time on descriptor 3,
 * outlives the signal that asks the command to end, tells the exit code on descriptor 4, and takes
 * what the command left behind with it, as the end of a container would.
 */
const SHELL = `
trap : TERM INT HUP
read -r stat 2>/dev/null </proc/$$/stat || stat=
printf '%s %s\\n' "$$" "$stat" >&3
"$@" 3>&- 4>&-
printf '%s\\n' "$?" >&4
kill -KILL 0
`;

async function startProcess(
  place: Place,
  id: string,
  children: Map<string, ChildProcess>,
  clock: Clock,
): Promise<void> {
  const spec = readSpec(place);
  if (spec === undefined) throw new EngineError("neverStarted", `there is no container ${id}`);
  const work = join(place.folder, "work");
  prepareWorkFolder(work, spec);
  const environment = {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: work,
    MESH_ROOT: work,
    ...spec.environment,
  };
  const command = findCommand(spec.command, { path: environment.PATH, work });
  clearRun(place);
  writeJson(join(place.folder, "started"), { at: clock.now(), boot: bootId() });
  const files = ["output", "pid", "exit"].map((name) =>
    openSync(join(place.folder, name), "a", 0o600),
  );
  const [output, pid, exit] = files as [number, number, number];
  const identity = process.getuid?.() === 0 ? { uid: spec.uid, gid: spec.gid } : {};
  try {
    const child = spawn("/bin/sh", ["-c", SHELL, "mesh", ...command], {
      cwd: work,
      env: environment,
      detached: true,
      stdio: ["ignore", output, output, pid, exit],
      ...identity,
    });
    // The shell tells it too, but may not come to it for a while on a busy machine.
    if (child.pid !== undefined) writeSync(pid, processLine(child.pid));
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    children.set(id, child);
    child.once("exit", () => children.delete(id));
    child.unref();
  } catch (error) {
    clearRun(place);
    throw new EngineError("neverStarted", `the process cannot start: ${messageOf(error)}`);
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** Nothing is mounted: `/config` is the link `./config` in the folder that the command runs in. */
function prepareWorkFolder(work: string, spec: ContainerSpec): void {
  // What the last run left there may be links that lead anywhere.
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true, mode: 0o700 });
  for (const mount of spec.mounts) {
    const around = spec.mounts.find(({ target }) => mount.target.startsWith(`${target}/`));
    if (around !== undefined) {
      // It would be made through a link, into a folder that the module's own code can write.
      throw new EngineError("neverStarted", `${mount.target} lies within ${around.target}`);
    }
    const link = join(work, mount.target);
    mkdirSync(dirname(link), { recursive: true, mode: 0o755 });
    rmSync(link, { force: true });
    symlinkSync(mount.source, link);
  }
  if (process.getuid?.() === 0) chownTree(work, spec);
}

function waitForEnd(
  clock: Clock,
  id: string,
  inspect: (id: string) => ContainerState | undefined,
  children: Map<string, ChildProcess>,
  within: AbortSignal,
): Promise<ContainerState> {
  const look = async (): Promise<ContainerState> => {
    for (;;) {
      within.throwIfAborted();
      const state = inspect(id);
      if (state === undefined) return GONE;
      if (state.phase !== "running") return state;
      const child = children.get(id);
      if (child === undefined) await pause(clock, LOOK_AGAIN_MS, within);
      else await exitOf(child, within);
    }
  };
  return look();
}

/** How often a process is looked at that another agent process started. */
const LOOK_AGAIN_MS = 200;

const GONE: ContainerState = {
  phase: "exited",
  exit: { kind: "unknown", message: "the container is gone" },
};

function exitOf(child: ChildProcess, within: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      child.removeListener("exit", done);
      within.removeEventListener("abort", done);
      child.unref();
      resolve();
    };
    // While somebody waits for the end, the wait keeps the agent's process alive.
    child.ref();
    child.once("exit", done);
    within.addEventListener("abort", done);
  });
}

function signalGroup(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function listFolders(directory: string, labels: Labels): readonly OwnedContainer[] {
  return readdirSync(directory).flatMap((id) => {
    const spec = readSpec({ folder: join(directory, id) });
    return spec !== undefined && carries(spec.labels, labels) ? [{ id, labels: spec.labels }] : [];
  });
}

function carries(found: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => found[key] === value);
}
