import { describe, expect, it } from "vitest";
import {
  createWorld,
  IMAGE,
  moduleOf,
  outcomes,
  runOnce,
  scheduled,
  service,
  type World,
} from "./world.ts";

async function busy(): Promise<World> {
  const world = createWorld({
    behave: ({ spec }) =>
      spec.environment.MESH_NAME === "kometa-seed" ? { afterMs: 100 } : { stopCode: 3 },
  });
  await world.start();
  await world.declare(moduleOf("kometa", runOnce(), service(), scheduled("* * * * *")));
  await world.until("12:01:10");
  return world;
}

describe("the end of an agent", () => {
  it("leaves its containers alone; the next one adopts them, each started once (A7)", async () => {
    const world = await busy();
    world.kill();
    await world.start();
    await world.until("12:01:50");
    for (const name of ["kometa-web", "kometa-sync", "kometa-seed"])
      expect(world.startsOf(name)).toHaveLength(1);
    expect(world.startsOf("kometa-web")[0]?.endedAt).toBeUndefined();
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });

  it("with stopWorkloads stops and removes everything, and tells what became of it", async () => {
    const world = await busy();
    const stopping = world.host().stop({ stopWorkloads: true });
    await world.clock.advance(5000);
    await stopping;
    expect(world.engine.containers.size).toBe(0);
    const told = world.server.reports().filter((one) => one.kind === "run");
    expect(told.at(-1)).toMatchObject({ record: { outcome: "failed", exitCode: 3 } });
  });

  it("a container that nobody declared is stopped as an orphan; another host's is not (A7)", async () => {
    const world = await busy();
    world.kill();
    for (const run of world.journal.runs()) world.journal.removeRun(run.runId);
    const foreign = {
      ...world.startsOf("kometa-web")[0]?.spec,
      name: "theirs",
      labels: { "mesh.v": "1", "mesh.host": "other" },
    };
    await world.engine.start(await world.engine.create(foreign as never));
    await world.start();
    await world.until("12:01:50");
    expect(world.startsOf("kometa-sync")[0]).toMatchObject({ exitCode: 3 });
    expect([...world.engine.containers.values()].map(({ spec }) => spec.name)).toContain("theirs");
    expect(world.startsOf("kometa-web")[0]?.endedAt).toBeUndefined();
  });

  it("without a server a host goes on with what it has (A2)", async () => {
    const world = await busy();
    world.server.cut(true);
    world.kill();
    await world.start();
    await world.until("12:02:30");
    expect(outcomes(world, "kometa-sync")).toEqual(["12:02 skipped"]);
    world.engine.end(world.startsOf("kometa-web")[0]?.id ?? "", {
      kind: "code",
      exitCode: 1,
      outOfMemory: false,
    });
    await world.until("12:03:30");
    expect(world.startsOf("kometa-web")).toHaveLength(2);
  });

  it("an engine that is away at the start is waited for; then all is as declared", async () => {
    const world = await busy();
    world.kill();
    world.engine.setAvailable(false);
    await world.start();
    await world.until("12:03:00");
    world.engine.setAvailable(true);
    await world.until("12:04:30");
    expect(world.startsOf("kometa-web")).toHaveLength(1);
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });

  it("one schedule that cannot be read or decided stops no other (D1)", async () => {
    const world = createWorld();
    await world.start();
    const good = scheduled("* * * * *", { name: "good" });
    const modules = [moduleOf("kometa", scheduled("* * * * *"), good)];
    await world.declare(...modules);
    const bad = world.journal.schedule("kometa", "kometa-sync");
    if (bad === undefined) throw new Error("expected a schedule");
    const broken = { ...bad.state, spec: { ...bad.state.spec, schedule: "no cron" } };
    world.journal.putSchedule({ ...bad, state: broken });
    await world.until("12:03:30");
    expect(world.startsOf("good")).toHaveLength(3);
    world.kill();
    world.journal.putSchedule({ ...bad, state: { v: 99 } as never });
    await world.start();
    await world.until("12:05:30");
    expect(world.startsOf("good")).toHaveLength(5);
    // It cannot be read, so it is installed anew, and fires.
    expect(world.startsOf("kometa-sync").length).toBeGreaterThan(0);
  });

  it("a journal that cannot be written ends the agent, and its containers go on", async () => {
    const world = await busy();
    const failed = world.host().failed;
    world.journal.close();
    world.engine.end(world.startsOf("kometa-sync")[0]?.id ?? "", {
      kind: "code",
      exitCode: 0,
      outOfMemory: false,
    });
    await world.clock.advance(1000);
    expect(await failed).toBeInstanceOf(Error);
    expect(world.startsOf("kometa-web")[0]?.endedAt).toBeUndefined();
  });
});

describe("a journal that fails", () => {
  const writes = [
    "setLease",
    "setDeclaration",
    "setApplied",
    "putSchedule",
    "putRun",
    "putTask",
    "addReport",
    "acknowledge",
  ] as const;
  it.each(writes)("ends the agent, whoever was writing: %s", async (write) => {
    const world = createWorld();
    Object.assign(world.journal, {
      [write]: () => {
        throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
      },
    });
    await world.start();
    let reason: unknown;
    void world.host().failed.then((error) => {
      reason = error;
    });
    const work = { image: IMAGE, cpuMillicores: 100, memoryBytes: 1024 ** 3 };
    const names = { taskId: "t1", jobId: "j1", jobName: "atlas", namespace: "default" };
    world.server.setTasks([{ ...names, attempt: 1, desiredStatus: "running", work }]);
    await world.declare(moduleOf("kometa", scheduled("* * * * *"), service()));
    await world.until("12:02:30");
    expect(String(reason)).toContain("disk is full");
  });
});

describe("a service", () => {
  it("that keeps ending is told in the node's status, until it is steady again", async () => {
    let ends = 0;
    const world = createWorld({
      behave: () => {
        ends += 1;
        return ends < 5 ? { afterMs: 500, exitCode: 1 } : {};
      },
    });
    await world.start();
    await world.declare(moduleOf("kometa", service()));
    await world.until("12:00:40");
    expect(world.host().status()).toMatchObject({
      applied: true,
      current: false,
      problems: [{ module: "kometa", key: "container:kometa-web", code: "service.keeps-ending" }],
    });
    await world.until("12:03:00");
    expect(world.startsOf("kometa-web")).toHaveLength(5);
    expect(world.host().status()).toMatchObject({ applied: true, current: true, problems: [] });
  });

  it("is replaced when its content changes, the old one stopped first; a module gone is removed", async () => {
    const world = await busy();
    const [old] = world.startsOf("kometa-web");
    await world.declare(moduleOf("kometa", service("kometa-web", { command: ["new"] })));
    await world.until("12:01:30");
    const [, next] = world.startsOf("kometa-web");
    expect(old?.endedBefore).toBeLessThan(next?.begun ?? 0);
    expect(next?.spec.command).toEqual(["new"]);
    await world.declare();
    await world.until("12:02:00");
    expect(world.engine.containers.size).toBe(0);
    expect(world.journal.appliedModules()).toEqual([]);
    expect(world.host().status()).toEqual({
      generation: 3,
      applied: true,
      current: true,
      problems: [],
    });
  });

  it("a gate that is declared no more while it runs is stopped, and what follows goes on", async () => {
    const world = createWorld({ behave: () => ({}) });
    await world.start();
    await world.declare(moduleOf("kometa", runOnce(), service()));
    await world.until("12:01:00");
    expect(world.startsOf("kometa-web")).toEqual([]);
    await world.declare(moduleOf("kometa", service()));
    await world.until("12:02:00");
    expect(world.startsOf("kometa-web")).toHaveLength(1);
    expect(world.startsOf("kometa-seed")[0]?.endedAt).toBeDefined();
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });
});
