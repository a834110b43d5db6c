import { describe, expect, it } from "vitest";
import { EngineError } from "../src/engine/engine-error.ts";
import { createWorld, IMAGE, moduleOf, outcomes, runOnce, scheduled, service } from "./world.ts";

/** A world whose engine never comes to an end with pulling an image, until it is let go. */
function stuckWorld() {
  const world = createWorld({ behave: () => ({}) });
  let letGo = (): void => undefined;
  const stuck = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const pull = world.engine.ensureImage;
  let isStuck = true;
  Object.assign(world.engine, {
    ensureImage: (image: string) => (isStuck ? stuck : pull(image)),
  });
  const mend = (): void => {
    isStuck = false;
  };
  return { world, letGo, mend };
}

describe("an image whose pull never ends", () => {
  it.each([
    ["a service", service()],
    ["a run-once step", runOnce()],
  ])("holds up no new declaration: %s", async (_, resource) => {
    const { world, mend } = stuckWorld();
    await world.start();
    await world.declare(moduleOf("kometa", resource, scheduled("* * * * *")));
    await world.until("12:01:30");
    mend();
    await world.declare(moduleOf("kometa", service("fixed")));
    await world.until("12:02:30");
    expect(world.startsOf("fixed")).toHaveLength(1);
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });

  it("a schedule that is taken away while its run pulls: the run has ended, with the reason", async () => {
    const { world } = stuckWorld();
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("* * * * *")));
    await world.until("12:01:30");
    await world.declare();
    await world.until("12:01:40");
    expect(outcomes(world, "kometa-sync")).toEqual(["12:01 failed"]);
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });

  it("a task that is not wanted any more is reported removed at once", async () => {
    const { world } = stuckWorld();
    await world.start();
    const work = { image: IMAGE, cpuMillicores: 100, memoryBytes: 1024 ** 2 };
    const names = { taskId: "t1", jobId: "j1", jobName: "atlas", namespace: "default" };
    world.server.setTasks([{ ...names, attempt: 1, desiredStatus: "running", work }]);
    await world.until("12:00:40");
    world.server.setTasks([{ ...names, attempt: 1, desiredStatus: "removed", work }]);
    await world.until("12:00:50");
    expect(world.server.reports()).toHaveLength(1);
  });

  it("does not keep the agent from ending, nor leave anything behind that it starts later", async () => {
    const { world, letGo } = stuckWorld();
    await world.start();
    await world.declare(moduleOf("kometa", service(), scheduled("* * * * *")));
    await world.declare(moduleOf("kometa", service(), scheduled("* * * * *")));
    await world.until("12:01:30");
    let isEnded = false;
    void world
      .host()
      .stop({ stopWorkloads: true })
      .then(() => {
        isEnded = true;
      });
    await world.clock.advance(5000);
    expect(isEnded).toBe(true);
    letGo();
    await world.clock.advance(5000);
    expect(world.engine.containers.size).toBe(0);
  });
});

describe("a service that is being started again", () => {
  it("is not started after it was taken away", async () => {
    const world = createWorld({ behave: (_, nth) => (nth === 1 ? { afterMs: 1000 } : {}) });
    await world.start();
    await world.declare(moduleOf("kometa", service()));
    await world.until("12:00:31");
    // It has ended; its container goes too, so that the next start makes a new one, slowly.
    const create = world.engine.create;
    Object.assign(world.engine, {
      create: async (spec: never) => {
        await new Promise<void>((resolve) => {
          world.clock.after(5000, resolve);
        });
        return create(spec);
      },
    });
    for (const id of world.engine.containers.keys()) await world.engine.remove(id);
    await world.until("12:00:34");
    await world.declare();
    await world.until("12:01:30");
    expect(world.engine.containers.size).toBe(0);
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });
});

describe("an orphan that the engine cannot stop", () => {
  it("holds up nothing else (A7)", async () => {
    const world = createWorld({ behave: () => ({}) });
    await world.start();
    await world.declare(moduleOf("kometa", service(), scheduled("* * * * *")));
    await world.until("12:01:30");
    world.kill();
    for (const { runId } of world.journal.runs()) world.journal.removeRun(runId);
    const stop = world.engine.stop;
    Object.assign(world.engine, {
      stop: async () => {
        throw new EngineError("refused", "tried to kill the container, but received no exit event");
      },
    });
    await world.start();
    await world.until("12:02:30");
    expect(world.startsOf("kometa-sync")).toHaveLength(2);
    Object.assign(world.engine, { stop });
    await world.until("12:03:30");
    expect(world.startsOf("kometa-sync")[0]?.endedAt).toBeDefined();
  });
});
