import { describe, expect, it } from "vitest";
import { DAY, HOUR, IMAGE, MINUTE, NOON, refusalOf, startBench } from "./harness.ts";
import { created, minutely } from "./schedules.ts";

describe("edits are not retroactive (D2a)", () => {
  it("a new expression passes over what had come due, as one recorded interval", async () => {
    const bench = await startBench();
    const { mesh } = bench;
    await mesh.createCronJob("default", { ...minutely, suspended: true });
    await bench.advance(3 * MINUTE);
    const hourly = { ...minutely, schedule: "0 * * * *" };
    expect((await mesh.applyCronJob("default", hourly)).outcome).toBe("updated");
    expect(await mesh.runs({ schedule: "report" })).toMatchObject([
      {
        outcome: "expire",
        reason: "suspended",
        firstAt: NOON + MINUTE,
        lastAt: NOON + 3 * MINUTE,
        count: 3,
        countIsExact: true,
      },
    ]);
    await bench.advance(HOUR);
    expect(await created(bench)).toEqual([NOON + HOUR]);
  });

  it("applying the same content changes nothing, and another template is no edit of the timing", async () => {
    const bench = await startBench();
    const { mesh } = bench;
    expect((await mesh.applyCronJob("default", minutely)).outcome).toBe("created");
    await bench.settle();
    const before = await mesh.cronJob("default", "report");
    expect((await mesh.applyCronJob("default", { ...minutely })).outcome).toBe("unchanged");
    expect(await mesh.cronJob("default", "report")).toEqual(before);
    const template = { image: IMAGE, command: ["true"] };
    const other = { ...minutely, jobTemplate: template };
    expect((await mesh.applyCronJob("default", other)).outcome).toBe("updated");
    await bench.advance(MINUTE);
    expect((await mesh.jobs("default"))[0]?.state.job.spec.command).toEqual(["true"]);
  });

  it("suspended, nothing comes due; resumed, the gap is passed over unless kept", async () => {
    for (const catchUp of [false, true]) {
      const bench = await startBench();
      const { mesh } = bench;
      await mesh.createCronJob("default", minutely);
      await mesh.suspendCronJob("default", "report");
      await mesh.suspendCronJob("default", "report");
      await bench.advance(3 * MINUTE);
      expect(await mesh.jobs("default")).toEqual([]);
      const view = await mesh.resumeCronJob("default", "report", { catchUp });
      expect(view.schedule.spec.suspended).toBe(false);
      await bench.settle();
      expect(await created(bench)).toHaveLength(catchUp ? 3 : 0);
      await bench.advance(MINUTE);
      expect(await created(bench)).toHaveLength(catchUp ? 4 : 1);
    }
  });

  it("a schedule made anew under an old name is another one: its runs and ledger are its own", async () => {
    const bench = await startBench();
    const { mesh } = bench;
    await mesh.createCronJob("default", minutely);
    await bench.advance(MINUTE);
    const first = await mesh.cronJob("default", "report");
    await mesh.deleteCronJob("default", "report");
    await bench.advance(DAY);
    await mesh.createCronJob("default", minutely);
    await bench.advance(MINUTE);
    const second = await mesh.cronJob("default", "report");
    expect(second.schedule.uid).not.toBe(first.schedule.uid);
    expect(second.active).toHaveLength(1);
    expect(await created(bench)).toHaveLength(2);
  });
});

describe("triggered runs (D10)", () => {
  it("a run at once, whatever the policy; the same id starts no second one", async () => {
    const bench = await startBench();
    const { mesh } = bench;
    await mesh.createCronJob("default", { ...minutely, concurrencyPolicy: "Forbid" });
    await mesh.triggerCronJob("default", "report", { id: "now" });
    const view = await mesh.triggerCronJob("default", "report", { id: "now" });
    expect(view.active).toHaveLength(1);
    await mesh.triggerCronJob("default", "report");
    const names = (await mesh.jobs("default")).map(({ state }) => state.job.spec.name);
    expect(names).toHaveLength(2);
    expect(names).toContain("report-tnow");
    // It counts as active afterwards.
    await bench.advance(MINUTE);
    expect(await created(bench)).toEqual([]);
    const [run] = await mesh.runs({ schedule: "report" });
    expect(run).toMatchObject({ outcome: "create", reason: "triggered" });
    const bad = await refusalOf(mesh.triggerCronJob("default", "report", { id: "Too-Long-An-Id" }));
    expect([bad.status, bad.error.code]).toEqual([400, "trigger.id"]);
  });
});
