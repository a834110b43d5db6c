import { describe, expect, it } from "vitest";
import { at, createWorld, minute, moduleOf, outcomes, scheduled, type World } from "./world.ts";

const MINUTES = 60_000;

/** `*\/5`, and the run of 12:05 lasts twelve minutes: what A53-36 to 41 look at. */
async function overrun(leaseSeconds?: number): Promise<World> {
  const world = createWorld({
    behave: () => ({
      afterMs: world.clock.now() < at("12:06") ? 12 * MINUTES : 30_000,
      exitCode: world.clock.now() < at("12:06") ? 3 : 0,
    }),
    ...(leaseSeconds === undefined ? {} : { leaseSeconds }),
  });
  await world.start();
  await world.declare(moduleOf("kometa", scheduled("*/5 * * * *")));
  await world.until("12:21:00");
  return world;
}

const startsOf = (world: World) =>
  world.startsOf("kometa-sync").map(({ startedAt }) => minute(startedAt));

describe("due while the last run goes on", () => {
  it("[A53-36] skipped, no second copy: starts at 12:05 and 12:20 only (A4)", async () => {
    expect(startsOf(await overrun())).toEqual(["12:05", "12:20"]);
  });

  it("[A53-37] each skip is logged with module, container, reason and the active run (A4, D9)", async () => {
    const world = await overrun();
    const skips = world.server
      .reports()
      .filter((one) => one.kind === "run" && one.record.outcome === "skipped");
    expect(skips).toEqual(
      ["12:10", "12:15"].map((when) =>
        expect.objectContaining({
          module: "kometa",
          container: "kometa-sync",
          at: at(when),
          record: {
            outcome: "skipped",
            occurrenceAt: at(when),
            activeRunId: "n1.kometa.kometa-sync-202610131205",
            reason: "a run of this schedule is active",
          },
        }),
      ),
    );
  });

  it("[A53-38] a skipped occurrence is gone: the run ends at 12:17, nothing before 12:20 (D7)", async () => {
    const world = await overrun();
    expect(world.startsOf("kometa-sync")[0]?.endedAt).toBe(at("12:17"));
    expect(startsOf(world)[1]).toBe("12:20");
    expect(outcomes(world, "kometa-sync")).toEqual([
      "12:10 skipped",
      "12:15 skipped",
      "12:05 failed 3",
      "12:20 succeeded 0",
    ]);
  });

  it("[A53-39] the overrunning run is left alone and keeps its own exit code (A3, A4)", async () => {
    const world = await overrun();
    expect(world.engine.calls.filter(({ kind }) => kind === "stop")).toEqual([]);
    expect(world.startsOf("kometa-sync")[0]).toMatchObject({ endedAt: at("12:17"), exitCode: 3 });
  });

  it("[A53-41] a skip is no fault of the machine: applied and current after each (A3, A4)", async () => {
    const world = await overrun(8);
    for (const when of ["12:10", "12:15"]) {
      const after = world.server.statuses.find((one) => one.at > at(when));
      expect(after?.status).toMatchObject({ applied: true, current: true, problems: [] });
    }
  });

  it("[A53-42] the bound is per step: two of one module start at the same minute (A4)", async () => {
    const world = createWorld({ now: "02:59:00", behave: () => ({ afterMs: 10 * MINUTES }) });
    await world.start();
    await world.declare(
      moduleOf("kometa", scheduled("0 3 * * *"), scheduled("0 3 * * *", { name: "kometa-backup" })),
    );
    await world.until("03:11:00");
    for (const name of ["kometa-sync", "kometa-backup"]) {
      expect(world.startsOf(name).map(({ startedAt }) => startedAt)).toEqual([at("03:00")]);
      expect(outcomes(world, name)).toEqual(["03:00 succeeded 0"]);
    }
  });
});
