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

const NIGHTLY = moduleOf("kometa", scheduled("0 3 * * *"));

async function nightly(now: string, behave?: () => Behaviour): Promise<World> {
  const world = createWorld({ now, ...(behave === undefined ? {} : { behave }) });
  await world.start();
  await world.declare(NIGHTLY);
  return world;
}

const nameOf = ({ spec }: SimulatedContainer) => spec.environment.MESH_NAME;

describe("applying installs and runs nothing", () => {
  it("[A53-13] `0 3 * * *` applied at 02:59:00: no create, no start (A1)", async () => {
    const world = await nightly("02:59:00");
    expect(world.engine.calls).toEqual([]);
    expect(world.journal.schedules()).toHaveLength(1);
  });

  it("[A53-14] the node says applied and current before any run (A1)", async () => {
    const world = await nightly("02:59:00");
    await world.until("02:59:59");
    expect(world.server.lastStatus()).toEqual({
      generation: 1,
      applied: true,
      current: true,
      problems: [],
    });
    expect(world.journal.appliedGeneration()).toBe(1);
    expect(world.engine.stretches).toEqual([]);
  });

  it("[A53-15] a schedule converges exactly as a running service does (A1)", async () => {
    const statusOf = async (resource: ReturnType<typeof service>) => {
      const world = createWorld({ now: "02:59:00", behave: () => ({}) });
      await world.start();
      await world.declare(moduleOf("kometa", resource));
      await world.until("02:59:30");
      return world.server.statuses
        .map(({ status }) => status)
        .filter(({ generation }) => generation > 0);
    };
    const ofService = await statusOf(service());
    const ofSchedule = await statusOf(scheduled("0 3 * * *"));
    expect(ofSchedule.at(-1)).toEqual(ofService.at(-1));
    expect(ofService.at(-1)).toMatchObject({ applied: true, current: true });
  });

  it("[A53-16] due: it runs to completion, with one record of occurrence, exit and finish (A2, A3)", async () => {
    const world = await nightly("02:59:00", () => ({ afterMs: 30_000, exitCode: 0 }));
    await world.until("03:10:00");
    expect(world.startsOf("kometa-sync").map(({ startedAt }) => startedAt)).toEqual([at("03:00")]);
    const ends = world.records().filter(({ record }) => record.outcome !== "started");
    expect(ends.map(({ record }) => record)).toEqual([
      expect.objectContaining({
        outcome: "succeeded",
        occurrenceAt: at("03:00"),
        exitCode: 0,
        finishedAt: at("03:00:30"),
      }),
    ]);
  });

  it("[A53-17] not yet due: it has not run (A2)", async () => {
    const world = await nightly("02:59:00");
    await world.clock.advanceTo(at("03:00") - 1);
    expect(world.engine.stretches).toEqual([]);
    await world.clock.advance(1);
    expect(world.engine.stretches).toHaveLength(1);
  });

  it("[A53-18] `* * * * *` applied at 12:00:30 runs once at 12:01 (A1, A2)", async () => {
    const world = createWorld({ now: "12:00:30" });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("* * * * *")));
    await world.until("12:01:00");
    expect(world.startsOf("kometa-sync").map(({ startedAt }) => startedAt)).toEqual([at("12:01")]);
  });

  it("[A53-19] installed inside its own minute, it fires the next day first (A1, D2)", async () => {
    const world = await nightly("03:00:20");
    await world.until("23:59:59");
    expect(world.engine.stretches).toEqual([]);
    await world.until("2026-10-14T03:00:00");
    expect(world.startsOf("kometa-sync").map(({ startedAt }) => startedAt)).toEqual([
      at("2026-10-14T03:00"),
    ]);
  });

  it("[A53-20] goes on for ever: every fifth minute of an hour, twelve runs (A2)", async () => {
    const world = createWorld({ now: "12:00:30", behave: () => ({ afterMs: 10_000 }) });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("*/5 * * * *")));
    await world.until("13:00:00");
    expect(world.startsOf("kometa-sync").map(({ startedAt }) => startedAt)).toEqual(TWELVE);
  });

  it("[A53-21] on the host's own clock, with the link cut, and each told once after (A2, A8)", async () => {
    const world = createWorld({ now: "12:00:30", behave: () => ({ afterMs: 10_000 }) });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("*/5 * * * *")));
    world.server.cut(true);
    await world.until("13:00:30");
    expect(world.startsOf("kometa-sync").map(({ startedAt }) => startedAt)).toEqual(TWELVE);
    expect(world.server.received).toEqual([]);
    world.server.cut(false);
    await world.until("13:02:00");
    const told = world.server.received.flatMap((report) =>
      report.kind === "run" && report.record.outcome === "succeeded"
        ? [report.record.occurrenceAt]
        : [],
    );
    expect(told).toEqual(TWELVE);
  });
});

const TWELVE = Array.from({ length: 12 }, (_, index) => at("12:05") + index * 5 * 60_000);

describe("what stands before and behind a schedule", () => {
  it("[A53-22] a schedule is no precondition: what follows runs with no run made (A1, A3)", async () => {
    const world = createWorld({
      behave: (container) =>
        nameOf(container) === "kometa-web"
          ? {}
          : { afterMs: 1000, exitCode: nameOf(container) === "kometa-sync" ? 1 : 0 },
    });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("0 3 * * *"), runOnce(), service()));
    await world.until("12:00:40");
    expect(world.startsOf("kometa-web")).toHaveLength(1);
    expect(world.startsOf("kometa-sync")).toEqual([]);
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });

  it("[A53-23] a schedule behind a gate is installed when the gate has succeeded (A1, A5)", async () => {
    const opensAt = at("12:05:30");
    const world = createWorld({
      behave: (container) => ({
        afterMs: 100,
        exitCode: nameOf(container) === "kometa-seed" && world.clock.now() < opensAt ? 1 : 0,
      }),
    });
    await world.start();
    await world.declare(moduleOf("kometa", runOnce(), scheduled("* * * * *")));
    await world.until("12:05:30");
    expect(world.startsOf("kometa-sync")).toEqual([]);
    expect(world.host().status()).toMatchObject({ current: false });
    await world.until("12:10:00");
    const opened = world.startsOf("kometa-seed").at(-1)?.endedAt ?? 0;
    expect(opened).toBeGreaterThanOrEqual(opensAt);
    const next = Math.floor(opened / 60_000) * 60_000 + 60_000;
    expect(world.startsOf("kometa-sync")[0]?.startedAt).toBe(next);
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });

  it("a schedule installed before goes on firing its old content behind a failed gate (A1)", async () => {
    const world = createWorld({
      behave: (container) => ({
        afterMs: 100,
        exitCode: nameOf(container) === "kometa-seed" ? 1 : 0,
      }),
    });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("* * * * *", { command: ["old"] })));
    await world.until("12:01:30");
    await world.declare(
      moduleOf("kometa", runOnce(), scheduled("* * * * *", { command: ["new"] })),
    );
    await world.until("12:03:30");
    expect(world.startsOf("kometa-sync").map(({ spec }) => spec.command)).toEqual([
      ["old"],
      ["old"],
      ["old"],
    ]);
  });

  it("[A53-24] applying the same again changes nothing: one run, that of 03:00 (A1)", async () => {
    const world = createWorld({ now: "02:58:00", behave: () => ({ afterMs: 5000 }) });
    await world.start();
    const declaration = await world.declare(NIGHTLY);
    for (let send = 0; send <= 24; send += 1) {
      world.server.declare(declaration);
      await world.clock.advance(10_000);
    }
    await world.until("03:05:00");
    expect(world.startsOf("kometa-sync").map(({ startedAt }) => startedAt)).toEqual([at("03:00")]);
    expect(outcomes(world, "kometa-sync")).toEqual(["03:00 succeeded 0"]);
  });

  it("[A53-25] runs leave the applied state as it is, and are three more records (A1)", async () => {
    let runs = 0;
    const world = createWorld({
      behave: () => {
        runs += 1;
        return { afterMs: 1000, exitCode: runs === 2 ? 1 : 0 };
      },
    });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("* * * * *")));
    await world.clock.advance(1000);
    const before = JSON.stringify(world.journal.applied("kometa"));
    await world.until("12:03:30");
    expect(JSON.stringify(world.journal.applied("kometa"))).toBe(before);
    expect(outcomes(world, "kometa-sync")).toEqual([
      "12:01 succeeded 0",
      "12:02 failed 1",
      "12:03 succeeded 0",
    ]);
  });

  it("[A53-25] killed between install and record, the next apply installs it: one run each (A1, A7)", async () => {
    for (let deed = 1; deed < 30; deed += 1) {
      const world = createWorld({ behave: () => ({ afterMs: 1000 }) });
      await world.start({ killAt: deed });
      await world.declare(moduleOf("kometa", scheduled("* * * * *")));
      await world.until("12:00:40");
      world.kill();
      await world.start();
      await world.until("12:03:30");
      expect(outcomes(world, "kometa-sync"), `killed at deed ${deed}`).toEqual([
        "12:01 succeeded 0",
        "12:02 succeeded 0",
        "12:03 succeeded 0",
      ]);
      expect(world.startsOf("kometa-sync")).toHaveLength(3);
      expect(world.journal.applied("kometa")).toHaveLength(1);
    }
  });
});
