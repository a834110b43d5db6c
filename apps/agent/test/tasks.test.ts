import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { TaskAssignment } from "@mesh/protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { Behaviour } from "../src/engine/simulated.ts";
import { secretFiles } from "../src/host/secrets.ts";
import { at, createWorld, IMAGE, moduleOf, scheduled, service, type World } from "./world.ts";

function assignment(more: Partial<TaskAssignment> = {}, work: object = {}): TaskAssignment {
  return {
    taskId: "t1",
    jobId: "j1",
    jobName: "atlas-report",
    namespace: "default",
    attempt: 1,
    desiredStatus: "running",
    work: {
      image: IMAGE,
      command: ["report"],
      cpuMillicores: 100,
      memoryBytes: 128 * 1024 * 1024,
      ...work,
    },
    ...more,
  };
}

async function worldWith(behaviour: Behaviour, leaseSeconds?: number): Promise<World> {
  const world = createWorld({
    now: "09:00:00",
    behave: () => behaviour,
    ...(leaseSeconds === undefined ? {} : { leaseSeconds }),
  });
  await world.start();
  return world;
}

/** What the server was told of tasks, in order, each report once. */
function told(world: World, taskId = "t1") {
  return world.server
    .reports()
    .flatMap((one) => (one.kind === "task" && one.taskId === taskId ? [one.report] : []));
}

describe("a task", () => {
  it("runs, is reported with its code, and its container goes after the server knows (A8)", async () => {
    const world = await worldWith({ afterMs: 5000, exitCode: 3, output: "half a report" });
    world.server.setTasks([assignment()]);
    await world.until("09:00:04");
    expect(told(world)).toEqual([{ status: "running", containerId: "c1" }]);
    world.server.deafen(true);
    await world.until("09:00:30");
    expect(world.engine.containers.size).toBe(1);
    world.server.deafen(false);
    await world.until("09:01:30");
    expect(told(world).at(-1)).toEqual({ status: "stopped", exitCode: 3 });
    const ended = world.server
      .reports()
      .find((one) => one.kind === "task" && one.report.status === "stopped");
    expect(ended).toMatchObject({ output: "half a report" });
    expect(world.engine.containers.size).toBe(0);
    world.server.setTasks([]);
    await world.until("09:02:00");
    expect(world.journal.tasks()).toEqual([]);
    expect(world.engine.stretches).toHaveLength(1);
  });

  it("[C31-15] gets its environment, secrets and volumes as a service does (J1, S6)", async () => {
    const world = createWorld({
      now: "09:00:00",
      settings: { volumesFolder: "/tmp/mesh-agent-volumes-test" },
    });
    await world.start();
    world.server.setTasks([
      assignment(
        { scheduledAt: at("09:00"), attempt: 2 },
        {
          environment: { CUSTOMER: "atlas" },
          secrets: [{ name: "token", value: "s3cret" }],
          volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
        },
      ),
    ]);
    await world.until("09:00:01");
    const [{ spec } = { spec: undefined }] = world.engine.stretches;
    expect(spec?.environment).toEqual({
      CUSTOMER: "atlas",
      MESH_RUN_ID: "j1",
      MESH_ATTEMPT: "2",
      MESH_SCHEDULED_AT: "2026-10-13T09:00:00Z",
      MESH_NAME: "atlas-report",
      MESH_TASK_ID: "t1",
      MESH_NAMESPACE: "default",
    });
    expect(spec?.mounts).toEqual([
      { source: "/tmp/mesh-agent-volumes-test/default/data", target: "/data", readOnly: true },
      { source: "/nowhere/secrets/t1", target: "/run/secrets", readOnly: true },
    ]);
    expect(JSON.stringify(world.journal.tasks())).not.toContain("s3cret");
  });

  it("[C31-52] both attempts get the same run id and occurrence (J12)", async () => {
    const world = await worldWith({ afterMs: 1000, exitCode: 1 });
    const scheduledAt = at("09:00");
    world.server.setTasks([assignment({ scheduledAt })]);
    await world.until("09:00:10");
    world.server.setTasks([assignment({ scheduledAt, taskId: "t2", attempt: 2 })]);
    await world.until("09:00:20");
    const keys = world.engine.stretches.map(({ spec }) => spec.environment);
    expect(keys.map(({ MESH_ATTEMPT }) => MESH_ATTEMPT)).toEqual(["1", "2"]);
    expect(new Set(keys.map(({ MESH_RUN_ID }) => MESH_RUN_ID))).toEqual(new Set(["j1"]));
    expect(new Set(keys.map((one) => one.MESH_SCHEDULED_AT))).toEqual(
      new Set(["2026-10-13T09:00:00Z"]),
    );
  });

  it("[C31-31] that cannot start is failed with a reason, never stopped (A8)", async () => {
    const world = await worldWith({ refused: "no such command" });
    world.server.setTasks([assignment()]);
    await world.until("09:00:10");
    expect(told(world)).toEqual([
      { status: "failed", reason: "neverStarted", message: "no such command" },
    ]);
  });

  it("[C31-31] whose container is gone, or whose memory ran out, is failed with its reason (A8)", async () => {
    const gone = await worldWith({});
    gone.server.setTasks([assignment()]);
    await gone.until("09:00:01");
    gone.engine.end("c1", { kind: "unknown", message: "the container is gone" });
    await gone.until("09:00:02");
    expect(told(gone).at(-1)).toMatchObject({ status: "failed", reason: "unknown" });
    const full = await worldWith({ afterMs: 100, exitCode: 0, outOfMemory: true });
    full.server.setTasks([assignment()]);
    await full.until("09:00:02");
    expect(told(full).at(-1)).toMatchObject({ status: "failed", reason: "outOfMemory" });
  });

  it("[C31-31] ended by a restart of the engine is reported with the code it left (A8)", async () => {
    const world = await worldWith({});
    world.server.setTasks([assignment()]);
    await world.until("09:00:01");
    world.engine.restart();
    await world.until("09:00:02");
    expect(told(world).at(-1)).toEqual({ status: "stopped", exitCode: 137 });
  });

  for (const ask of ["marked removed", "listed no more"] as const) {
    it(`[C31-57] ${ask}: stopped with grace, reported removed, nothing left (J9)`, async () => {
      const world = await worldWith({ ignoresStop: true });
      world.server.setTasks([assignment()]);
      await world.until("09:00:05");
      world.server.setTasks(
        ask === "marked removed" ? [assignment({ desiredStatus: "removed" })] : [],
      );
      await world.until("09:00:14");
      expect(world.engine.containers.size).toBe(1);
      await world.until("09:00:30");
      expect(told(world).at(-1)).toEqual({ status: "removed" });
      world.server.setTasks([]);
      await world.until("09:01:00");
      expect(world.engine.containers.size).toBe(0);
      expect(world.journal.tasks()).toEqual([]);
    });
  }

  it("[C31-57] the containers of ended tasks go too (J9, A8)", async () => {
    const world = await worldWith({ afterMs: 1000, exitCode: 0 });
    world.server.setTasks([assignment(), assignment({ taskId: "t2" })]);
    await world.until("09:00:10");
    world.server.setTasks([]);
    await world.until("09:00:20");
    expect(world.engine.containers.size).toBe(0);
  });

  it("removed before it started is reported removed, and never starts", async () => {
    const world = await worldWith({ afterMs: 1000 });
    world.server.setTasks([assignment({ desiredStatus: "removed" })]);
    await world.until("09:00:10");
    expect(told(world)).toEqual([{ status: "removed" }]);
    expect(world.engine.calls).toEqual([]);
  });

  it("of a schedule's run starts under the name that its schedule gave it (D10)", async () => {
    const world = await worldWith({ afterMs: 1000, exitCode: 0 });
    world.server.setTasks([assignment({ jobName: "report-202610130900" })]);
    await world.until("09:00:10");
    expect(world.engine.stretches[0]?.spec.environment.MESH_NAME).toBe("report-202610130900");
    expect(told(world).at(-1)).toEqual({ status: "stopped", exitCode: 0 });
  });

  const refusals: [string, Partial<TaskAssignment>, object][] = [
    [
      "a claim that leads elsewhere",
      {},
      { volumeClaims: [{ claim: "../../etc", target: "/data" }] },
    ],
    [
      "a target over the kernel's own",
      {},
      { volumeClaims: [{ claim: "data", target: "/proc/1" }] },
    ],
    ["a secret that is no file's name", {}, { secrets: [{ name: "../x", value: "1" }] }],
    ["a namespace that leads elsewhere", { namespace: "../x" }, {}],
    ["more memory than the host allows", {}, { memoryBytes: 2 ** 52 }],
    ["an image of a registry that the host does not take", {}, { image: "evil.example/x:1" }],
    ["no limit of cpu, which is what an engine makes of zero", {}, { cpuMillicores: 0 }],
    ["no limit of memory", {}, { memoryBytes: 0 }],
    ["a name that is none in an environment", {}, { environment: { "A=B": "1" } }],
    ["a key that the host sets", {}, { environment: { "MESH_RUN_ID=x": "1" } }],
    ["a NUL in a value", {}, { environment: { A: "1\0" } }],
    ["a NUL in its command", {}, { command: ["sh\0"] }],
    ["a name with a line break", { jobName: "a\nb" }, {}],
    ["a target that steps up", {}, { volumeClaims: [{ claim: "data", target: "/data/../etc" }] }],
    ["a target at the root", {}, { volumeClaims: [{ claim: "data", target: "/" }] }],
    [
      "a target where the secrets are",
      {},
      { volumeClaims: [{ claim: "data", target: "/run/secrets/x" }] },
    ],
    [
      "two claims at one target",
      {},
      {
        volumeClaims: [
          { claim: "a", target: "/data" },
          { claim: "b", target: "/data" },
        ],
      },
    ],
  ];
  for (const [what, more, work] of refusals) {
    it(`with ${what} is a failed start, nothing created (R7)`, async () => {
      const world = await worldWith({});
      world.server.setTasks([assignment(more, work)]);
      await world.until("09:00:10");
      expect(told(world)).toMatchObject([{ status: "failed", reason: "neverStarted" }]);
      expect(world.engine.calls).toEqual([]);
    });
  }
});

describe("the secrets of a task", () => {
  const folders: string[] = [];
  const emptyFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "mesh-secrets-"));
    folders.push(folder);
    return folder;
  };

  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it("are gone once it is, wherever the agent was killed meanwhile (S6)", async () => {
    for (let deed = 1; deed < 25; deed += 1) {
      const folder = emptyFolder();
      const world = createWorld({
        now: "09:00:00",
        behave: () => ({ afterMs: 4000 }),
        secrets: secretFiles(folder),
      });
      world.server.setTasks([assignment({}, { secrets: [{ name: "token", value: "s3cret" }] })]);
      await world.start({ killAt: deed });
      await world.until("09:00:03");
      world.kill();
      world.server.setTasks([]);
      await world.start();
      await world.until("09:01:00");
      expect(readdirSync(folder), `killed at deed ${deed}`).toEqual([]);
    }
  });

  it("of tasks that no record knows are removed at the start, and of no others (S6)", () => {
    const folder = emptyFolder();
    const secrets = secretFiles(folder);
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const kept = secrets.put("kept", [{ name: "a", value: "1" }], owner);
    secrets.put("left", [{ name: "a", value: "1" }], owner);
    secrets.retain(["kept"]);
    expect(readdirSync(folder)).toEqual([basename(kept)]);
  });
});

describe("a task and a restart", () => {
  it("[C31-55] killed agent, container ends with 5 meanwhile: one container, 5 told once, removed (A7, A8)", async () => {
    const world = await worldWith({ afterMs: 60_000, exitCode: 5 });
    world.server.setTasks([assignment()]);
    await world.until("09:00:55");
    world.kill();
    await world.until("09:01:05");
    await world.start();
    await world.until("09:01:30");
    expect(world.engine.stretches).toHaveLength(1);
    const ends = world.server.received.filter(
      (one) => one.kind === "task" && one.report.status !== "running",
    );
    expect(ends.map((one) => one.kind === "task" && one.report)).toEqual([
      { status: "stopped", exitCode: 5 },
    ]);
    expect(world.engine.containers.size).toBe(0);
  });

  it("[C31-55] likewise while it still runs: adopted, and its end told once (A7)", async () => {
    const world = await worldWith({ afterMs: 60_000, exitCode: 5 });
    world.server.setTasks([assignment()]);
    await world.until("09:00:20");
    world.kill();
    await world.until("09:00:30");
    await world.start();
    await world.until("09:02:00");
    expect(world.engine.stretches).toMatchObject([{ endedAt: at("09:01:00"), exitCode: 5 }]);
    expect(told(world)).toEqual([
      { status: "running", containerId: "c1" },
      { status: "stopped", exitCode: 5 },
    ]);
    expect(world.engine.containers.size).toBe(0);
  });

  it("killed at any point: one container in all, its end told with its code (A7, A8)", async () => {
    for (let deed = 1; deed < 40; deed += 1) {
      const world = createWorld({
        now: "09:00:00",
        behave: () => ({ afterMs: 4000, exitCode: 5 }),
      });
      world.server.setTasks([assignment()]);
      await world.start({ killAt: deed });
      await world.until("09:00:06");
      world.kill();
      await world.start();
      await world.until("09:01:00");
      expect(world.engine.stretches, `killed at deed ${deed}`).toHaveLength(1);
      expect(told(world).at(-1), `killed at deed ${deed}`).toEqual({
        status: "stopped",
        exitCode: 5,
      });
      world.server.setTasks([]);
      await world.until("09:02:00");
      expect(world.engine.containers.size).toBe(0);
      expect(world.journal.tasks()).toEqual([]);
    }
  });
});

describe("a lease that cannot be renewed (S4)", () => {
  const cutWorld = async () => {
    const world = await worldWith({ ignoresStop: true }, 30);
    await world.declare(moduleOf("kometa", service(), scheduled("* * * * *")));
    world.server.setTasks([assignment()]);
    await world.until("09:00:10");
    return world;
  };

  it("ends the tasks' containers before it lapses, and no module's (S4)", async () => {
    const world = await cutWorld();
    const lastBeat = world.server.heartbeats.at(-1) ?? 0;
    world.server.cut(true);
    await world.until("09:01:30");
    const task = world.engine.stretches.find(({ spec }) => spec.environment.MESH_TASK_ID === "t1");
    expect(task?.endedAt).toBeLessThanOrEqual(lastBeat + 30_000);
    expect(world.startsOf("kometa-web")).toHaveLength(1);
    expect(world.startsOf("kometa-web")[0]?.endedAt).toBeUndefined();
    expect(world.startsOf("kometa-sync").length).toBeGreaterThan(0);
    world.server.cut(false);
    await world.until("09:03:00");
    expect(told(world).at(-1)).toMatchObject({ status: "failed", reason: "nodeLost" });
  });

  it("is counted in elapsed time: a step of the wall clock neither ends nor saves a task (S4)", async () => {
    const world = await cutWorld();
    world.clock.step(3_600_000);
    await world.clock.advance(60_000);
    expect(told(world)).toHaveLength(1);
    world.server.cut(true);
    world.clock.step(-7_200_000);
    await world.clock.advance(31_000);
    const task = world.engine.stretches.find(({ spec }) => spec.environment.MESH_TASK_ID === "t1");
    expect(task?.endedAt).toBeDefined();
  });

  it("lapsed while the agent was down: its task's container is ended at once (S4)", async () => {
    const world = await cutWorld();
    world.server.cut(true);
    world.kill();
    await world.clock.advance(60_000);
    await world.start();
    await world.clock.advance(11_000);
    const task = world.engine.stretches.find(({ spec }) => spec.environment.MESH_TASK_ID === "t1");
    expect(task?.endedAt).toBeDefined();
    expect(world.startsOf("kometa-web")[0]?.endedAt).toBeUndefined();
  });
});
