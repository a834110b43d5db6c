import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../src/clock.ts";
import type { ContainerSpec, Engine } from "../src/engine/engine.ts";
import { rawExecEngine } from "../src/engine/raw-exec.ts";
import { taskEndOf } from "../src/host/outcome.ts";
import { untilPrinted } from "./shell-programs.ts";

const forever = new AbortController().signal;
let folder: string;
let engine: Engine;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-raw-"));
  engine = connect();
});

afterEach(async () => {
  for (const { id } of await engine.list({})) await engine.remove(id);
  rmSync(folder, { recursive: true, force: true });
});

/** As a new agent process would do it: it knows what is on disk and nothing else. */
function connect(): Engine {
  return rawExecEngine({ directory: join(folder, "raw"), clock: systemClock() });
}

function specOf(script: string | undefined, more: Partial<ContainerSpec> = {}): ContainerSpec {
  const command = script === undefined ? {} : { command: ["sh", "-c", script] };
  const uid = process.getuid?.() ?? 0;
  return {
    name: "one",
    labels: { owner: "test" },
    image: "unused",
    environment: {},
    uid,
    gid: uid,
    mounts: [],
    memoryBytes: 1,
    cpuMillicores: 1,
    pids: 1,
    ...command,
    ...more,
  };
}

async function run(spec: ContainerSpec): Promise<string> {
  const id = await engine.create(spec);
  await engine.start(id);
  return id;
}

describe("raw-exec", () => {
  it("a container without a command is neverStarted, with the reason", async () => {
    const id = await engine.create(specOf(undefined));
    await expect(engine.start(id)).rejects.toMatchObject({
      code: "neverStarted",
      message: expect.stringContaining("no command"),
    });
  });

  it("volumes and secrets are links below the folder that the command starts in", async () => {
    const data = join(folder, "data");
    const mounts = [{ source: folder, target: "/config/data", readOnly: false }];
    writeFileSync(data, "library");
    const id = await run(
      specOf('cat ./config/data/data; echo " $MESH_ROOT $KEY"', {
        mounts,
        environment: { KEY: "k" },
      }),
    );
    await engine.wait(id, forever);
    expect(await engine.outputTail(id, 4096)).toBe(
      `library ${join(folder, "raw", "one", "work")} k\n`,
    );
    await engine.remove(id);
    expect(readFileSync(data, "utf8")).toBe("library");
    expect(existsSync(join(folder, "raw", "one"))).toBe(false);
  });

  it("the environment is what was given, and nothing of the agent's own but PATH", async () => {
    process.env.MESH_TOKEN = "s3cret";
    try {
      const id = await run(specOf("env", { environment: { KEY: "value" } }));
      await engine.wait(id, forever);
      const names = (await engine.outputTail(id, 4096))
        .split("\n")
        .map((line) => line.split("=")[0]);
      expect(
        names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD", ""].includes(name ?? "")).sort(),
      ).toEqual(["HOME", "KEY", "MESH_ROOT", "PATH"]);
    } finally {
      delete process.env.MESH_TOKEN;
    }
  });

  it("what the command left running ends with it, as in a container", async () => {
    const id = await run(specOf("sleep 60 & echo $!; exit 6"));
    expect(await engine.wait(id, forever)).toMatchObject({ exit: { exitCode: 6 } });
    const left = Number((await engine.outputTail(id, 100)).trim());
    for (let tries = 0; tries < 100 && isAlive(left); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(isAlive(left)).toBe(false);
  });

  it("[C31-31] killed with its shell while nobody watched: failed as unknown, never success (A8)", async () => {
    const id = await run(specOf("echo ready; sleep 60"));
    await untilPrinted(engine, id);
    const next = connect();
    const pid = Number(readFileSync(join(folder, "raw", "one", "pid"), "utf8").split(" ")[0]);
    process.kill(-pid, "SIGKILL");
    const state = await next.wait(id, forever);
    if (state.phase !== "exited") throw new Error("expected an end");
    expect(taskEndOf(state.exit)).toMatchObject({ status: "failed", reason: "unknown" });
  });

  it("[C31-31] the machine was booted anew: a number that lives again is not the container (A8)", async () => {
    const id = await run(specOf("echo ready; sleep 60"));
    await untilPrinted(engine, id);
    const started = join(folder, "raw", "one", "started");
    const before = readFileSync(started, "utf8");
    writeFileSync(started, JSON.stringify({ ...JSON.parse(before), boot: "another" }));
    expect(await connect().inspect(id)).toMatchObject({
      phase: "exited",
      exit: { kind: "unknown" },
    });
    writeFileSync(started, before);
  });

  it("a program that is a script without permission to run is neverStarted", async () => {
    const script = join(folder, "script.sh");
    writeFileSync(script, "exit 0", { mode: 0o600 });
    const id = await engine.create({ ...specOf(undefined), command: [script] });
    await expect(engine.start(id)).rejects.toMatchObject({ code: "neverStarted" });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
