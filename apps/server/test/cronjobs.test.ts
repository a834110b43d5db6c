import type { CronJobManifest } from "@mesh/declaration";
import { describe, expect, it } from "vitest";
import {
  advanceWith,
  HOUR,
  IMAGE,
  MINUTE,
  NOON,
  SECOND,
  startBench,
  temporaryFolder,
  withHost,
} from "./harness.ts";
import { created, decideAgain, late, minutely } from "./schedules.ts";

describe("what comes due is created (D2)", () => {
  it("[C31-89] evaluated in the zone, kept in UTC (C7, D10)", async () => {
    const bench = await startBench({ now: Date.UTC(2026, 9, 13, 6, 59) });
    const { mesh, advance } = bench;
    const timezone = "Europe/Belgrade";
    await mesh.createCronJob("default", { ...minutely, schedule: "0 9 * * *", timezone });
    const due = Date.UTC(2026, 9, 13, 7);
    expect((await mesh.cronJob("default", "report")).nextAt).toBe(due);
    await advance(HOUR);
    expect(await created(bench)).toEqual([due]);
    expect((await mesh.cronJob("default", "report")).schedule.lastScheduleAt).toBe(due);
    expect((await mesh.jobs("default")).map(({ state }) => state.job.spec.name)).toEqual([
      "report-202610130700",
    ]);
    expect((await mesh.jobs("default"))[0]?.origin).toMatchObject({
      scheduleName: "report",
      origin: "schedule",
      occurrenceAt: due,
    });
  });

  it("[C31-102] a late controller works off the backlog, every minute once (D11)", async () => {
    const bench = await startBench();
    await bench.mesh.createCronJob("default", { ...minutely, missedScheduleLimit: 2 });
    await bench.settle();
    await late(bench, 3 * MINUTE);
    const passes = [...(await bench.mesh.decisions("default", "report"))].reverse();
    expect(
      passes.map(({ decision }) =>
        decision.outcomes.map((o) => "at" in o && (o.at - NOON) / MINUTE),
      ),
    ).toEqual([[1, 2], [3]]);
    await late(bench, 7 * MINUTE + 30 * SECOND);
    expect(await created(bench)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((m) => NOON + m * MINUTE),
    );
  });

  it("[C31-103] a server that was stopped is only late: each run exists once (S2)", async () => {
    const file = `${temporaryFolder()}/server.db`;
    const before = await startBench({ file });
    await before.mesh.createCronJob("default", minutely);
    await before.settle();
    await before.stop();
    const after = await startBench({ file, now: NOON + 3 * MINUTE });
    expect(await created(after)).toEqual([1, 2, 3].map((m) => NOON + m * MINUTE));
    expect(await after.mesh.jobs("default")).toHaveLength(3);
    await after.stop();
    const again = await startBench({ file, now: NOON + 3 * MINUTE });
    await decideAgain(again);
    expect(await again.mesh.jobs("default")).toHaveLength(3);
  });

  it("a clock that steps back creates nothing anew, and goes on when time catches up (D9)", async () => {
    const bench = await startBench();
    await bench.mesh.createCronJob("default", minutely);
    await bench.settle();
    await late(bench, 2 * MINUTE);
    bench.clock.step(-HOUR);
    await decideAgain(bench);
    await bench.advance(30 * MINUTE);
    expect(await bench.mesh.jobs("default")).toHaveLength(2);
    await bench.advance(31 * MINUTE);
    expect(await created(bench)).toEqual([1, 2, 3].map((m) => NOON + m * MINUTE));
    const behind = (await bench.mesh.events({ after: 0 })).filter(
      ({ type }) => type === "cronjob.clock-behind",
    );
    expect(behind.length).toBeGreaterThan(0);
  });
});

describe("active runs (D3)", () => {
  it("[C31-104] those of this schedule that are pending or running, and no others", async () => {
    const bench = await withHost();
    const { mesh, host, settle } = bench;
    await mesh.createCronJob("default", { ...minutely, suspended: true });
    await mesh.createCronJob("default", { ...minutely, name: "other", suspended: true });
    for (const id of ["ok", "bad", "run", "gone"]) {
      await mesh.triggerCronJob("default", "report", { id });
    }
    await mesh.triggerCronJob("default", "other", { id: "x" });
    await settle();
    const task = async (name: string): Promise<string> =>
      (await mesh.job("default", name)).state.tasks[0]?.id as string;
    await host.report(await task("report-tok"), { status: "stopped", exitCode: 0 });
    await host.report(await task("report-tbad"), { status: "stopped", exitCode: 1 });
    await host.report(await task("report-trun"), { status: "running" });
    await mesh.cancelJob("default", "report-tgone");
    await host.report(await task("report-tgone"), { status: "removed" });
    // A pending one, which no node can take.
    await mesh.applyCronJob("default", {
      ...minutely,
      suspended: true,
      jobTemplate: { image: IMAGE, resources: { cpu: "900" } },
    });
    await mesh.triggerCronJob("default", "report", { id: "wait" });
    await settle();
    const { active } = await mesh.cronJob("default", "report");
    const ids = await Promise.all(
      ["report-trun", "report-twait"].map(async (n) => (await mesh.job("default", n)).state.job.id),
    );
    expect(active.map(({ id, status }) => [id, status]).sort()).toEqual(
      [
        [ids[0], "running"],
        [ids[1], "pending"],
      ].sort(),
    );
  });
});

describe("Replace (D6)", () => {
  const replace: CronJobManifest = { ...minutely, concurrencyPolicy: "Replace" };

  it("[C31-111] asks for the removal of the active ones and creates, in one commit (J9)", async () => {
    const statements: string[] = [];
    const bench = await withHost({ onStatement: (sql) => statements.push(sql) });
    const { mesh, host } = bench;
    await mesh.createCronJob("default", replace);
    await mesh.triggerCronJob("default", "report", { id: "r1" });
    await mesh.triggerCronJob("default", "report", { id: "r2" });
    await bench.settle();
    const runs = (await mesh.jobs("default")).map(({ state }) => state.job.id).reverse();
    for (const { taskId } of await host.tasks()) await host.report(taskId, { status: "running" });
    statements.length = 0;
    await advanceWith(bench, host, MINUTE);
    const [{ decision } = { decision: undefined }] = await mesh.decisions("default", "report");
    expect([...(decision?.stopRunIds ?? [])].sort()).toEqual([...runs].sort());
    expect(await created(bench)).toEqual([NOON + MINUTE]);
    for (const id of runs) {
      expect((await mesh.job("default", id)).state.job.deletedAt).toBe(NOON + MINUTE);
    }
    const text = statements.join("\n").split("begin immediate");
    const commit = text.filter((part) => part.includes('insert into "ledger"'));
    expect(commit).toHaveLength(1);
    expect(commit[0]).toContain('insert into "jobs"');
    expect(commit[0]?.match(/update "jobs"/g)).toHaveLength(2);
    expect(commit[0]?.match(/commit/g)).toHaveLength(1);
  });

  it("[C31-113] does not wait: the new run starts while the old one still stops", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    await mesh.createCronJob("default", replace);
    await mesh.triggerCronJob("default", "report", { id: "r1" });
    await bench.settle();
    const [old] = await host.tasks();
    await host.report(old?.taskId as string, { status: "running" });
    await host.beat();
    await bench.advance(20 * SECOND);
    await host.beat();
    await bench.advance(20 * SECOND);
    await host.beat();
    await bench.advance(20 * SECOND);
    const tasks = await host.tasks();
    expect(tasks.map(({ jobName, desiredStatus }) => [jobName, desiredStatus])).toEqual([
      ["report-tr1", "removed"],
      ["report-202610131201", "running"],
    ]);
    await host.report(tasks[1]?.taskId as string, { status: "running" });
    // 30 s later the old container is still there, and so is the new one.
    await host.beat();
    await bench.advance(29 * SECOND);
    expect(await host.tasks()).toHaveLength(2);
  });
});

describe("the seed's three policies", () => {
  type Policy = "Allow" | "Forbid" | "Replace";

  /** Ch. 31's loop, transcribed: base, earliest due up to the limit, then the policy. */
  function seedPass(policy: Policy, active: number, due: readonly number[], limit: number) {
    let chosen = due.slice(0, limit > 0 ? limit : 100);
    let deleted = 0;
    if (policy === "Forbid" && active > 0) chosen = [];
    if (policy === "Replace" && chosen.length > 0) deleted = active;
    return { created: chosen, deleted, checkpoint: chosen.at(-1) };
  }

  const table = (["Allow", "Forbid", "Replace"] as const).flatMap((policy) =>
    [0, 1].flatMap((active) =>
      [0, 1, 3].flatMap((due) => [2, 100].map((limit) => ({ policy, active, due, limit }))),
    ),
  );

  it.each(table)(
    "[C31-116] $policy, $active active, $due due, limit $limit: as ch. 31 has it",
    async ({ policy, active, due, limit }) => {
      const bench = await startBench();
      const { mesh } = bench;
      const spec = { concurrencyPolicy: policy, missedScheduleLimit: limit };
      await mesh.createCronJob("default", { ...minutely, ...spec });
      if (active > 0) await mesh.triggerCronJob("default", "report", { id: "old" });
      await bench.settle();
      await late(bench, due * MINUTE + 30 * SECOND);
      const [first] = [...(await mesh.decisions("default", "report", { limit: 100 }))].reverse();
      const instants = Array.from({ length: due }, (_, i) => NOON + (i + 1) * MINUTE);
      const wanted = seedPass(policy, active, instants, limit);
      const outcomes = first?.decision.outcomes ?? [];
      expect(outcomes.flatMap((o) => (o.outcome === "create" ? [o.at] : []))).toEqual(
        wanted.created,
      );
      expect(first?.decision.stopRunIds ?? []).toHaveLength(wanted.deleted);
      expect(first?.decision.schedule.lastScheduleAt).toBe(wanted.checkpoint);
      // What the decision says is what the store then holds.
      const jobs = (await mesh.jobs("default")).map(({ state }) => state.job.spec.name);
      for (const at of wanted.created) {
        const stamp = new Date(at).toISOString().replace(/\D/g, "").slice(0, 12);
        if (policy !== "Replace" || limit === 100) expect(jobs).toContain(`report-${stamp}`);
      }
      expect(jobs.includes("report-told")).toBe(active > 0 && wanted.deleted === 0);
    },
  );

  it("Forbid holds while a run is active, and its end wakes the schedule at once (D5, S2)", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    await mesh.createCronJob("default", { ...minutely, concurrencyPolicy: "Forbid" });
    await bench.advance(MINUTE);
    await host.beat();
    await advanceWith(bench, host, 3 * MINUTE);
    expect(await created(bench)).toEqual([NOON + MINUTE]);
    const tasks = await host.tasks();
    expect(tasks.map(({ jobName }) => jobName)).toEqual(["report-202610131201"]);
    await host.report(tasks[0]?.taskId as string, { status: "stopped", exitCode: 0 });
    expect(await created(bench)).toEqual([1, 2, 3, 4].map((m) => NOON + m * MINUTE));
  });
});
