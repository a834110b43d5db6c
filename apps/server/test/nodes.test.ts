import { describe, expect, it } from "vitest";
import {
  advanceWith,
  DAY,
  eventTypes,
  HOUR,
  hostOf,
  IMAGE,
  MINUTE,
  SECOND,
  startBench,
  withHost,
} from "./harness.ts";

describe("leases (S4)", () => {
  it("a node that is silent past its lease is lost, and its tasks are tried elsewhere", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    await mesh.createJob("default", { kind: "Job", name: "x", image: IMAGE, backoffLimit: 1 });
    await bench.settle();
    const [task] = await host.tasks();
    await host.report(task?.taskId as string, { status: "running" });
    await bench.advance(30 * SECOND - 1);
    expect((await mesh.node("a")).ready).toBe(true);
    await bench.advance(1);
    expect((await mesh.node("a")).ready).toBe(false);
    const { state } = await mesh.job("default", "x");
    expect(state.tasks.map(({ failureReason }) => failureReason)).toEqual(["nodeLost", undefined]);
    expect(state.job).toMatchObject({ status: "pending", attempts: 2 });
    const types = await eventTypes(bench);
    expect(types.indexOf("node.lost")).toBeGreaterThan(types.indexOf("job.retried"));
    // Healed: the late report is ignored, and the node is told to hold only the new attempt.
    const lost = await mesh.job("default", "x");
    await host.report(task?.taskId as string, { status: "stopped", exitCode: 0 });
    expect((await mesh.job("default", "x")).state.tasks[0]).toEqual(lost.state.tasks[0]);
    await host.beat();
    expect((await mesh.node("a")).ready).toBe(true);
    expect((await host.tasks()).map(({ attempt }) => attempt)).toEqual([2]);
  });

  it("a heartbeat in time keeps the lease, for as long as it beats", async () => {
    const bench = await withHost();
    await advanceWith(bench, bench.host, 10 * MINUTE);
    expect((await bench.mesh.node("a")).ready).toBe(true);
    expect(await eventTypes(bench)).toEqual(["node.joined", "node.current"]);
  });

  it.each([60 * MINUTE, -60 * MINUTE, 365 * DAY, -365 * DAY])(
    "a step of the wall clock by %i ms loses no node, and a silent one is lost in time",
    async (step) => {
      const bench = await withHost();
      bench.clock.step(step);
      await bench.store.write(async (tx) => tx.touch("leases"));
      await bench.settle();
      expect((await bench.mesh.node("a")).ready).toBe(true);
      await bench.advance(29 * SECOND);
      expect((await bench.mesh.node("a")).ready).toBe(true);
      await bench.advance(2 * SECOND);
      expect((await bench.mesh.node("a")).ready).toBe(false);
    },
  );
});

describe("placement (S3)", () => {
  it("a task without room waits, with the reason told once, and is placed when room is there", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    const big = { kind: "Job", image: IMAGE, resources: { cpu: "3" } } as const;
    await mesh.createJob("default", { ...big, name: "first" });
    await mesh.createJob("default", { ...big, name: "second" });
    await bench.settle();
    expect((await host.tasks()).map(({ jobName }) => jobName)).toEqual(["first"]);
    const [waiting] = await mesh.tasks("default");
    expect(waiting?.message).toBe("1 node: 1 lacks cpu");
    await advanceWith(bench, host, MINUTE);
    const types = await eventTypes(bench);
    expect(types.filter((type) => type === "attempt.waiting")).toHaveLength(1);
    const [task] = await host.tasks();
    await host.report(task?.taskId as string, { status: "stopped", exitCode: 0 });
    expect((await host.tasks()).map(({ jobName }) => jobName)).toEqual(["second"]);
    expect((await mesh.tasks("default")).every(({ message }) => message === undefined)).toBe(true);
  });

  it("what waits does not hold up what fits, however much of it there is", async () => {
    const bench = await startBench();
    const { mesh } = bench;
    const huge = { kind: "Job", image: IMAGE, resources: { cpu: "900" } } as const;
    for (let i = 0; i < 210; i += 1) await mesh.createJob("default", { ...huge, name: `big-${i}` });
    await mesh.createJob("default", { kind: "Job", name: "small", image: IMAGE });
    const host = hostOf(bench);
    await host.join();
    expect((await host.tasks()).map(({ jobName }) => jobName)).toEqual(["small"]);
  });
});

/** Lets requests under way go as far as they can. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}

describe("a step of the wall clock says nothing about the nodes (S4)", () => {
  const steps = [-365 * DAY, -HOUR, HOUR, 365 * DAY];

  it.each(steps)("%d ms: a node that beats on is not lost when another joins", async (step) => {
    const bench = await withHost();
    bench.clock.step(step);
    for (let beat = 0; beat < 4; beat += 1) {
      await bench.host.beat();
      await bench.advance(10 * SECOND);
    }
    await bench.host.beat();
    await hostOf(bench, "b").join();
    expect((await bench.mesh.node("a")).ready).toBe(true);
  });

  it.each(steps)("%d ms: a node that falls silent is lost after its lease", async (step) => {
    const bench = await withHost();
    bench.clock.step(step);
    await bench.advance(25 * SECOND);
    expect((await bench.mesh.node("a")).ready).toBe(true);
    await bench.advance(10 * SECOND);
    expect((await bench.mesh.node("a")).ready).toBe(false);
  });

  it.each(steps)("%d ms: so is one that beat once more and died", async (step) => {
    const bench = await withHost();
    bench.clock.step(step);
    await bench.host.beat();
    await bench.advance(25 * SECOND);
    expect((await bench.mesh.node("a")).ready).toBe(true);
    await bench.advance(15 * SECOND);
    expect((await bench.mesh.node("a")).ready).toBe(false);
  });

  it.each(steps)("%d ms: who waits for events is answered in time", async (step) => {
    const { mesh, clock, advance } = await startBench();
    const first = await mesh.events({ after: 0 });
    let answered = false;
    const waiting = mesh
      .events({ after: first.length, waitSeconds: 20 })
      .then(() => (answered = true));
    await turns();
    clock.step(step);
    await advance(19 * SECOND);
    await turns();
    expect(answered).toBe(false);
    await advance(2 * SECOND);
    await waiting;
  });
});
