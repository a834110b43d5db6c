import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineZones } from "@mesh/cron";
import { runMesh } from "../src/program.ts";
import type { Surroundings } from "../src/surroundings.ts";

/** What one command line did: its exit code and everything it printed. */
export interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Tuesday, 2026-10-13, 12:00:30 UTC. */
export const noon = Date.UTC(2026, 9, 13, 12, 0, 30);

/** Runs one command line in process, with nothing of the test's own surroundings but `fetch`. */
export async function mesh(
  argv: readonly string[],
  given: Partial<Surroundings> & { readonly stdin?: string } = {},
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const { stdin = "", ...rest } = given;
  const exitCode = await runMesh(argv, {
    env: {},
    nodeVersion: "v20.20.2",
    processId: 4711,
    workingDirectory: tmpdir(),
    localZone: "Europe/Belgrade",
    zones: engineZones(),
    terminal: { colour: false, out: (line) => out.push(line), err: (line) => err.push(line) },
    fetch,
    now: () => noon,
    newId: () => randomUUID(),
    readStdin: async () => stdin,
    stopAsked: () => new Promise(() => undefined),
    ...rest,
  });
  return { exitCode, out: out.join("\n"), err: err.join("\n") };
}

/** A folder of its own for one test file, and what removes it. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "mesh-cli-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
