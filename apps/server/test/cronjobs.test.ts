import { replayDecision } from "@mesh/concurrency";
import type { CronJobManifest } from "@mesh/declaration";
import { createJob } from "@mesh/jobs";
import type { ScheduledRunView } from "@mesh/protocol";
import { describe, expect, it } from "vitest";
import { isNameActive } from "../src/store/jobs.ts";
import { insertJobs } from "../src/store/save-job.ts";
import {
  advanceWith,
  type Bench,
  DAY,
  HOUR,
  type Host,
  hostOf,
  IMAGE,
  MINUTE,
  NOON,
  refusalOf,
  SECOND,
  startBench,
  temporaryFolder,
} from "./harness.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const minutely: CronJobManifest = {
  kind: "CronJob",
  name: "report",
  schedule: "* * * * *",
  jobTemplate: { image: IMAGE },
};

/** Passes time at once, as for a server that was down or late, then lets it decide. */
async function late({ clock, settle }: Bench, ms: number): Promise<void> {
  clock.step(ms);
  await clock.advance(0, settle);
}

async function created(bench: Bench, schedule = "report"): Promise<number[]> {
  const runs = (await bench.mesh.runs({ schedule, limit: 1000 })) as ScheduledRunView[];
  return runs
    .filter(({ outcome, origin }) => outcome === "create" && origin === "schedule")
    .map(({ firstAt }) => firstAt)
    .sort((a, b) => a - b);
}

async function runOf(bench: Bench, at: number): Promise<ScheduledRunView> {
  const runs = (await bench.mesh.runs({ schedule: "report", limit: 1000 })) as ScheduledRunView[];
  return runs.find(({ firstAt }) => firstAt === at) as ScheduledRunView;
}

/** Makes the schedule look again, as any wake does. */
async function decideAgain({ store, settle }: Bench): Promise<void> {
  await store.write(async (tx) => {
    await tx.db.updateTable("schedules").set({ wake_at: 0 }).execute();
    tx.touch("schedules");
  });
  await settle();
}

async function withHost(
  options: Parameters<typeof startBench>[0] = {},
): Promise<Bench & { host: Host }> {
  const bench = await startBench(options);
  const host = hostOf(bench);
  await host.join();
  return { ...bench, host };
}

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

describe("the ledger (S2)", () => {
  /** The checkpoint as before anything was decided, as if it had been lost. */
  async function loseCheckpoint({ store }: Bench): Promise<void> {
    await store.write(async ({ db }) => {
      const row = await db
        .selectFrom("schedules")
        .select("schedule_json")
        .executeTakeFirstOrThrow();
      const { lastScheduleAt: _, ...state } = JSON.parse(row.schedule_json);
      await db
        .updateTable("schedules")
        .set({ schedule_json: JSON.stringify(state) })
        .execute();
    });
  }

  it("[C31-118] the name is free once the run has ended; the ledger keeps it from a second one", async () => {
    const bench = await withHost();
    const { mesh, host, store } = bench;
    await mesh.createCronJob("default", minutely);
    await advanceWith(bench, host, MINUTE);
    const name = "report-202610131201";
    expect(await store.read((db) => isNameActive(db, "default", name))).toBe(true);
    const [task] = await host.tasks();
    await host.report(task?.taskId as string, { status: "stopped", exitCode: 0 });
    await mesh.deleteJob("default", name);
    expect(await store.read((db) => isNameActive(db, "default", name))).toBe(false);
    await loseCheckpoint(bench);
    await decideAgain(bench);
    expect(await mesh.jobs("default")).toEqual([]);
    expect(await created(bench)).toEqual([NOON + MINUTE]);
    expect(await mesh.cronJob("default", "report")).not.toHaveProperty("problem");
    // Without the row nothing would stand in the way.
    await store.write(({ db }) => db.deleteFrom("ledger").execute());
    await loseCheckpoint(bench);
    await decideAgain(bench);
    expect((await mesh.jobs("default")).map(({ state }) => state.job.spec.name)).toEqual([name]);
  });

  it("[C31-121] finished, failed, deleted or pruned: no run's end reopens its occurrence (D11)", async () => {
    const file = `${temporaryFolder()}/server.db`;
    const clock = createVirtualClock(NOON);
    const bench = await withHost({ file, clock });
    const { mesh, host } = bench;
    const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 };
    await mesh.createCronJob("default", { ...minutely, ...limits });
    const codes = [0, 0, 5, 5, 0];
    for (const exitCode of codes) {
      await host.join();
      await late(bench, MINUTE);
      const [task] = await host.tasks();
      await host.report(task?.taskId as string, { status: "stopped", exitCode });
    }
    await mesh.deleteJob("default", "report-202610131204");
    // Pruned to one of each kind, and one of those deleted by hand.
    expect((await mesh.jobs("default")).map(({ state }) => state.job.spec.name)).toEqual([
      "report-202610131205",
    ]);
    const history = await mesh.runs({ schedule: "report" });
    expect(
      history.map((run) => run.kind === "cronjob" && [run.jobStatus, run.lastExitCode]),
    ).toEqual([...codes].reverse().map((code) => [code === 0 ? "succeeded" : "failed", code]));
    await bench.stop();
    const again = await startBench({ file, clock });
    await decideAgain(again);
    expect(await again.mesh.jobs("default")).toHaveLength(1);
    expect(await created(again)).toEqual([1, 2, 3, 4, 5].map((m) => NOON + m * MINUTE));
  });

  it("[C31-135] the evidence outlives the runs: it is still served, and replays (D9a)", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    const limits = { successfulJobsHistoryLimit: 0 };
    await mesh.createCronJob("default", { ...minutely, ...limits });
    await advanceWith(bench, host, MINUTE);
    const kept = await mesh.decisions("default", "report");
    const [task] = await host.tasks();
    await host.report(task?.taskId as string, { status: "stopped", exitCode: 0 });
    expect(await mesh.jobs("default")).toEqual([]);
    await mesh.deleteCronJob("default", "report");
    expect((await refusalOf(mesh.cronJob("default", "report"))).status).toBe(404);
    const [served] = await mesh.decisions("default", "report");
    expect(served).toEqual(kept[0]);
    const { decision } = served as (typeof kept)[number];
    expect(replayDecision(decision.evidence)).toEqual(decision);
    expect(decision.evidence).toMatchObject({ zoneData: process.versions.tz, now: NOON + MINUTE });
    expect(await runOf(bench, NOON + MINUTE)).toMatchObject({ jobStatus: "succeeded" });
  });

  it("[C31-122] a name that another's active Job holds: held, told, created once free (D10)", async () => {
    const bench = await startBench();
    const { mesh, store } = bench;
    await mesh.createCronJob("default", minutely);
    const foreign = createJob(
      { name: "report-202610131201", image: IMAGE },
      { jobId: "foreign", namespace: "default", now: NOON },
    );
    await store.write((tx) => insertJobs(tx, [foreign]));
    await bench.advance(MINUTE);
    expect(await created(bench)).toEqual([]);
    const [{ decision } = { decision: undefined }] = await mesh.decisions("default", "report");
    expect(decision?.outcomes).toMatchObject([{ outcome: "hold", reason: "nameTaken" }]);
    const held = (await mesh.events({ after: 0 })).filter(({ type }) => type === "run.held");
    expect(held.map(({ message }) => message)).toEqual([
      expect.stringContaining("another Job holds the run's name"),
    ]);
    await bench.advance(10 * SECOND);
    await mesh.cancelJob("default", "foreign");
    await bench.settle();
    expect(await created(bench)).toEqual([NOON + MINUTE]);
    expect((await mesh.job("default", "report-202610131201")).origin?.scheduleName).toBe("report");
  });
});

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
