import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../src/clock.ts";
import { createAlarm } from "../src/host/alarm.ts";
import { virtualClock } from "./virtual-clock.ts";
import { at, createWorld, moduleOf, outcomes, scheduled, service, type World } from "./world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

async function withSchedule(schedule: string, now = "12:00:30", more = {}): Promise<World> {
  const world = createWorld({ now, behave: () => ({ afterMs: 1000 }), ...more });
  await world.start();
  await world.declare(moduleOf("kometa", scheduled(schedule)));
  return world;
}

const starts = (world: World) =>
  world
    .startsOf("kometa-sync")
    .map(({ startedAt }) => new Date(startedAt).toISOString().slice(0, 16));

describe("the host's clock", () => {
  const zone = process.env.TZ;
  afterEach(() => {
    process.env.TZ = zone;
  });

  for (const [name, offset] of [
    ["Asia/Kolkata", -330],
    ["America/New_York", 240],
  ] as const) {
    it(`[A53-60] every night at 3 is 03:00Z with the process in ${name} (R2, C7)`, async () => {
      process.env.TZ = name;
      expect(new Date(at("12:00")).getTimezoneOffset()).toBe(offset);
      const world = await withSchedule("0 3 * * *", "00:00:00");
      await world.until("2026-10-14T12:00:00");
      expect(starts(world)).toEqual(["2026-10-13T03:00", "2026-10-14T03:00"]);
    });
  }

  it("set back an hour: nothing runs twice, and what follows runs (D9)", async () => {
    const world = await withSchedule("*/10 * * * *", "11:00:30");
    await world.until("12:20:30");
    world.clock.step(-HOUR);
    await world.until("12:40:30");
    const occurrences = world
      .startsOf("kometa-sync")
      .map(({ spec }) => spec.environment.MESH_SCHEDULED_AT?.slice(11, 16));
    expect(occurrences).toEqual([
      "11:10",
      "11:20",
      "11:30",
      "11:40",
      "11:50",
      "12:00",
      "12:10",
      "12:20",
      "12:30",
      "12:40",
    ]);
  });

  it("ahead for a while by a year: silent neither then nor once it is set right (D9)", async () => {
    const world = await withSchedule("0 * * * *");
    await world.until("13:05:30");
    world.clock.step(YEAR);
    await world.clock.advance(2 * HOUR);
    const ahead = world.startsOf("kometa-sync").length;
    expect(ahead).toBe(3);
    world.clock.step(-YEAR);
    await world.clock.advance(2 * HOUR);
    expect(starts(world).slice(ahead)).toEqual(["2026-10-13T16:00", "2026-10-13T17:00"]);
  });

  it("ahead when the schedule was installed: set right, it fires at once again (D9)", async () => {
    const world = createWorld({ now: "2027-10-13T12:00:30", behave: () => ({ afterMs: 1000 }) });
    await world.start();
    await world.declare(moduleOf("kometa", scheduled("0 * * * *")));
    world.clock.step(-YEAR);
    await world.clock.advance(2 * HOUR);
    expect(starts(world)).toEqual(["2026-10-13T13:00", "2026-10-13T14:00"]);
  });

  it("a machine that slept does not run what it missed, and says so in one record (A6)", async () => {
    const world = await withSchedule("*/10 * * * *");
    await world.until("12:12:30");
    world.clock.step(2 * HOUR);
    await world.until("14:20:30");
    expect(outcomes(world, "kometa-sync")).toEqual([
      "12:10 succeeded 0",
      "12:20 missed",
      "14:20 succeeded 0",
    ]);
    const missed = world.records("kometa-sync").find(({ record }) => record.outcome === "missed");
    expect(missed?.record).toMatchObject({
      firstAt: at("12:20"),
      lastAt: at("14:10"),
      count: 12,
      countIsExact: true,
    });
  });

  it("a wait longer than any timer of the platform ends on its minute (A2)", async () => {
    const clock = virtualClock(at("12:00:30"));
    let rang: number | undefined;
    const due = at("2026-11-10T03:00");
    createAlarm(clock, () => {
      rang = clock.now();
    }).set(due);
    await clock.advanceTo(due - 1);
    expect(rang).toBeUndefined();
    await clock.advance(1);
    expect(rang).toBe(due);
  });

  it("the system's clock takes waits beyond 24 days and fires them once", () => {
    vi.useFakeTimers();
    try {
      let fired = 0;
      systemClock().after(60 * DAY, () => {
        fired += 1;
      });
      const cancel = systemClock().after(60 * DAY, () => {
        fired += 100;
      });
      vi.advanceTimersByTime(60 * DAY - 1);
      expect(fired).toBe(0);
      cancel();
      vi.advanceTimersByTime(60 * DAY);
      expect(fired).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a host that was down", () => {
  it("missed occurrences are not run late and are one record (A6)", async () => {
    const world = await withSchedule("*/5 * * * *");
    await world.until("12:05:30");
    world.kill();
    await world.until("12:27:00");
    await world.start();
    await world.until("12:30:30");
    expect(outcomes(world, "kometa-sync")).toEqual([
      "12:05 succeeded 0",
      "12:10 missed",
      "12:30 succeeded 0",
    ]);
    const missed = world.records("kometa-sync").find(({ record }) => record.outcome === "missed");
    expect(missed?.record).toMatchObject({
      firstAt: at("12:10"),
      lastAt: at("12:25"),
      count: 4,
      countIsExact: true,
    });
  });

  it("less than a minute late counts as on time (A6)", async () => {
    const world = await withSchedule("*/5 * * * *");
    await world.until("12:04:00");
    world.kill();
    await world.until("12:05:50");
    await world.start();
    await world.until("12:06:30");
    expect(outcomes(world, "kometa-sync")).toEqual(["12:05 succeeded 0"]);
  });

  it("a run that went on is adopted, and overlaps are skipped by it still (A4, A7)", async () => {
    const world = await withSchedule("*/5 * * * *", "12:00:30", {
      behave: () => ({ afterMs: 8 * 60_000, exitCode: 6 }),
    });
    await world.until("12:06:00");
    world.kill();
    await world.until("12:07:00");
    await world.start();
    await world.until("12:16:00");
    expect(outcomes(world, "kometa-sync")).toEqual(["12:10 skipped", "12:05 failed 6"]);
    expect(world.startsOf("kometa-sync")).toHaveLength(2);
  });
});

describe("a schedule that changes", () => {
  it("finishes the run that goes on with its old content; the next has the new one (A7)", async () => {
    const world = await withSchedule("* * * * *", "12:00:30", {
      behave: () => ({ afterMs: 40_000 }),
    });
    await world.until("12:01:10");
    await world.declare(moduleOf("kometa", scheduled("* * * * *", { command: ["new"] })));
    await world.until("12:02:50");
    const runs = world.startsOf("kometa-sync");
    expect(
      runs.map(({ spec, endedAt = 0, startedAt }) => [spec.command, endedAt - startedAt]),
    ).toEqual([
      [undefined, 40_000],
      [["new"], 40_000],
    ]);
  });

  it("with a new expression is not retroactive (D2a)", async () => {
    const world = await withSchedule("0 3 * * *");
    await world.until("12:10:30");
    await world.declare(moduleOf("kometa", scheduled("*/5 * * * *")));
    await world.until("12:15:30");
    expect(starts(world)).toEqual(["2026-10-13T12:15"]);
  });

  it("that is removed stops its run with grace, and never fires again (A7)", async () => {
    const world = await withSchedule("* * * * *", "12:00:30", { behave: () => ({ stopCode: 9 }) });
    await world.until("12:01:10");
    await world.declare(moduleOf("kometa"));
    await world.until("12:10:00");
    expect(world.startsOf("kometa-sync")).toMatchObject([{ endedAt: at("12:01:10"), exitCode: 9 }]);
    expect(outcomes(world, "kometa-sync")).toEqual(["12:01 failed 9"]);
    expect(world.journal.schedules()).toEqual([]);
    expect(world.engine.containers.size).toBe(0);
    expect(world.host().status()).toMatchObject({ applied: true, current: true });
  });

  it("that becomes a service stops firing and stays up; and back again", async () => {
    const world = await withSchedule("* * * * *", "12:00:30", { behave: () => ({}) });
    await world.until("12:01:10");
    await world.declare(moduleOf("kometa", service("kometa-sync")));
    await world.until("12:05:30");
    expect(world.startsOf("kometa-sync")).toHaveLength(2);
    expect(world.startsOf("kometa-sync")[1]?.endedAt).toBeUndefined();
    await world.declare(moduleOf("kometa", scheduled("* * * * *")));
    await world.until("12:06:30");
    expect(world.startsOf("kometa-sync")[1]?.endedAt).toBeDefined();
    expect(world.startsOf("kometa-sync")).toHaveLength(3);
  });
});
