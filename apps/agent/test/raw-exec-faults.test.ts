import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../src/clock.ts";
import type { ContainerSpec, Engine } from "../src/engine/engine.ts";
import { rawExecEngine } from "../src/engine/raw-exec.ts";

let folder: string;
let engine: Engine;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-raw-"));
  engine = rawExecEngine({ directory: join(folder, "raw"), clock: systemClock() });
});

afterEach(async () => {
  for (const { id } of await engine.list({})) await engine.remove(id);
  rmSync(folder, { recursive: true, force: true });
});

function specOf(more: Partial<ContainerSpec> = {}): ContainerSpec {
  const uid = process.getuid?.() ?? 0;
  return {
    name: "one",
    labels: { owner: "test" },
    image: "unused",
    command: ["sh", "-c", "sleep 60"],
    environment: {},
    uid,
    gid: uid,
    mounts: [],
    memoryBytes: 1,
    cpuMillicores: 1,
    pids: 1,
    ...more,
  };
}

const descriptors = (): number => readdirSync("/proc/self/fd").length;

it.runIf(existsSync("/proc/self/fd")).each([
  ["a NUL", "a\0b"],
  ["more than a process may be given", "x".repeat(3_000_000)],
])("%s in an environment is a failed start that leaves no file open", async (_, value) => {
  const id = await engine.create(specOf({ environment: { A: value } }));
  const before = descriptors();
  for (let tries = 0; tries < 5; tries += 1) {
    await expect(engine.start(id)).rejects.toMatchObject({ code: "neverStarted" });
  }
  expect(descriptors()).toBeLessThan(before + 3);
  expect(await engine.inspect(id)).toEqual({ phase: "created" });
});

it("what runs is known from its first moment: agent and shell tell the same process", async () => {
  const id = await engine.create(specOf({ command: ["true"] }));
  await engine.start(id);
  await engine.wait(id, new AbortController().signal);
  const lines = readFileSync(join(folder, "raw", id, "pid"), "utf8")
    .trim()
    .split("\n");
  const known = lines.map((line) => [line.split(" ")[0], line.split(") ")[1]?.split(" ")[19]]);
  expect(known).toHaveLength(2);
  expect(known[0]).toEqual(known[1]);
});

it("a folder that a crash left half-made, or that is damaged, holds up no other", async () => {
  const id = await engine.create(specOf({ name: "good" }));
  mkdirSync(join(folder, "raw", "empty"));
  mkdirSync(join(folder, "raw", "half"));
  writeFileSync(join(folder, "raw", "half", "spec.json"), '{"name":"ha');
  expect((await engine.list({ owner: "test" })).map((one) => one.id)).toEqual([id]);
  expect(await engine.create(specOf({ name: "half" }))).toBe("half");
});

it("a volume inside another is a failed start: it would be made through a link", async () => {
  const volume = join(folder, "volume");
  mkdirSync(volume);
  const mounts = ["/data", "/data/inner"].map((target) => ({
    source: volume,
    target,
    readOnly: false,
  }));
  const id = await engine.create(specOf({ mounts }));
  await expect(engine.start(id)).rejects.toMatchObject({ code: "neverStarted" });
  expect(readdirSync(volume)).toEqual([]);
});

it("a start begins in a folder of its own: nothing in it leads elsewhere", async () => {
  const outside = join(folder, "outside");
  const volume = join(folder, "volume");
  mkdirSync(outside);
  mkdirSync(volume);
  const id = await engine.create(
    specOf({
      command: ["sh", "-c", `rm -rf data && ln -s ${outside} data`],
      mounts: [{ source: volume, target: "/data/inner", readOnly: false }],
    }),
  );
  await engine.start(id);
  await engine.wait(id, new AbortController().signal);
  await engine.start(id);
  expect(readdirSync(outside)).toEqual([]);
});
