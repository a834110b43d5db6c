import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "./service-process.ts";

/**
 * A folder for one service of this process. Its name holds this process's id, so that a later
 * run finds and removes what a run that was killed has left.
 */
export async function temporaryFolder(kind: string): Promise<string> {
  await removeAbandoned(kind);
  return mkdtemp(join(tmpdir(), `mesh-${kind}-${process.pid}-`));
}

/** Removes a folder and the mounts below it; a daemon that was ended hard leaves some. */
export async function removeFolder(folder: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mounts", "utf8"))
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((target) => target.startsWith(`${folder}/`))
    .reverse();
  for (const target of mounts) await execute("umount", ["-l", target]).catch(() => undefined);
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** The bridge of the engine that the process `pid` has started. */
export const bridgeName = (pid: number): string => `mesh${pid}`;

export async function removeBridge(name: string): Promise<void> {
  await execute("ip", ["link", "del", name]).catch(() => undefined);
}

async function removeAbandoned(kind: string): Promise<void> {
  const pattern = new RegExp(`^mesh-${kind}-(\\d+)-`);
  for (const name of await readdir(tmpdir())) {
    const pid = Number(pattern.exec(name)?.[1]);
    if (!(pid > 0) || isAlive(pid)) continue;
    await removeFolder(join(tmpdir(), name));
    if (kind === "docker") await removeBridge(bridgeName(pid));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
