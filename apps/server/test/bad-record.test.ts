import { expect, it } from "vitest";
import { IMAGE, MINUTE, withHost } from "./harness.ts";

it("a damaged row of what is only shown hides no other from its list", async () => {
  const bench = await withHost();
  const { mesh, host, store } = bench;
  await mesh.createCronJob("default", {
    ...{ kind: "CronJob", name: "s", schedule: "* * * * *" },
    jobTemplate: { image: IMAGE },
  });
  await host.beat();
  await bench.advance(MINUTE);
  await host.join();
  const record = { outcome: "skipped", occurrenceAt: 0, reason: "busy" } as const;
  const place = { at: 0, module: "m", container: "c", record } as const;
  await host.send({ kind: "run", id: "1", ...place });
  await store.write(async ({ db }) => {
    await db.updateTable("nodes").set({ labels_json: "{", status_json: "{" }).execute();
    await db.updateTable("nodes").set({ engine_json: "{" }).execute();
    await db.updateTable("events").set({ data_json: "{" }).execute();
    await db.updateTable("decisions").set({ decision_json: "{" }).execute();
    await db.updateTable("container_runs").set({ record_json: "{" }).execute();
  });
  await bench.advance(MINUTE);
  await store.write(async ({ db }) => {
    const first = await db.selectFrom("jobs").select("id").orderBy("created_at").execute();
    const id = first[0]?.id as string;
    await db.updateTable("jobs").set({ job_json: "{" }).where("id", "=", id).execute();
    await db.updateTable("tasks").set({ task_json: "{" }).where("job_id", "=", id).execute();
  });
  await host.join();
  await host.beat();
  expect((await mesh.node("a")).status?.current).toBe(true);
  expect((await mesh.runs()).map(({ kind }) => kind)).toContain("cronjob");
  expect((await mesh.decisions("default", "s")).length).toBeGreaterThan(0);
  expect((await mesh.events({ after: 0 })).length).toBeGreaterThan(5);
  expect((await mesh.tasks("default")).length).toBeGreaterThan(0);
});
