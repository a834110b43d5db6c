import { describe, expect, it } from "vitest";
import type { Behaviour, SimulatedContainer } from "../src/engine/simulated.ts";
import {
  at,
  createWorld,
  moduleOf,
  outcomes,
  runOnce,
  scheduled,
  service,
  type World,
} from "./world.ts";

const nameOf = ({ spec }: SimulatedContainer) => spec.environment.MESH_NAME;

async function running(
  schedule: string,
  behave: (container: SimulatedContainer, run: number) => Behaviour,
  now = "02:59:00",
): Promise<World> {
  let runs = 0;
  const world = createWorld({
    now,
    behave: (container) => {
      if (nameOf(container) === "kometa-sync") runs += 1;
      return behave(container, runs);
    },
  });
  await world.start();
  await world.declare(moduleOf("kometa", scheduled(schedule)));
  return world;
}

function expectCurrentThroughout(world: World): void {
  const later = world.server.statuses.filter(({ status }) => status.generation > 0).slice(1);
  expect(later.length).toBeGreaterThan(0);
  for (const { status } of later) expect(status).toMatchObject({ applied: true, current: true });
  expect(world.host().status()).toMatchObject({ applied: true, current: true, problems: [] });
}

describe("a run that fails", () => {
  it("[A53-26] is recorded against its module: container, occurrence, exit code (A3, A8)", async () => {
    const world = await running("0 3 * * *", () => ({
      afterMs: 2000,
      exitCode: 17,
      output: "no library",
    }));
    await world.until("03:01:00");
    const told = world.server.reports().filter((one) => one.kind === "run");
    expect(told.at(-1)).toMatchObject({
      module: "kometa",
      container: "kometa-sync",
      record: { outcome: "failed", occurrenceAt: at("03:00"), exitCode: 17, output: "no library" },
    });
    // The host's own records still hold it after a restart.
    world.kill();
    await world.start();
    expect(outcomes(world, "kometa-sync")).toEqual(["03:00 failed 17"]);
  });

  it("[A53-27] does not fail the apply, nor the same apply again (A3)", async () => {
    const world = await running("0 3 * * *", () => ({ afterMs: 2000, exitCode: 17 }));
    await world.until("03:01:00");
    expect(world.host().status()).toMatchObject({ applied: true });
    await world.declare(moduleOf("kometa", scheduled("0 3 * * *")));
    await world.until("03:02:00");
    expect(world.server.lastStatus()).toEqual({
      generation: 2,
      applied: true,
      current: true,
      problems: [],
    });
    expect(world.journal.appliedGeneration()).toBe(2);
  });

  it("[A53-28] does not flip the node's state: every status says current (A3)", async () => {
    const world = createWorld({
      now: "02:58:00",
      leaseSeconds: 8,
      behave: () => ({ afterMs: 2000, exitCode: 17 }),
    });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("0 3 * * *")));
    await world.until("03:10:00");
    const told = world.server.statuses.filter((one) => one.at >= at("02:59"));
    expect(told.length).toBeGreaterThan(100);
    for (const { status } of told) expect(status).toMatchObject({ applied: true, current: true });
    expect(outcomes(world, "kometa-sync")).toEqual(["03:00 failed 17"]);
  });

  it("[A53-29] halts no other resource, of its module or of another (A3)", async () => {
    const world = createWorld({
      now: "02:58:30",
      behave: (container) => {
        const name = nameOf(container) ?? "";
        if (name.endsWith("web")) return {};
        return { afterMs: 500, exitCode: name === "kometa-sync" ? 1 : 0 };
      },
    });
    await world.start();
    await world.declare(
      moduleOf(
        "kometa",
        scheduled("0 3 * * *"),
        service("kometa-web"),
        scheduled("* * * * *", { name: "kometa-poll" }),
      ),
      moduleOf("vault", service("vault-web"), scheduled("* * * * *", { name: "vault-poll" })),
    );
    await world.until("03:05:30");
    expect(outcomes(world, "kometa-sync")).toEqual(["03:00 failed 1"]);
    const every = ["02:59", "03:00", "03:01", "03:02", "03:03", "03:04", "03:05"];
    for (const poll of ["kometa-poll", "vault-poll"]) {
      expect(outcomes(world, poll)).toEqual(every.map((one) => `${one} succeeded 0`));
    }
    for (const web of ["kometa-web", "vault-web"]) expect(world.startsOf(web)).toHaveLength(1);
    expect(world.engine.calls.filter(({ kind }) => kind === "stop")).toEqual([]);
  });

  it("[A53-30] is followed by the next: two records, 1 then 0, current throughout (A3)", async () => {
    const world = await running("*/5 3 * * *", (_, run) => ({
      afterMs: 1000,
      exitCode: run === 1 ? 1 : 0,
    }));
    await world.until("03:06:00");
    expect(outcomes(world, "kometa-sync")).toEqual(["03:00 failed 1", "03:05 succeeded 0"]);
    expectCurrentThroughout(world);
  });

  it("[A53-31] always: a repeating entry, never a paused schedule (A3)", async () => {
    const world = await running("*/5 3 * * *", () => ({ afterMs: 1000, exitCode: 1 }));
    await world.until("03:50:30");
    expect(outcomes(world, "kometa-sync")).toEqual(
      ["00", "05", "10", "15", "20", "25", "30", "35", "40", "45", "50"].map(
        (one) => `03:${one} failed 1`,
      ),
    );
    expectCurrentThroughout(world);
  });

  it("[A53-32] is not tried again before its next occurrence (A3)", async () => {
    const world = await running("0 3 * * *", () => ({ afterMs: 5000, exitCode: 1 }));
    await world.until("23:59:00");
    expect(world.startsOf("kometa-sync")).toHaveLength(1);
  });

  it("[A53-34] could not start, its command unknown: one record with a reason, then the next (A1, A3, A8)", async () => {
    const world = await running("*/5 3 * * *", (_, run) =>
      run === 1 ? { refused: 'exec: "no-such": not found' } : { afterMs: 1000, exitCode: 0 },
    );
    await world.until("03:06:00");
    const ends = world.records("kometa-sync").filter(({ record }) => record.outcome !== "started");
    expect(ends.map(({ record }) => record)).toEqual([
      expect.objectContaining({
        outcome: "failed",
        reason: "neverStarted",
        message: expect.stringContaining("no-such"),
      }),
      expect.objectContaining({ outcome: "succeeded", occurrenceAt: at("03:05") }),
    ]);
    expect(ends[0]?.record).not.toHaveProperty("exitCode");
    expectCurrentThroughout(world);
  });

  it("[A53-34] could not start, its image not to be pulled: likewise (A1, A3, A8)", async () => {
    let pulls = 0;
    const world = createWorld({
      now: "02:59:00",
      behave: () => ({ afterMs: 1000, exitCode: 0 }),
      pullFailure: () => {
        pulls += 1;
        return pulls === 1 ? "manifest unknown" : undefined;
      },
    });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("*/5 3 * * *")));
    expect(pulls).toBe(0);
    await world.until("03:06:00");
    const ends = world.records("kometa-sync").filter(({ record }) => record.outcome !== "started");
    expect(ends.map(({ record }) => record)).toMatchObject([
      {
        outcome: "failed",
        reason: "neverStarted",
        message: expect.stringContaining("manifest unknown"),
      },
      { outcome: "succeeded", occurrenceAt: at("03:05"), exitCode: 0 },
    ]);
    expectCurrentThroughout(world);
  });
});

describe("a run-once step that fails", () => {
  const broker = (exitCode: number) => {
    const world = createWorld({
      behave: (container) => (nameOf(container) === "broker" ? {} : { afterMs: 3000, exitCode }),
    });
    return world;
  };

  it("[A53-33] halts what follows in its module: broker never created, node not current (A5)", async () => {
    const world = broker(1);
    await world.start();
    await world.declare(
      moduleOf("kometa", runOnce("seed"), service("broker")),
      moduleOf("vault", service("broker")),
    );
    await world.until("12:10:00");
    expect(world.startsOf("seed").length).toBeGreaterThan(3);
    const brokers = world.startsOf("broker").map(({ spec }) => spec.environment.MESH_MODULE);
    expect(brokers).toEqual(["vault"]);
    expect(world.server.lastStatus()).toMatchObject({
      applied: false,
      current: false,
      problems: [{ module: "kometa", key: "container:seed", code: "run-once.failed" }],
    });
    expect(world.journal.appliedGeneration()).toBe(0);
  });

  it("[A53-33] with exit 0 the broker is created after the seed's exit (A5)", async () => {
    const world = broker(0);
    await world.start();
    await world.declare(moduleOf("kometa", runOnce("seed"), service("broker")));
    await world.until("12:10:00");
    const [seed] = world.startsOf("seed");
    const [started] = world.startsOf("broker");
    expect(world.startsOf("seed")).toHaveLength(1);
    expect(started?.startedAt).toBeGreaterThanOrEqual(seed?.endedAt ?? Number.POSITIVE_INFINITY);
    expect(world.server.lastStatus()).toMatchObject({ applied: true, current: true });
  });

  it("once done it is not run again for the same content, also after a restart (A5)", async () => {
    const world = broker(0);
    await world.start();
    await world.declare(moduleOf("kometa", runOnce("seed"), service("broker")));
    await world.until("12:02:00");
    world.kill();
    await world.start();
    await world.declare(moduleOf("kometa", runOnce("seed"), service("broker")));
    await world.until("12:10:00");
    expect(world.startsOf("seed")).toHaveLength(1);
    expect(world.startsOf("broker")).toHaveLength(1);
    const changed = { ...runOnce("seed"), command: ["other"] };
    await world.declare(moduleOf("kometa", changed, service("broker")));
    await world.until("12:12:00");
    expect(world.startsOf("seed")).toHaveLength(2);
  });
});
