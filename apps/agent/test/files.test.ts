import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModuleManifest, ModuleResource } from "@mesh/declaration";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModuleFiles, moduleFiles } from "../src/files/module-files.ts";
import { createWorld, moduleOf, scheduled, service, type World } from "./world.ts";

const isRoot = process.getuid?.() === 0;
const ROOTS = ["/var/lib/mesh", "/etc/mesh"];

let prefix: string;
let files: ModuleFiles;

beforeEach(() => {
  prefix = mkdtempSync(join(tmpdir(), "mesh-files-"));
  files = moduleFiles({ roots: ROOTS, prefix, chown: isRoot });
});

afterEach(() => {
  rmSync(prefix, { recursive: true, force: true });
});

const on = (path: string): string => join(prefix, path);
const modeOf = (path: string): string => (statSync(on(path)).mode & 0o7777).toString(8);
const KOMETA = "/var/lib/mesh/kometa";
const DIRECTORY: ModuleResource = { type: "directory", path: KOMETA };
const file = (path: string, content = "x\n", mode = "0640"): ModuleResource => ({
  type: "file",
  path,
  content,
  mode,
});

async function applied(...modules: readonly ModuleManifest[]): Promise<World> {
  const world = createWorld({ files });
  await world.start();
  await world.declare(...modules);
  await world.clock.advance(100);
  return world;
}

const problemOf = (world: World): string | undefined => world.host().status().problems[0]?.code;

describe("files and directories of a module (R1, R8)", () => {
  it("are made with their mode and owner, whatever the process's mask", async () => {
    const before = process.umask(0o077);
    try {
      const world = await applied(
        moduleOf(
          "kometa",
          { ...DIRECTORY, mode: "0751" },
          file("/etc/mesh/kometa/config.yml", "x\n", "0644"),
        ),
      );
      expect(world.host().status()).toMatchObject({ applied: true, problems: [] });
      expect(modeOf(KOMETA)).toBe("751");
      expect(modeOf("/etc/mesh/kometa/config.yml")).toBe("644");
      expect(readFileSync(on("/etc/mesh/kometa/config.yml"), "utf8")).toBe("x\n");
      if (!isRoot) return;
      const { uid } = statSync(on(KOMETA));
      expect(statSync(on("/etc/mesh/kometa/config.yml")).uid).toBe(uid);
      expect(uid).toBeGreaterThanOrEqual(world.settings.bound.accountRange.first);
    } finally {
      process.umask(before);
    }
  });

  it("change with the declaration; a file goes with it, a directory and its data stay", async () => {
    const path = `${KOMETA}/config.yml`;
    const world = await applied(moduleOf("kometa", DIRECTORY, file(path, "one\n")));
    writeFileSync(on(`${KOMETA}/library.db`), "data");
    await world.declare(moduleOf("kometa", { ...DIRECTORY, mode: "0700" }, file(path, "two\n")));
    await world.clock.advance(100);
    expect(readFileSync(on(path), "utf8")).toBe("two\n");
    expect(modeOf(KOMETA)).toBe("700");
    await world.declare();
    await world.clock.advance(100);
    expect(readdirSync(on(KOMETA))).toEqual(["library.db"]);
    expect(world.journal.appliedModules()).toEqual([]);
  });

  it("that somebody removed are there again after the next apply", async () => {
    const path = "/etc/mesh/kometa/config.yml";
    const world = await applied(moduleOf("kometa", DIRECTORY, file(path)));
    rmSync(on("/etc/mesh/kometa"), { recursive: true });
    await world.declare(moduleOf("kometa", DIRECTORY, file(path)));
    await world.clock.advance(100);
    expect(existsSync(on(path))).toBe(true);
  });

  it("are replaced whole: a file that a crash left half-written is never the file's content", async () => {
    const path = `${KOMETA}/config.yml`;
    await applied(moduleOf("kometa", DIRECTORY, file(path, "one\n")));
    const left = `.config.yml.mesh-new`;
    writeFileSync(on(`${KOMETA}/${left}`), "ha");
    files.writeFile(path, { mode: "0640", content: "two\n", owner: { uid: 0, gid: 0 } });
    expect(readFileSync(on(path), "utf8")).toBe("two\n");
    expect(readdirSync(on(KOMETA))).toEqual(["config.yml"]);
  });

  it("[A53-08] after a day of scheduled runs no file exists outside the module's roots (R7, R8)", async () => {
    const world = createWorld({
      now: "00:00:30",
      leaseSeconds: 3600,
      files,
      behave: () => ({ afterMs: 1000 }),
    });
    await world.start();
    await world.declare(
      moduleOf("kometa", DIRECTORY, file("/etc/mesh/kometa/a"), scheduled("*/10 * * * *")),
    );
    await world.until("2026-10-14T00:00:30");
    expect(world.startsOf("kometa-sync")).toHaveLength(144);
    const found = readdirSync(prefix, { recursive: true, encoding: "utf8" }).filter(
      (name) => !statSync(join(prefix, name)).isDirectory(),
    );
    expect(found).toEqual(["etc/mesh/kometa/a"]);
  });
});

describe("what a container may have left in its volume (R7)", () => {
  it("bound-56 a component below the root is a symbolic link: path.symlink, nothing written", async () => {
    await applied(moduleOf("kometa", DIRECTORY));
    mkdirSync(on("/etc/cron.d"), { recursive: true });
    symlinkSync(on("/etc/cron.d"), on(`${KOMETA}/out`));
    const world = await applied(moduleOf("kometa", DIRECTORY, file(`${KOMETA}/out/x`), service()));
    expect(problemOf(world)).toBe("path.symlink");
    expect(world.host().status()).toMatchObject({ applied: false, current: false });
    expect(readdirSync(on("/etc/cron.d"))).toEqual([]);
    expect(world.startsOf("kometa-web")).toEqual([]);
  });

  it("bound-57 the last component is a symbolic link: replaced, never followed", async () => {
    await applied(moduleOf("kometa", DIRECTORY));
    writeFileSync(on("/victim"), "untouched");
    symlinkSync(on("/victim"), on(`${KOMETA}/link`));
    const world = await applied(moduleOf("kometa", DIRECTORY, file(`${KOMETA}/link`)));
    expect(world.host().status()).toMatchObject({ applied: true });
    expect(lstatSync(on(`${KOMETA}/link`)).isFile()).toBe(true);
    expect(readFileSync(on(`${KOMETA}/link`), "utf8")).toBe("x\n");
    expect(readFileSync(on("/victim"), "utf8")).toBe("untouched");
  });

  it("bound-58 the target is a FIFO: path.not-regular", async () => {
    await applied(moduleOf("kometa", DIRECTORY));
    execFileSync("mkfifo", [on(`${KOMETA}/fifo`)]);
    const world = await applied(moduleOf("kometa", DIRECTORY, file(`${KOMETA}/fifo`)));
    expect(problemOf(world)).toBe("path.not-regular");
    expect(lstatSync(on(`${KOMETA}/fifo`)).isFIFO()).toBe(true);
  });

  it("a directory where a file is to be, and a file on the way to one: path.not-regular", async () => {
    await applied(moduleOf("kometa", DIRECTORY, file(`${KOMETA}/plain`)));
    mkdirSync(on(`${KOMETA}/folder`));
    const asFile = await applied(moduleOf("kometa", DIRECTORY, file(`${KOMETA}/folder`)));
    expect(problemOf(asFile)).toBe("path.not-regular");
    const through = await applied(moduleOf("kometa", DIRECTORY, file(`${KOMETA}/plain/x`)));
    expect(problemOf(through)).toBe("path.not-regular");
  });

  it("a file with a second link is replaced, and the other name keeps its content", async () => {
    const path = `${KOMETA}/config.yml`;
    const world = await applied(moduleOf("kometa", DIRECTORY, file(path, "one\n")));
    linkSync(on(path), on(`${KOMETA}/other`));
    await world.declare(moduleOf("kometa", DIRECTORY, file(path, "two\n")));
    await world.clock.advance(100);
    expect(readFileSync(on(`${KOMETA}/other`), "utf8")).toBe("one\n");
  });

  it("a volume's source that became a link is a failed start, and the engine is not asked", async () => {
    const source = `${KOMETA}/data`;
    const world = createWorld({ files, now: "12:00:30" });
    await world.start();
    await world.declare(
      moduleOf(
        "kometa",
        DIRECTORY,
        scheduled("* * * * *", { volumes: [{ source, target: "/data" }] }),
      ),
    );
    await world.until("12:01:30");
    expect(world.startsOf("kometa-sync")[0]?.spec.mounts[0]?.source).toBe(on(source));
    rmSync(on(source), { recursive: true });
    symlinkSync("/etc", on(source));
    await world.until("12:02:30");
    expect(world.startsOf("kometa-sync")).toHaveLength(1);
    expect(world.records("kometa-sync").at(-1)?.record).toMatchObject({
      outcome: "failed",
      reason: "neverStarted",
      message: expect.stringContaining("symbolic link"),
    });
  });

  it.runIf(isRoot)(
    "bound-60 a path that crosses onto another file system: path.mount",
    async () => {
      await applied(moduleOf("kometa", DIRECTORY));
      mkdirSync(on(`${KOMETA}/mnt`));
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", on(`${KOMETA}/mnt`)]);
      try {
        const inside: ModuleResource = { type: "directory", path: `${KOMETA}/mnt`, mode: "0700" };
        const world = await applied(moduleOf("kometa", DIRECTORY, inside));
        expect(problemOf(world)).toBe("path.mount");
      } finally {
        execFileSync("umount", [on(`${KOMETA}/mnt`)]);
      }
    },
  );

  it("links of the host's own above the roots are followed: they are not the module's", async () => {
    mkdirSync(on("/data"));
    mkdirSync(on("/var"));
    symlinkSync(on("/data"), on("/var/lib"));
    const world = await applied(moduleOf("kometa", DIRECTORY, file(`${KOMETA}/a`)));
    expect(world.host().status()).toMatchObject({ applied: true });
    expect(existsSync(on("/data/mesh/kometa/a"))).toBe(true);
  });

  it("what cannot be written is a problem of its module alone, tried again until it can", async () => {
    if (isRoot) return;
    const world = await applied(moduleOf("kometa", DIRECTORY));
    chmodSync(on(KOMETA), 0o500);
    await world.declare(moduleOf("kometa", DIRECTORY, file(`${KOMETA}/a`)));
    await world.clock.advance(100);
    expect(problemOf(world)).toBe("apply.failed");
    chmodSync(on(KOMETA), 0o700);
    await world.clock.advance(60_000);
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });
});
