import { createSchedule } from "@mesh/concurrency";
import { describe, expect, it } from "vitest";
import type { Store } from "../src/store/store.ts";
import { type Bench, DAY, hostOf, IMAGE, MINUTE, NOON, startBench } from "./harness.ts";

/** Schedules put in directly, each with a wake of its own. */
async function fill(store: Store, count: number, wakeAt: number): Promise<void> {
  const state = createSchedule({ name: "x", schedule: "0 0 1 1 *" }, { uid: "u", now: NOON });
  for (let from = 0; from < count; from += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, count - from) }, (_, i) => ({
      uid: `u${from + i}`,
      namespace: "default",
      name: `x${from + i}`,
      version: 1,
      schedule_json: JSON.stringify({ ...state, uid: `u${from + i}` }),
      template_json: JSON.stringify({ image: IMAGE }),
      wake_at: wakeAt,
      waits_run_end: 0,
      problem: null,
      created_at: NOON,
    }));
    await store.write(async (tx) => {
      await tx.db.insertInto("schedules").values(rows).execute();
    });
  }
}

/** What one tick asks of the database. */
async function statementsOf(bench: Bench, statements: string[], work: () => Promise<void>) {
  await bench.settle();
  statements.length = 0;
  await work();
  return statements.length;
}

describe("what it costs (counts, not seconds)", () => {
  it("a tick with nothing due asks the same of a thousand schedules as of none", async () => {
    const counts: number[] = [];
    for (const schedules of [0, 1_000]) {
      const statements: string[] = [];
      const bench = await startBench({ onStatement: (sql) => statements.push(sql) });
      await fill(bench.store, schedules, NOON + DAY);
      counts.push(
        await statementsOf(bench, statements, async () => {
          await bench.store.write(async (tx) => tx.touch("schedules"));
          await bench.settle();
        }),
      );
    }
    expect(counts[1]).toBe(counts[0]);
    expect(counts[0]).toBeLessThanOrEqual(4);
  });

  it("every question of a controller is answered by an index, never by a whole table", async () => {
    const statements = new Set<string>();
    const bench = await startBench({ onStatement: (sql) => statements.add(sql) });
    const host = hostOf(bench);
    await host.join();
    await bench.mesh.createCronJob("default", {
      kind: "CronJob",
      name: "c",
      schedule: "* * * * *",
      concurrencyPolicy: "Replace",
      jobTemplate: {
        image: IMAGE,
        backoffLimit: 1,
        backoff: { kind: "Constant", delaySeconds: 5 },
      },
    });
    await bench.advance(MINUTE);
    await host.beat();
    await bench.advance(MINUTE);
    const [task] = await host.tasks();
    if (task !== undefined) await host.report(task.taskId, { status: "stopped", exitCode: 1 });
    await bench.mesh.jobs("default");
    await bench.mesh.tasks("default");
    await bench.mesh.tasks("default", { job: "c1" });
    await bench.mesh.runs({ schedule: "c" });
    await bench.mesh.runs({ namespace: "default" });
    await bench.mesh.runs({ module: "m" });
    await bench.mesh.decisions("default", "c");
    const scans: string[] = [];
    const used = new Set<string>();
    for (const sql of statements) {
      if (!/^(select|update|delete)/.test(sql)) continue;
      const nulls = Array.from(sql.matchAll(/\?/g), () => null);
      const plan = await bench.store.read(async (db) => {
        const { CompiledQuery } = await import("kysely");
        return db.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`, nulls));
      });
      for (const { detail } of plan.rows as { detail: string }[]) {
        for (const [, index] of detail.matchAll(/INDEX (\w+)/g)) used.add(index as string);
        // Nodes are read whole by placement, and namespaces and events in the order of their key.
        if (
          /^SCAN (?!nodes|namespaces|events|sqlite_master|kysely|CONSTANT)/.test(detail) &&
          !/USING .*INDEX/.test(detail)
        ) {
          scans.push(`${detail}: ${sql}`);
        }
      }
    }
    expect(scans).toEqual([]);
    // The partial ones are taken too: they hold what is live or due, and not the history.
    for (const index of [
      "jobs_active_name",
      "jobs_live_of_schedule",
      "jobs_wake",
      "nodes_lease",
      "schedules_wake",
      "tasks_assignable",
      "tasks_not_before",
      "tasks_on_node",
    ]) {
      expect(used, index).toContain(index);
    }
  });

  it("a report costs the same however many Jobs there are", async () => {
    const counts: number[] = [];
    for (const jobs of [1, 200]) {
      const statements: string[] = [];
      const bench = await startBench({ onStatement: (sql) => statements.push(sql) });
      for (let i = 0; i < jobs; i += 1) {
        const resources = { cpu: "1m", memory: "6Mi" };
        await bench.mesh.createJob("default", {
          kind: "Job",
          name: `j${i}`,
          image: IMAGE,
          resources,
        });
      }
      const host = hostOf(bench);
      await host.join();
      const [task] = await host.tasks();
      counts.push(
        await statementsOf(bench, statements, () =>
          host.report(task?.taskId as string, { status: "running" }),
        ),
      );
    }
    expect(counts[1]).toBe(counts[0]);
  });
});
