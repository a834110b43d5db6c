import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cannot } from "../command-error.ts";

/** Where `mesh dev` keeps everything, below the folder it was started in. */
export interface DevFolder {
  readonly path: string;
  readonly serverDir: string;
  readonly agentDir: string;
  /** Stands for the root of the host's file system (R8), so that no privilege is needed. */
  readonly hostPrefix: string;
}

/** Makes `./.mesh` where it is missing; it ignores itself in git. */
export function openDevFolder(workingDirectory: string): DevFolder {
  const path = join(workingDirectory, ".mesh");
  try {
    // Accounts of modules pass through to their own directories, and list nothing.
    mkdirSync(path, { recursive: true, mode: 0o711 });
    writeFileSync(join(path, ".gitignore"), "*\n");
  } catch (error) {
    throw cannot(
      "dev.folder",
      `cannot write to ${path}: ${(error as Error).message}`,
      "run mesh dev in a folder that you may write to",
    );
  }
  return {
    path,
    serverDir: join(path, "server"),
    agentDir: join(path, "agent"),
    hostPrefix: join(path, "host"),
  };
}

/** Leaves a note of who runs here, which only serves to word a refusal well. */
export function writeNote(folder: DevFolder, note: { pid: number; url: string }): void {
  writeFileSync(join(folder.path, "dev.json"), `${JSON.stringify(note)}\n`);
}

export function removeNote(folder: DevFolder): void {
  rmSync(join(folder.path, "dev.json"), { force: true });
}

/** The note of the `mesh dev` that holds the folder, if it has left one. */
export function readNote(folder: DevFolder): { pid: number; url: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder.path, "dev.json"), "utf8"));
  } catch {
    return undefined;
  }
}
