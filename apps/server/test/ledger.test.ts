import { replayDecision } from "@mesh/concurrency";
import { createJob } from "@mesh/jobs";
import { describe, expect, it } from "vitest";
import { isNameActive } from "../src/store/jobs.ts";
import { insertJobs } from "../src/store/save-job.ts";
import {
  advanceWith,
  type Bench,
  IMAGE,
  MINUTE,
  NOON,
  refusalOf,
  SECOND,
  startBench,
  temporaryFolder,
  withHost,
} from "./harness.ts";
import { created, decideAgain, late, minutely, runOf } from "./schedules.ts";
import { createVirtualClock } from "./virtual-clock.ts";

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
