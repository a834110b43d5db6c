import { parseScheduleState } from "@mesh/concurrency";
import type { CronJobManifest } from "@mesh/declaration";
import { isTerminalJob, isTerminalTask } from "@mesh/jobs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DamagedJob, isReadable, type StoredJob } from "../src/store/job-rows.ts";
import { listJobs } from "../src/store/jobs.ts";
import {
  type Bench,
  type Host,
  hostOf,
  IMAGE,
  MINUTE,
  NOON,
  nodeRequest,
  SECOND,
  startBench,
  temporaryFolder,
} from "./harness.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** What happens to a server in the course of a day; `pick` chooses among what is there. */
type Happening =
  | { readonly kind: "pass"; readonly minutes: number }
  | { readonly kind: "late"; readonly minutes: number }
  | { readonly kind: "clockBack"; readonly minutes: number }
  | { readonly kind: "end"; readonly pick: number; readonly exitCode: number }
  | { readonly kind: "begin" | "cancel" | "delete"; readonly pick: number }
  | { readonly kind: "resume"; readonly catchUp: boolean }
  | { readonly kind: "trigger" | "suspend" | "edit" | "restart" | "decide" };

const minutes = fc.integer({ min: 0, max: 4 });
const pick = fc.nat(50);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constantFrom("pass", "late", "clockBack"), minutes }),
  fc.record({ kind: fc.constant("end"), pick, exitCode: fc.constantFrom(0, 1) }),
  fc.record({ kind: fc.constantFrom("begin", "cancel", "delete"), pick }),
  fc.record({ kind: fc.constant("resume"), catchUp: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("trigger", "suspend", "edit", "restart", "decide") }),
) as fc.Arbitrary<Happening>;

const policies = ["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"] as const;
type Policy = (typeof policies)[number];

const manifest = (policy: Policy, command: string): CronJobManifest => ({
  kind: "CronJob",
  name: "report",
  schedule: "* * * * *",
  concurrencyPolicy: policy,
  jobTemplate: { image: IMAGE, command: [command], backoffLimit: 1, resources: { cpu: "1m" } },
});

/** A server with its host, which survives restarts of the server. */
interface World {
  bench: Bench;
  host: Host;
  readonly file: string;
  readonly clock: VirtualClock;
  readonly policy: Policy;
  edits: number;
}

async function start(policy: Policy): Promise<World> {
  const file = `${temporaryFolder()}/server.db`;
  const clock = createVirtualClock(NOON);
  const bench = await startBench({ file, clock });
  const host = hostOf(bench);
  await host.join();
  await bench.mesh.createCronJob("default", manifest(policy, "0"));
  await bench.settle();
  return { bench, host, file, clock, policy, edits: 0 };
}

async function apply(world: World, happens: Happening): Promise<void> {
  const { bench, host, clock } = world;
  const { mesh, settle } = bench;
  switch (happens.kind) {
    case "pass":
      for (let third = 0; third < happens.minutes * 3; third += 1) {
        await bench.advance(20 * SECOND);
        await mesh.register(nodeRequest("a"));
      }
      return settle();
    case "late":
    case "clockBack":
      clock.step((happens.kind === "late" ? 1 : -1) * happens.minutes * MINUTE);
      return clock.advance(0, settle);
    case "begin":
    case "end": {
      const tasks = await host.tasks();
      const task = tasks[happens.pick % Math.max(1, tasks.length)];
      if (task === undefined) return;
      const ending = happens.kind === "end" ? happens.exitCode : undefined;
      if (ending === undefined) return host.report(task.taskId, { status: "running" });
      return host.report(task.taskId, { status: "stopped", exitCode: ending });
    }
    case "cancel":
    case "delete": {
      const jobs = await mesh.jobs("default");
      const id = jobs[happens.pick % Math.max(1, jobs.length)]?.state.job.id;
      if (id === undefined) return;
      if (happens.kind === "cancel") await mesh.cancelJob("default", id);
      else await mesh.deleteJob("default", id);
      return settle();
    }
    case "trigger":
      await mesh.triggerCronJob("default", "report");
      return settle();
    case "suspend":
      await mesh.suspendCronJob("default", "report");
      return settle();
    case "resume":
      await mesh.resumeCronJob("default", "report", { catchUp: happens.catchUp });
      return settle();
    case "edit":
      world.edits += 1;
      await mesh.applyCronJob("default", manifest(world.policy, String(world.edits)));
      return settle();
    case "restart": {
      await bench.stop();
      world.bench = await startBench({ file: world.file, clock });
      world.host = hostOf(world.bench);
      return world.bench.settle();
    }
    case "decide":
      await bench.store.write(async (tx) => {
        await tx.db.updateTable("schedules").set({ wake_at: 0 }).execute();
        tx.touch("schedules");
      });
      return settle();
  }
}

/** What holds at every moment, whatever has happened (S2, D9, D11, J10). */
async function checkLaws({ bench, policy }: World): Promise<void> {
  const { jobs, ledger, row } = await bench.store.read(async (db) => ({
    jobs: (await listJobs(db, "default", 1_000)).map(readable),
    ledger: await db
      .selectFrom("ledger")
      .selectAll()
      .where("origin", "=", "schedule")
      .orderBy("first_at")
      .execute(),
    row: await db.selectFrom("schedules").selectAll().executeTakeFirstOrThrow(),
  }));
  const state = parseScheduleState(JSON.parse(row.schedule_json));
  expect(row.problem).toBe(null);
  // Every occurrence up to the base has one row, alone or in an interval, and none has two.
  const base = Math.max(state.lastScheduleAt ?? NOON, state.effectiveFrom ?? NOON);
  let through = NOON;
  for (const entry of ledger) {
    expect(entry.first_at).toBe(through + MINUTE);
    expect(entry.last_at).toBe(entry.first_at + (entry.count - 1) * MINUTE);
    through = entry.last_at;
  }
  expect(through).toBe(Math.floor(base / MINUTE) * MINUTE);
  // A run and its row go together, also when the run's record has gone.
  const byId = new Map(jobs.map((job) => [job.state.job.id, job]));
  const made = ledger.filter(({ outcome }) => outcome === "create");
  for (const { job_id, final_status, run_name } of made) {
    const job = byId.get(job_id as string);
    if (job !== undefined) expect(job.state.job.spec.name).toBe(run_name);
    else if (final_status === null) {
      const hidden = await bench.mesh.job("default", job_id as string);
      expect(hidden.state.job.deletedAt).toBeDefined();
    }
  }
  const scheduled = jobs.filter(({ origin }) => origin?.origin === "schedule");
  const ids = new Set(made.map(({ job_id }) => job_id));
  expect(scheduled.filter(({ state: { job } }) => !ids.has(job.id))).toEqual([]);
  for (const { state: run } of jobs) {
    const live = run.tasks.filter(({ actualStatus }) => !isTerminalTask(actualStatus));
    if (!isTerminalJob(run.job.status)) expect(live).toHaveLength(1);
    expect(run.job.attempts).toBeLessThanOrEqual(2);
  }
  const live = await bench.store.read((db) =>
    db.selectFrom("jobs").select("origin").where("live", "=", 1).execute(),
  );
  if (policy === "Skip" || policy === "Queue" || policy === "Supersede") {
    expect(live.filter(({ origin }) => origin === "schedule").length).toBeLessThanOrEqual(1);
  }
  // It never waits for what cannot come: an instant, a run's end, or an operator.
  if (row.wake_at !== null) return;
  if (row.waits_run_end === 1) expect(live.length).toBeGreaterThan(0);
  else expect(state.spec.suspended).toBe(true);
}

const numRuns = Number(process.env.FC_RUNS ?? 6);

describe("whatever happens, in whatever order (S2, D11, J10)", () => {
  it.each(policies)(
    "under %s every occurrence is decided once, and what is stored agrees",
    async (policy) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(happening, { minLength: 5, maxLength: 25 }),
          async (happenings) => {
            const world = await start(policy);
            for (const happens of happenings) {
              await apply(world, happens);
              await checkLaws(world);
            }
            await world.bench.stop();
          },
        ),
        { numRuns },
      );
    },
    120_000,
  );
});

/** Nothing that was written by the server itself is unreadable to it. */
function readable(job: StoredJob | DamagedJob): StoredJob {
  if (isReadable(job)) return job;
  throw new Error(job.problem);
}
