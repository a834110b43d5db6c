import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const program = join(import.meta.dirname, "../bin/mesh.js");

/** A `mesh dev` of its own process, its lines, and its end. */
export interface DevProcess {
  readonly lines: readonly string[];
  /** The first line that matches; fails after `seconds`, or when the process ends before. */
  readonly line: (pattern: RegExp, seconds?: number) => Promise<string>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly err: string }>;
}

/** Starts the built program in `folder`, in the zone of Belgrade. */
export function spawnDev(
  folder: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): DevProcess {
  if (!existsSync(join(import.meta.dirname, "../dist/main.js"))) {
    throw new Error("apps/cli is not built: npx turbo run build --filter=@mesh/cli");
  }
  const child = spawn(process.execPath, [program, "dev", ...argv], {
    cwd: folder,
    env: { PATH: process.env.PATH, TZ: "Europe/Belgrade", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  let err = "";
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    tell();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const ended = endOf(child).then((code) => {
    tell();
    return { code, err };
  });
  return {
    lines,
    ended,
    kill: (signal) => child.kill(signal),
    line: (pattern, seconds = 30) =>
      new Promise((resolve, reject) => {
        const done = (end: () => void): void => {
          clearTimeout(timer);
          listeners.delete(look);
          end();
        };
        const give = (why: string): void =>
          done(() => reject(new Error(`${pattern} ${why}:\n${lines.join("\n")}\n${err}`)));
        const look = (): void => {
          const found = lines.find((line) => pattern.test(line));
          if (found !== undefined) done(() => resolve(found));
          else if (child.exitCode !== null) give("never came, and the process has ended");
        };
        const timer = setTimeout(() => give(`did not come within ${seconds} s`), seconds * 1000);
        listeners.add(look);
        look();
      }),
  };
}

/** Processes whose working directory lies in `folder`: what a run has left behind there. */
export function processesIn(folder: string): readonly string[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", (code) => resolve(code)));
}
