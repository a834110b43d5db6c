import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { StartError } from "./start-error.ts";

export interface DataFolder {
  readonly databaseFile: string;
  release(): void;
}

/**
 * Makes the folder where it is missing and takes it for this server alone. The lock is one that
 * the system drops with the process, so a killed server leaves nothing behind.
 */
export function openDataFolder(dataDir: string): DataFolder {
  const databaseFile = join(dataDir, "server.db");
  let lock: Sqlite.Database | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    lock = new Sqlite(join(dataDir, "server.lock"), { timeout: 0 });
    lock.pragma("locking_mode = EXCLUSIVE");
    lock.exec("begin exclusive");
    // Secrets lie in it: others may not read it even where they may enter the folder.
    closeSync(openSync(databaseFile, "a", 0o600));
  } catch (error) {
    lock?.close();
    throw asStartError(error, dataDir);
  }
  const held = lock;
  return { databaseFile, release: () => held.close() };
}

function asStartError(error: unknown, dataDir: string): unknown {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string") return error;
  if (code.startsWith("SQLITE_BUSY")) {
    return new StartError(
      "data-dir.locked",
      `another server uses the data folder ${dataDir}`,
      "stop that server, or give this one a data folder of its own",
      error,
    );
  }
  return new StartError(
    "data-dir.not-writable",
    `cannot write to the data folder ${dataDir}: ${(error as Error).message}`,
    "give a folder that this user may write to",
    error,
  );
}
