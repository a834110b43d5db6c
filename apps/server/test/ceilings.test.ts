import { describe, expect, it } from "vitest";
import { createStartRate } from "../src/ceilings.ts";
import {
  advanceWith,
  eventTypes,
  hostOf,
  IMAGE,
  MINUTE,
  NOON,
  SECOND,
  startBench,
} from "./harness.ts";

const job = (name: string) => ({ kind: "Job", name, image: IMAGE }) as const;
const schedule = {
  kind: "CronJob",
  name: "report",
  schedule: "* * * * *",
  jobTemplate: { image: IMAGE, resources: { cpu: "1m", memory: "6Mi" } },
} as const;

describe("ceilings (S7)", () => {
  it("a backlog is created whole, with its checkpoint, and placed a few a second", async () => {
    const bench = await startBench({ ceilings: { startsPerSecond: 2 } });
    const { mesh, clock, settle } = bench;
    await mesh.createCronJob("default", schedule);
    await settle();
    clock.step(10 * MINUTE);
    await clock.advance(0, settle);
    const host = hostOf(bench);
    await host.join();
    expect(await mesh.jobs("default")).toHaveLength(10);
    expect((await mesh.cronJob("default", "report")).schedule.lastScheduleAt).toBe(
      NOON + 10 * MINUTE,
    );
    const placed: number[] = [];
    for (let second = 0; second < 6; second += 1) {
      placed.push((await host.tasks()).length);
      await bench.advance(SECOND);
    }
    expect(placed).toEqual([2, 4, 6, 8, 10, 10]);
  });

  it("a namespace has so many tasks on nodes at most, others are not held up, and it is told why", async () => {
    const bench = await startBench({ ceilings: { runningTasksPerNamespace: 2 } });
    const { mesh } = bench;
    const host = hostOf(bench);
    await host.join();
    await mesh.createNamespace("other");
    for (const name of ["a", "b", "c"]) await mesh.createJob("default", job(name));
    await mesh.createJob("other", job("d"));
    await bench.settle();
    expect((await host.tasks()).map(({ jobName }) => jobName).sort()).toEqual(["a", "b", "d"]);
    const [waiting] = await mesh.tasks("default");
    expect(waiting?.message).toBe("namespace default has 2 tasks, its ceiling");
    await advanceWith(bench, host, MINUTE);
    expect((await eventTypes(bench)).filter((type) => type === "attempt.waiting")).toHaveLength(1);
    const first = (await host.tasks()).find(({ jobName }) => jobName === "a");
    await host.report(first?.taskId as string, { status: "stopped", exitCode: 0 });
    expect((await host.tasks()).map(({ jobName }) => jobName).sort()).toEqual(["b", "c", "d"]);
  });

  it("what is not used is kept for a second, and a clock that is set back gives nothing", () => {
    const rate = createStartRate(5);
    expect(rate.take(100, NOON)).toBe(5);
    expect(rate.take(100, NOON)).toBe(0);
    expect(rate.nextAt(NOON)).toBe(NOON + 200);
    expect(rate.take(1, NOON + 200)).toBe(1);
    expect(rate.take(100, NOON - 10 * MINUTE)).toBe(0);
    expect(rate.take(100, NOON + 10 * MINUTE)).toBe(5);
  });

  it("less than one a second is kept too", () => {
    const rate = createStartRate(0.5);
    expect(rate.take(3, NOON)).toBe(1);
    expect(rate.nextAt(NOON)).toBe(NOON + 2 * SECOND);
    expect(rate.take(3, NOON + 2 * SECOND - 1)).toBe(0);
    expect(rate.take(3, NOON + 2 * SECOND)).toBe(1);
  });
});
