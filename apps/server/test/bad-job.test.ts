import { describe, expect, it } from "vitest";
import { type Bench, IMAGE, MINUTE, refusalOf, SECOND, withHost } from "./harness.ts";

/** Changes a stored row by hand, as a faulty tool or an older version might have left it. */
async function spoil({ store }: Bench, name: string, table: "jobs" | "tasks"): Promise<void> {
  await store.write(async ({ db }) => {
    if (table === "jobs") {
      await db.updateTable("jobs").set({ job_json: "{" }).where("name", "=", name).execute();
    } else {
      await db.updateTable("tasks").set({ task_json: "7" }).where("job_name", "=", name).execute();
    }
  });
}

const job = (name: string, more = {}) => ({ kind: "Job", name, image: IMAGE, ...more }) as const;

describe.each(["jobs", "tasks"] as const)("one bad row of %s stops no other Job (D1)", (table) => {
  it("lists, placement, polls and new Jobs go on; the bad one is told as such", async () => {
    const bench = await withHost();
    const { mesh, host, settle } = bench;
    await bench.store.write(({ db }) => db.updateTable("nodes").set({ status: "lost" }).execute());
    await mesh.createJob("default", job("bad"));
    await settle();
    await spoil(bench, "bad", table);
    await mesh.createJob("default", job("good"));
    await host.join();
    await settle();
    expect((await host.tasks()).map(({ jobName }) => jobName)).toEqual(["good"]);
    const listed = await mesh.jobs("default");
    const told = listed.map(({ state, problem }) => [state.job.spec.name, problem !== undefined]);
    expect(told).toEqual([
      ["good", false],
      ["bad", true],
    ]);
    for (const call of [
      mesh.job("default", "bad"),
      mesh.cancelJob("default", "bad"),
      mesh.applyJob("default", job("bad")),
    ]) {
      const { status, error } = await refusalOf(call);
      expect([status, error.code]).toEqual([409, "job.unreadable"]);
    }
    await mesh.deleteJob("default", "bad");
    await mesh.createJob("default", job("bad"));
    await settle();
    expect(await host.tasks()).toHaveLength(2);
  });

  it("reports, lost nodes and deadlines go on", async () => {
    const bench = await withHost();
    const { mesh, host, settle } = bench;
    const more = { activeDeadlineSeconds: 60, backoffLimit: 1 };
    await mesh.createJob("default", job("bad", more));
    await mesh.createJob("default", job("good", more));
    await settle();
    const tasks = await host.tasks();
    expect(tasks).toHaveLength(2);
    await spoil(bench, "bad", table);
    const at = bench.clock.now();
    const report = { status: "running" } as const;
    const sent = tasks.map(
      ({ taskId }) => ({ kind: "task", id: taskId, at, taskId, report }) as const,
    );
    const { acknowledged } = await mesh.report({ node: "a", reports: sent });
    expect(acknowledged).toHaveLength(2);
    expect((await mesh.job("default", "good")).state.job.status).toBe("running");
    await bench.advance(31 * SECOND);
    expect((await mesh.node("a")).ready).toBe(false);
    expect((await mesh.job("default", "good")).state.job.attempts).toBe(2);
    await bench.advance(MINUTE);
    expect((await mesh.job("default", "good")).state.job.status).toBe("failed");
  });

  it("a schedule whose run cannot be read waits with its reason, until the run is deleted", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    const name = "s";
    await mesh.createCronJob("default", {
      ...{ kind: "CronJob", name, schedule: "* * * * *", concurrencyPolicy: "Forbid" },
      jobTemplate: { image: IMAGE },
    });
    await bench.advance(MINUTE);
    const [run] = await mesh.jobs("default");
    await spoil(bench, run?.state.job.spec.name as string, table);
    await bench.advance(MINUTE);
    const [view] = await mesh.cronJobs("default");
    expect(view?.problem).toMatch(/cannot be read/);
    expect(await mesh.runs()).toHaveLength(1);
    await mesh.deleteJob("default", run?.state.job.id as string);
    await host.join();
    await bench.advance(5 * MINUTE);
    expect((await mesh.runs()).length).toBeGreaterThan(1);
    expect((await mesh.cronJob("default", name)).problem).toBeUndefined();
  });
});
