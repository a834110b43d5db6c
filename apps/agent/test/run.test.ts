import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { at, createWorld, minute, moduleOf, outcomes, scheduled, type World } from "./world.ts";

const DIRECTORY = { type: "directory", path: "/var/lib/mesh/kometa" } as const;
const WITH_VOLUME = scheduled("*/5 3 * * *", {
  command: ["sync", "--all"],
  environment: { LIBRARY: "films" },
  volumes: [{ source: "/var/lib/mesh/kometa", target: "/config" }],
});

async function runTwice(behave: Parameters<typeof createWorld>[0] = {}): Promise<World> {
  const world = createWorld({ now: "02:59:00", ...behave });
  await world.start();
  await world.declare(moduleOf("kometa", DIRECTORY, WITH_VOLUME));
  return world;
}

describe("each run is a run of its own", () => {
  it("[A53-44] new container and run id, everything else the same, no file passed on (A3)", async () => {
    const seen: string[][] = [];
    const world = await runTwice({
      behave: (container) => {
        seen.push([...container.files.keys()]);
        container.files.set("/tmp/left-behind", "by the run before");
        return { afterMs: 1000 };
      },
    });
    await world.until("03:06:00");
    const [first, second] = world.startsOf("kometa-sync");
    if (first === undefined || second === undefined) throw new Error("expected two runs");
    expect(first.id).not.toBe(second.id);
    const { MESH_RUN_ID: runOne, MESH_SCHEDULED_AT: dueOne, ...one } = first.spec.environment;
    const { MESH_RUN_ID: runTwo, MESH_SCHEDULED_AT: dueTwo, ...two } = second.spec.environment;
    expect([runOne, runTwo]).toEqual([
      "n1.kometa.kometa-sync-202610130300",
      "n1.kometa.kometa-sync-202610130305",
    ]);
    expect([dueOne, dueTwo]).toEqual(["2026-10-13T03:00:00Z", "2026-10-13T03:05:00Z"]);
    expect(one).toEqual(two);
    const same = ({ spec }: typeof first) => ({
      image: spec.image,
      command: spec.command,
      uid: spec.uid,
      gid: spec.gid,
      mounts: spec.mounts,
      limits: [spec.cpuMillicores, spec.memoryBytes, spec.pids],
    });
    expect(same(first)).toEqual(same(second));
    expect(first.spec.mounts).toEqual([
      { source: "/var/lib/mesh/kometa", target: "/config", readOnly: false },
    ]);
    expect(seen).toEqual([[], []]);
  });

  it("[A53-45] after a run that was killed the next starts as usual, its volume untouched (A3)", async () => {
    const world = await runTwice({ behave: () => ({ afterMs: 30_000 }) });
    await world.until("03:00:10");
    const before = JSON.stringify([...world.written]);
    const [active] = world.startsOf("kometa-sync");
    world.engine.end(active?.id ?? "", { kind: "code", exitCode: 137, outOfMemory: false });
    await world.until("03:06:00");
    expect(outcomes(world, "kometa-sync")).toEqual(["03:00 failed 137", "03:05 succeeded 0"]);
    const [first, second] = world.startsOf("kometa-sync");
    expect(second?.spec.mounts).toEqual(first?.spec.mounts);
    expect(JSON.stringify([...world.written])).toBe(before);
  });

  it("[A53-46] a run is told its run id and occurrence, unique to it (J12)", async () => {
    const world = createWorld();
    await world.start();
    await world.declare(
      moduleOf("kometa", scheduled("* * * * *")),
      moduleOf("vault", scheduled("* * * * *")),
    );
    await world.until("12:10:30");
    const environments = world.startsOf("kometa-sync").map(({ spec }) => spec.environment);
    expect(environments).toHaveLength(20);
    expect(new Set(environments.map(({ MESH_RUN_ID }) => MESH_RUN_ID)).size).toBe(20);
    for (const one of environments) {
      expect(one).toMatchObject({ MESH_NAME: "kometa-sync", MESH_ATTEMPT: "1" });
      expect(Date.parse(one.MESH_SCHEDULED_AT ?? "")).toBeGreaterThanOrEqual(at("12:01"));
      expect(["kometa", "vault"]).toContain(one.MESH_MODULE);
    }
  });

  it("[A53-46] the README says that work must be idempotent, and how to use the two (J12)", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    expect(readme).toMatch(/idempotent/);
    expect(readme).toMatch(/MESH_RUN_ID/);
    expect(readme).toMatch(/MESH_SCHEDULED_AT/);
  });

  it("[A53-47] goes to completion: a run of 25 hours is never stopped (A3)", async () => {
    const world = createWorld({
      now: "02:59:00",
      behave: () => ({ afterMs: 25 * 3_600_000, exitCode: 4 }),
    });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("0 3 13 * *")));
    await world.until("2026-10-14T05:00:00");
    expect(world.engine.calls.filter(({ kind }) => kind === "stop")).toEqual([]);
    expect(world.startsOf("kometa-sync")[0]).toMatchObject({
      endedAt: at("2026-10-14T04:00"),
      exitCode: 4,
    });
    expect(outcomes(world, "kometa-sync")).toEqual(["03:00 failed 4"]);
  });

  it("a host that sets maxRunSeconds stops a longer run, which has failed (A3)", async () => {
    const world = createWorld({
      now: "02:59:00",
      behave: () => ({ stopCode: 0 }),
      settings: { maxRunSeconds: 600 },
    });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("0 3 * * *")));
    await world.until("03:05:00");
    world.kill();
    await world.start();
    await world.until("03:11:00");
    const [run] = world.startsOf("kometa-sync");
    expect(minute(run?.endedAt ?? 0)).toBe("03:10");
    const end = world.records("kometa-sync").at(-1)?.record;
    expect(end).toMatchObject({ outcome: "failed", reason: "deadlineExceeded", exitCode: 0 });
    expect(world.host().status()).toMatchObject({ current: true });
  });
});
