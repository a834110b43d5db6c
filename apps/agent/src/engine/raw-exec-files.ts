import {
  closeSync,
  fstatSync,
  lchownSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ContainerSpec, ContainerState } from "./engine.ts";

/** The folder of a container: `spec.json`, `started`, `pid`, `exit`, `output`, `work`. */
export interface Place {
  readonly folder: string;
}

/** A started shell tells its process number within this time, or it never ran. */
const BEGINS_WITHIN_MS = 2000;
const KILLED_CODE = 128 + 9;

export function readSpec(place: Place): ContainerSpec | undefined {
  return readJson(join(place.folder, "spec.json")) as ContainerSpec | undefined;
}

/** What the files and the process table say about a process that nobody here started. */
export function readState(place: Place, now: number): ContainerState | undefined {
  if (readSpec(place) === undefined) return undefined;
  const started = readJson(join(place.folder, "started")) as { at: number } | undefined;
  if (started === undefined) return { phase: "created" };
  const startedAt = started.at;
  const exitFile = join(place.folder, "exit");
  const code = /^([0-9]+)\n/.exec(readText(exitFile) ?? "")?.[1];
  if (code !== undefined) {
    return {
      phase: "exited",
      exit: { kind: "code", exitCode: Number(code), outOfMemory: false },
      startedAt,
      finishedAt: Math.trunc(statSync(exitFile).mtimeMs),
    };
  }
  if (processOf(place) !== undefined) return { phase: "running", startedAt };
  const killed = readJson(join(place.folder, "killed")) as { at: number } | undefined;
  if (killed !== undefined) {
    return {
      phase: "exited",
      exit: { kind: "code", exitCode: KILLED_CODE, outOfMemory: false },
      startedAt,
      finishedAt: killed.at,
    };
  }
  const told = readText(join(place.folder, "pid")) ?? "";
  if (told === "" && now >= startedAt && now - startedAt < BEGINS_WITHIN_MS) {
    return { phase: "running", startedAt };
  }
  const message = "the process ended while no agent watched it, and left no exit code";
  return { phase: "exited", exit: { kind: "unknown", message }, startedAt };
}

/** The process of this container if it is alive; a number that was given anew does not count. */
export function processOf(place: Place): number | undefined {
  const started = readJson(join(place.folder, "started")) as { boot?: string } | undefined;
  const [line] = (readText(join(place.folder, "pid")) ?? "").split("\n");
  const pid = Number(line?.split(" ")[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0 || started?.boot !== bootId()) return undefined;
  const told = startTime(line?.slice(String(pid).length + 1));
  const found = startTime(readText(`/proc/${pid}/stat`));
  if (told !== undefined) return found === told ? pid : undefined;
  return isAlive(pid) ? pid : undefined;
}

/** The line by which a process is known again: its number and, where there is one, its stat. */
export function processLine(pid: number): string {
  return `${pid} ${readText(`/proc/${pid}/stat`) ?? "\n"}`;
}

/** Forgets the last run, so that the container can be started again. */
export function clearRun(place: Place): void {
  for (const name of ["started", "pid", "exit", "killed"]) {
    rmSync(join(place.folder, name), { force: true });
  }
}

/** The last `bytes` of what was printed. */
export function readOutput(place: Place, bytes: number): string {
  let file: number;
  try {
    file = openSync(join(place.folder, "output"), "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(bytes, size));
    const length = readSync(file, tail, 0, tail.length, size - tail.length);
    return tail.subarray(0, length).toString("utf8");
  } finally {
    closeSync(file);
  }
}

/** Written whole or not at all. */
export function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

/** Gives the folder to the container's account; links are not followed. */
export function chownTree(folder: string, owner: { uid: number; gid: number }): void {
  lchownSync(folder, owner.uid, owner.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) chownTree(path, owner);
    else lchownSync(path, owner.uid, owner.gid);
  }
}

/** Tells boots of the machine apart: process numbers mean nothing across them. */
export function bootId(): string {
  return readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "unknown";
}

/** Field 22 of a process's stat line, counted after the name, which may hold anything. */
function startTime(stat: string | undefined): string | undefined {
  const end = stat?.lastIndexOf(")") ?? -1;
  return end < 0 ? undefined : stat?.slice(end + 2).split(" ")[19];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** What is damaged is as good as gone: it concerns one container, and must stop no other. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readText(path) ?? "");
  } catch {
    return undefined;
  }
}
