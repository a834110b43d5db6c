import type { ModuleManifest } from "@mesh/declaration";
import type { Report } from "@mesh/protocol";
import { describe, expect, it } from "vitest";
import {
  type Bench,
  DAY,
  DIGEST,
  eventTypes,
  hostOf,
  IMAGE,
  MINUTE,
  NOON,
  nodeRequest,
  refusalOf,
  SECOND,
  startBench,
  temporaryFolder,
  withHost,
} from "./harness.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const image = `ghcr.io/acme/kometa@${DIGEST}`;
const kometa: ModuleManifest = {
  kind: "Module",
  module: "kometa",
  version: 1,
  resources: [
    { type: "directory", path: "/var/lib/mesh/kometa" },
    { type: "container", name: "kometa-sync", image, schedule: "0 3 * * *" },
  ],
};
const other: ModuleManifest = { ...kometa, module: "other", resources: [] };

const run = (id: string, record: (Report & { kind: "run" })["record"]): Report => ({
  kind: "run",
  id,
  at: NOON,
  module: "kometa",
  container: "kometa-sync",
  record,
});

describe("modules and declarations (R3)", () => {
  it("[A53-55] the schedule reaches the node as it is written", async () => {
    const { mesh } = await withHost();
    await mesh.applyModule(kometa);
    const { nodes } = await mesh.assignModule("kometa", "a");
    expect(nodes).toEqual(["a"]);
    const { declaration } = await mesh.poll({ node: "a" });
    expect(declaration).toMatchObject({ v: 1, node: "a", generation: 2 });
    const [module] = declaration?.modules ?? [];
    expect(module).toMatchObject({ module: "kometa", account: "mesh-kometa" });
    expect(module?.resources[1]).toMatchObject({
      name: "kometa-sync",
      image,
      schedule: "0 3 * * *",
    });
    expect((await mesh.module("kometa")).manifest).toEqual(kometa);
  });

  it("a generation grows only when what the node should hold changes", async () => {
    const { mesh, clock } = await withHost();
    const generation = async () => (await mesh.node("a")).generation;
    expect(await generation()).toBe(1);
    await mesh.applyModule(kometa);
    expect(await generation()).toBe(1);
    await mesh.assignModule("kometa", "a");
    await mesh.assignModule("kometa", "a");
    expect(await generation()).toBe(2);
    expect((await mesh.applyModule({ ...kometa })).outcome).toBe("unchanged");
    // The same said in other words: the account that it has anyway.
    expect((await mesh.applyModule({ ...kometa, account: "kometa" })).outcome).toBe("updated");
    expect(await generation()).toBe(2);
    const [directory] = kometa.resources;
    await mesh.applyModule({ ...kometa, resources: [directory as (typeof kometa.resources)[0]] });
    expect(await generation()).toBe(3);
    await mesh.register(nodeRequest("a"));
    clock.step(SECOND);
    expect(await generation()).toBe(3);
    await mesh.unassignModule("kometa", "a");
    await mesh.unassignModule("kometa", "a");
    expect(await generation()).toBe(4);
  });

  it("deleting a module takes it from the nodes that hold it, and from no other's content", async () => {
    const bench = await withHost();
    const { mesh } = bench;
    await hostOf(bench, "b").join();
    await mesh.applyModule(kometa);
    await mesh.applyModule(other);
    for (const node of ["a", "b"]) await mesh.assignModule("other", node);
    await mesh.assignModule("kometa", "a");
    const { revision } = await mesh.poll({ node: "a" });
    await mesh.deleteModule("kometa");
    expect((await refusalOf(mesh.module("kometa"))).status).toBe(404);
    const { declaration } = await mesh.poll({ node: "a", revision });
    expect(declaration?.modules.map(({ module }) => module)).toEqual(["other"]);
    expect((await mesh.nodes()).map(({ modules }) => modules)).toEqual([["other"], ["other"]]);
    expect((await mesh.node("b")).generation).toBe(2);
  });

  it("unknown modules and nodes are refused with 404, and nothing is assigned", async () => {
    const { mesh } = await withHost();
    await mesh.applyModule(kometa);
    for (const call of [
      mesh.assignModule("nope", "a"),
      mesh.assignModule("kometa", "nope"),
      mesh.unassignModule("kometa", "nope"),
      mesh.deleteModule("nope"),
      mesh.module("nope"),
      mesh.node("nope"),
    ]) {
      expect((await refusalOf(call)).status).toBe(404);
    }
    expect((await mesh.module("kometa")).nodes).toEqual([]);
  });

  it("a node that has seen a higher generation gets one above it, not an older one", async () => {
    const { mesh } = await withHost();
    await mesh.applyModule(kometa);
    await mesh.assignModule("kometa", "a");
    const answer = await mesh.poll({ node: "a", generation: 41 });
    expect(answer.declaration?.generation).toBe(42);
    expect(answer.declaration?.modules).toHaveLength(1);
  });
});

describe("the link (A8)", () => {
  it("a poll is held until the node's desired state differs, and answers nothing old", async () => {
    const bench = await withHost();
    const { mesh, clock, settle } = bench;
    const first = await mesh.poll({ node: "a" });
    let answered = false;
    const held = mesh
      .poll({ node: "a", revision: first.revision, generation: 1 })
      .then((answer) => {
        answered = true;
        return answer;
      });
    await clock.advance(24 * SECOND, settle);
    expect(answered).toBe(false);
    await mesh.createJob("default", { kind: "Job", name: "x", image: IMAGE });
    const answer = await held;
    expect(answer.tasks.map(({ jobName }) => jobName)).toEqual(["x"]);
    expect(answer.revision).not.toBe(first.revision);
    // The declaration is the one it has.
    expect(answer).not.toHaveProperty("declaration");
  });

  it("after 25 s without news it says again what the node should hold", async () => {
    const { mesh, clock } = await withHost();
    const { revision } = await mesh.poll({ node: "a" });
    const held = mesh.poll({ node: "a", revision, generation: 1 });
    // The request must be under way before time passes.
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(25 * SECOND, () => new Promise((resolve) => setImmediate(resolve)));
    expect(await held).toEqual({ revision, tasks: [] });
  });

  it("a node reports only of its own tasks; of others nothing is changed, and it is told so once", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    const stranger = hostOf(bench, "b", { zone: "b" });
    await stranger.join();
    const placement = [{ key: "zone", operator: "not_equals" as const, value: "b" }];
    await mesh.createJob("default", { kind: "Job", name: "x", image: IMAGE, placement });
    await bench.settle();
    const [task] = await host.tasks();
    const before = await mesh.job("default", "x");
    await stranger.report(task?.taskId as string, { status: "stopped", exitCode: 0 });
    expect(await mesh.job("default", "x")).toEqual(before);
    expect(before.state.tasks[0]?.nodeId).toBe("a");
  });

  it("heartbeats and reports of a node that never registered are refused with 404", async () => {
    const { mesh } = await startBench();
    const status = { generation: 1, applied: true, current: true, problems: [] };
    for (const call of [
      mesh.heartbeat({ node: "x", status }),
      mesh.poll({ node: "x" }),
      mesh.report({ node: "x", reports: [] }),
    ]) {
      expect((await refusalOf(call)).status).toBe(404);
    }
  });

  it("a node's own words are shown, and what changes in them is told", async () => {
    const { mesh, host } = await withHost();
    await host.beat();
    const problem = { module: "kometa", key: "container:web", code: "gate", message: "exit 1" };
    const status = { generation: 1, applied: true, current: false, problems: [problem] };
    await mesh.heartbeat({ node: "a", status });
    await mesh.heartbeat({ node: "a", status });
    expect((await mesh.node("a")).status).toEqual(status);
    const told = (await mesh.events({ after: 0 })).map(({ type, message }) => [type, message]);
    expect(told).toEqual([
      ["node.joined", "Node a joins, with simulated 1"],
      ["node.current", "Node a is current with generation 1"],
      ["node.problem", "Node a has a problem with kometa, container:web: exit 1"],
    ]);
  });
});

describe("runs of scheduled containers (A3, A4)", () => {
  const began = { occurrenceAt: NOON - 9 * 3600 * SECOND, startedAt: NOON };

  it("[A53-26] a non-zero exit is shown to an operator, also after a restart (A3)", async () => {
    const file = `${temporaryFolder()}/server.db`;
    const clock = createVirtualClock(NOON);
    const bench = await withHost({ file, clock });
    const failed = {
      outcome: "failed",
      runId: "r1",
      ...began,
      finishedAt: NOON + 1,
      exitCode: 17,
      output: "no route to host",
    } as const;
    await bench.host.send(
      run("1", { outcome: "started", runId: "r1", ...began }),
      run("2", failed),
    );
    const shown = [
      {
        kind: "container",
        node: "a",
        module: "kometa",
        container: "kometa-sync",
        at: began.occurrenceAt,
        record: failed,
      },
    ];
    expect(await bench.mesh.runs({ module: "kometa" })).toEqual(shown);
    expect(await bench.mesh.runs()).toEqual(shown);
    const event = (await bench.mesh.events({ after: 0 })).at(-1);
    expect(event).toMatchObject({
      type: "container.failed",
      subject: { kind: "container", name: "kometa/kometa-sync" },
      data: { exitCode: 17, node: "a" },
    });
    expect(event?.message).toContain("failed in its run of 2026-10-13T03:00Z with code 17");
    expect((await bench.mesh.node("a")).ready).toBe(true);
    await bench.stop();
    const again = await startBench({ file, clock });
    expect(await again.mesh.runs({ module: "kometa" })).toEqual(shown);
    expect((await again.mesh.events({ after: 0 })).at(-1)).toEqual(event);
  });

  it("[A53-37] each skip is a record of its own, with reason and the active run's id (A4)", async () => {
    const { mesh, host } = await withHost();
    const skip = (minute: number): Report =>
      run(`s${minute}`, {
        outcome: "skipped",
        occurrenceAt: NOON + minute * MINUTE,
        activeRunId: "r1",
        reason: "the previous run is still active",
      });
    const before = await mesh.node("a");
    await host.send(skip(10), skip(15), skip(10));
    const runs = await mesh.runs({ module: "kometa" });
    expect(runs.map((one) => one.kind === "container" && [one.at, one.record])).toEqual(
      [15, 10].map((minute) => [
        NOON + minute * MINUTE,
        (skip(minute) as Report & { kind: "run" }).record,
      ]),
    );
    const told = (await mesh.events({ after: 0 })).filter(
      ({ type }) => type === "container.skipped",
    );
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringContaining("skips 2026-10-13T12:10Z: the previous run is still active (r1"),
      expect.stringContaining("skips 2026-10-13T12:15Z"),
    ]);
    expect(await mesh.node("a")).toEqual(before);
  });

  it("a start that arrives after the end never replaces it; a missed interval is one record", async () => {
    const { mesh, host } = await withHost();
    const end = {
      outcome: "succeeded",
      runId: "r1",
      ...began,
      finishedAt: NOON,
      exitCode: 0,
    } as const;
    await host.send(run("2", end), run("1", { outcome: "started", runId: "r1", ...began }));
    await host.send(
      run("3", {
        outcome: "missed",
        firstAt: NOON,
        lastAt: NOON + DAY,
        count: 2,
        countIsExact: true,
        reason: "the host was down",
      }),
    );
    const runs = await mesh.runs({ module: "kometa" });
    expect(runs.map((one) => one.kind === "container" && one.record.outcome)).toEqual([
      "missed",
      "succeeded",
    ]);
    expect(await eventTypes({ mesh } as Bench)).toContain("container.missed");
  });

  it("a run-once step's end is told", async () => {
    const { mesh, host } = await withHost();
    await host.send({
      kind: "runOnce",
      id: "1",
      at: NOON,
      module: "kometa",
      container: "seed",
      record: { outcome: "failed", runId: "r", finishedAt: NOON, exitCode: 2 },
    });
    const event = (await mesh.events({ after: 0 })).at(-1);
    expect([event?.type, event?.message]).toEqual([
      "step.failed",
      "Container seed of module kometa on node a failed as a run-once step with code 2",
    ]);
  });
});
