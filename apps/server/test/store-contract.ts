import {
  createSchedule,
  decideSchedule,
  parseScheduleState,
  type ScheduleSpec,
} from "@mesh/concurrency";
import { createJob } from "@mesh/jobs";
import { describe, expect, it } from "vitest";
import { commitDecisions, type Decided } from "../src/controllers/commit-decision.ts";
import { runCronPass } from "../src/controllers/cron.ts";
import { assignTask } from "../src/operations/assign-task.ts";
import { applyJobEvent } from "../src/operations/commit-job.ts";
import { resumeCronJob, suspendCronJob } from "../src/operations/cronjobs.ts";
import { triggerCronJob } from "../src/operations/trigger-cronjob.ts";
import { activeRunOf, type StoredJob } from "../src/store/job-rows.ts";
import { liveRuns, loadJob } from "../src/store/jobs.ts";
import { ensureNamespace } from "../src/store/namespaces.ts";
import { insertJobs } from "../src/store/save-job.ts";
import { findSchedule, insertSchedule, type StoredSchedule } from "../src/store/schedules.ts";
import type { StatementHook } from "../src/store/sqlite.ts";
import { isConflict, type Store } from "../src/store/store.ts";
import { systemZones as zones } from "../src/zones.ts";
import { IMAGE, MINUTE, NOON } from "./harness.ts";

/** One database: every `open` is another writer on the same data, which outlives them all. */
export interface Fixture {
  open(options?: { onStatement?: StatementHook }): Promise<Store>;
}

let ids = 0;
function newId(): string {
  ids += 1;
  return `made-${ids}`;
}

async function seed(store: Store, spec: Partial<ScheduleSpec> = {}, now = NOON): Promise<void> {
  await store.write(async (tx) => {
    await ensureNamespace(tx, "default", now);
    const full = { name: "report", schedule: "* * * * *", ...spec };
    const state = createSchedule(full, { uid: "s1", now });
    const template = { image: IMAGE };
    await insertSchedule(tx, { namespace: "default", state, template, wakeAt: now });
  });
}

async function dump(store: Store) {
  return store.read(async (db) => {
    const jobs = await db.selectFrom("jobs").selectAll().orderBy("name").execute();
    const schedule = await db.selectFrom("schedules").selectAll().executeTakeFirstOrThrow();
    return {
      jobs,
      names: jobs.filter(({ deleted_at }) => deleted_at === null).map(({ name }) => name),
      tasks: await db.selectFrom("tasks").selectAll().execute(),
      ledger: await db.selectFrom("ledger").selectAll().orderBy("first_at").execute(),
      decisions: await db.selectFrom("decisions").select("id").execute(),
      events: await db.selectFrom("events").selectAll().execute(),
      schedule,
      state: parseScheduleState(JSON.parse(schedule.schedule_json)),
    };
  });
}

const pass = (store: Store, now: number) => runCronPass(store, now, { newId, zones });

/** A decision made on what is stored now, to be committed later: as a second server would. */
async function decideNow(store: Store, now: number): Promise<Decided> {
  return store.read(async (db) => {
    const row = (await findSchedule(db, "default", "report")) as StoredSchedule;
    const runs = (await liveRuns(db, [row.uid])).get(row.uid) ?? [];
    const active = runs.map(activeRunOf).filter((run) => run !== undefined);
    const decision = decideSchedule(parseScheduleState(JSON.parse(row.scheduleJson)), active, {
      now,
    });
    return { row, runs, decision, template: { image: IMAGE } };
  });
}

const commitOnce = (store: Store, decided: Decided, now: number) =>
  store
    .write((tx) => commitDecisions(tx, [decided], { now, newId }), { retryConflicts: false })
    .then(
      () => "committed",
      (error: unknown) => (isConflict(error) ? "conflict" : Promise.reject(error)),
    );

/** The process is gone from statement `at` on: nothing after it reaches the database. */
function dyingAt(at: number): { hook: StatementHook; died: () => boolean } {
  let seen = 0;
  return {
    hook: () => {
      seen += 1;
      if (seen >= at) throw new Error("killed");
    },
    died: () => seen >= at,
  };
}

/**
 * Runs `work` on a writer that dies at its first, second, … statement, each time on fresh data,
 * and checks what a new writer finds; ends when `work` gets through alive.
 */
async function dieEverywhere(
  create: () => Promise<Fixture>,
  given: {
    prepare: (store: Store) => Promise<void>;
    work: (store: Store) => Promise<unknown>;
    check: (store: Store) => Promise<void>;
  },
): Promise<number> {
  for (let at = 1; ; at += 1) {
    const fixture = await create();
    const before = await fixture.open();
    await given.prepare(before);
    await before.close();
    let counting = false;
    const { hook, died } = dyingAt(at);
    const doomed = await fixture.open({ onStatement: (sql) => counting && hook(sql) });
    counting = true;
    await given.work(doomed).catch(() => undefined);
    counting = false;
    await doomed.close();
    const after = await fixture.open();
    await given.check(after);
    await after.close();
    if (!died()) return at - 1;
  }
}

/** What S1 to S3 ask of a store, whatever the database. */
export function describeStore(name: string, create: () => Promise<Fixture>): void {
  describe(`${name}: one commit, whole or not at all (S2)`, () => {
    it.each(["Allow", "Forbid", "Replace", "Skip"] as const)(
      "[C31-119] killed at any statement of the commit, under %s: one run, and the checkpoint agrees",
      async (concurrencyPolicy) => {
        const due = NOON + MINUTE;
        const statements = await dieEverywhere(create, {
          prepare: async (store) => {
            await seed(store, { concurrencyPolicy });
            if (concurrencyPolicy !== "Replace") return;
            const old = { now: NOON, newId, id: "old" };
            await triggerCronJob(store, "default", "report", old);
          },
          work: (store) => pass(store, due),
          check: async (store) => {
            // Whatever was left, it is whole: both the run and the checkpoint, or neither.
            const left = await dump(store);
            const isDone = left.state.lastScheduleAt === due;
            const rows = left.ledger.filter(({ origin }) => origin === "schedule");
            expect(rows.map(({ first_at }) => first_at)).toEqual(isDone ? [due] : []);
            expect(left.names.includes("report-202610131201")).toBe(isDone);
            expect(left.decisions).toHaveLength(isDone ? 1 : 0);
            if (concurrencyPolicy === "Replace") {
              expect(left.names.includes("report-told")).toBe(!isDone);
            }
            await pass(store, due);
            const now = await dump(store);
            expect(now.names).toEqual(["report-202610131201"]);
            expect(now.tasks).toHaveLength(1);
            expect(now.state.lastScheduleAt).toBe(due);
            expect(now.ledger.filter(({ origin }) => origin === "schedule")).toHaveLength(1);
          },
        });
        // The loop did go through the whole of the commit.
        expect(statements).toBeGreaterThan(10);
      },
    );

    it("[C31-145] killed between the two 02:30s of an autumn night: two runs, each once (C8)", async () => {
      const [first, second] = [Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 30)];
      const spec = { schedule: "30 2 * * *", timezone: "Europe/Belgrade" };
      for (const dieAfter of ["first", "second"] as const) {
        await dieEverywhere(create, {
          prepare: async (store) => {
            await seed(store, spec, first - MINUTE);
            if (dieAfter === "second") await pass(store, first);
          },
          work: (store) => pass(store, dieAfter === "first" ? first : second),
          check: async (store) => {
            await pass(store, second);
            await pass(store, second + 10 * MINUTE);
            const { names, ledger, state } = await dump(store);
            expect(names).toEqual(["report-202610250030", "report-202610250130"]);
            expect(ledger.map(({ first_at }) => first_at)).toEqual([first, second]);
            expect(state.lastScheduleAt).toBe(second);
          },
        });
      }
    });

    it("killed at any statement of a report: it is applied once, and its run's end is not lost", async () => {
      const due = NOON + MINUTE;
      await dieEverywhere(create, {
        prepare: async (store) => {
          await seed(store, { concurrencyPolicy: "Forbid" });
          await pass(store, due);
          await pass(store, due + MINUTE);
        },
        work: (store) => endRun(store, due + MINUTE),
        check: async (store) => {
          await endRun(store, due + MINUTE);
          await pass(store, due + MINUTE);
          const { names, state } = await dump(store);
          expect(names).toEqual(["report-202610131201", "report-202610131202"]);
          expect(state.lastScheduleAt).toBe(due + MINUTE);
        },
      });
    });
  });

  describe(`${name}: two writers (S2, S3)`, () => {
    async function twoWriters(spec: Partial<ScheduleSpec> = {}): Promise<[Store, Store]> {
      const fixture = await create();
      const [one, other] = [await fixture.open(), await fixture.open()];
      await seed(one, spec);
      return [one, other];
    }

    it("[C31-13] two assigners read a task at one version: the first wins, the other conflicts", async () => {
      const [one, other] = await twoWriters();
      const { state } = createJob(
        { name: "atlas-report", image: IMAGE },
        { jobId: "j1", taskId: "t1", namespace: "default", now: NOON },
      );
      await one.write((tx) => insertJobs(tx, [{ state }]));
      const seen = await Promise.all(
        [one, other].map((store) => store.read((db) => loadJob(db, "j1")) as Promise<StoredJob>),
      );
      const assign = (store: Store, job: StoredJob, nodeId: string) =>
        store
          .write((tx) => assignTask(tx, job, { nodeId, now: NOON }), { retryConflicts: false })
          .then(
            () => nodeId,
            (error: unknown) => (isConflict(error) ? "conflict" : Promise.reject(error)),
          );
      const outcomes = await Promise.all([
        assign(one, seen[0] as StoredJob, "a"),
        assign(other, seen[1] as StoredJob, "b"),
      ]);
      const winner = outcomes.find((outcome) => outcome !== "conflict");
      expect(outcomes.filter((outcome) => outcome === "conflict")).toHaveLength(1);
      const job = await other.read((db) => loadJob(db, "j1"));
      expect(job?.state.tasks[0]).toMatchObject({ nodeId: winner, actualStatus: "assigned" });
    });

    it("of two commits on one version the second writes nothing (S2)", async () => {
      const [one, other] = await twoWriters();
      const due = NOON + MINUTE;
      const decisions = [await decideNow(one, due), await decideNow(other, due)] as const;
      expect(await commitOnce(one, decisions[0], due)).toBe("committed");
      const after = await dump(one);
      expect(await commitOnce(other, decisions[1], due)).toBe("conflict");
      expect(await dump(other)).toEqual(after);
      expect(after.names).toEqual(["report-202610131201"]);
    });

    it.each([
      ["an edit", (store: Store) => suspendCronJob(store, "default", "report", NOON + 1)],
      [
        "a trigger",
        (store: Store) =>
          triggerCronJob(store, "default", "report", { now: NOON + 1, newId, id: "x" }),
      ],
      ["another decision", (store: Store) => pass(store, NOON + 2 * MINUTE)],
      ["a run that ends", (store: Store) => endRun(store, NOON + 1)],
      ["a run that is deleted", (store: Store) => endRun(store, NOON + 1, "deleteRequested")],
    ])("%s meanwhile makes a decision void (S2)", async (_, change) => {
      const [one, other] = await twoWriters({ concurrencyPolicy: "Forbid" });
      const options = { now: NOON, newId, id: "old" };
      await triggerCronJob(one, "default", "report", options);
      const stale = await decideNow(one, NOON + 2 * MINUTE);
      await change(other);
      expect(await commitOnce(one, stale, NOON + 2 * MINUTE)).toBe("conflict");
    });

    it("many passes by two writers at once: every occurrence is decided exactly once", async () => {
      const [one, other] = await twoWriters({ missedScheduleLimit: 3 });
      for (let minute = 5; minute <= 50; minute += 5) {
        const now = NOON + minute * MINUTE;
        await Promise.all([pass(one, now), pass(other, now)]);
      }
      const { ledger, names, state } = await dump(one);
      const all = Array.from({ length: 50 }, (_, i) => NOON + (i + 1) * MINUTE);
      expect(ledger.map(({ first_at }) => first_at)).toEqual(all);
      expect(names).toHaveLength(50);
      expect(state.lastScheduleAt).toBe(all.at(-1));
    });

    it("a run's end within the transaction of its stop request wakes the schedule (S2)", async () => {
      const [one] = await twoWriters({ concurrencyPolicy: "Supersede" });
      await triggerCronJob(one, "default", "report", { now: NOON, newId, id: "old" });
      // The active run has no node yet: asked to stop, it ends at once.
      await pass(one, NOON + MINUTE);
      await pass(one, NOON + MINUTE);
      const { names, schedule } = await dump(one);
      expect(names).toEqual(["report-202610131201", "report-told"]);
      expect(schedule.waits_run_end).toBe(0);
    });

    it("what one writer takes back, no reader ever sees", async () => {
      const [one, other] = await twoWriters();
      const undone = one.write(async (tx) => {
        await ensureNamespace(tx, "gone", NOON);
        throw new Error("thought better of it");
      });
      await expect(undone).rejects.toThrow("thought better of it");
      const names = await other.read((db) => db.selectFrom("namespaces").select("name").execute());
      expect(names).toEqual([{ name: "default" }]);
    });

    it("listeners hear of a commit once it is done, and of nothing that was taken back", async () => {
      const [one] = await twoWriters();
      const heard: string[][] = [];
      const stop = one.onCommit((topics) => heard.push([...topics]));
      await one.write(async (tx) => tx.touch("jobs"));
      await one
        .write(async (tx) => {
          tx.touch("events");
          throw new Error("no");
        })
        .catch(() => undefined);
      await one.write(async () => undefined);
      stop();
      await one.write(async (tx) => tx.touch("placement"));
      expect(heard).toEqual([["jobs"]]);
    });
  });

  describe(`${name}: durable (S1)`, () => {
    it("everything is there for the next process, and migrating again changes nothing", async () => {
      const fixture = await create();
      const one = await fixture.open();
      await seed(one);
      await pass(one, NOON + 3 * MINUTE);
      await suspendCronJob(one, "default", "report", NOON + 3 * MINUTE);
      await resumeCronJob(one, "default", "report", {
        now: NOON + 4 * MINUTE,
        zones,
        catchUp: false,
      });
      const before = await dump(one);
      await one.close();
      const next = await fixture.open();
      expect(await dump(next)).toEqual(before);
      expect(before.names).toHaveLength(3);
    });
  });
}

/** Ends the oldest live run, as a report or a request would; doing it again changes nothing. */
async function endRun(
  store: Store,
  now: number,
  type: "cancelRequested" | "deleteRequested" = "cancelRequested",
): Promise<void> {
  await store.write(async (tx) => {
    const [run] = (await liveRuns(tx.db, ["s1"])).get("s1") ?? [];
    if (run !== undefined) await applyJobEvent(tx, run, { type, at: now });
  });
}
