import { readFileSync } from "node:fs";
import { createSchedule, parseEvidence, replayDecision } from "@mesh/concurrency";
import { parseJobState } from "@mesh/jobs";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Instance, startInstance } from "./instances.ts";

const serverUrl = process.env.MESH_TEST_POSTGRES_URL;
const schema = readFileSync(new URL("../src/schema.sql", import.meta.url), "utf8");
const points = [
  ["after the decision, before anything is written", "UPDATE schedules SET state"],
  ["before the decision's commit", "UPDATE schedules SET state>commit"],
  ["before the commit that assigns", "UPDATE jobs>commit"],
  ["after that commit, before the work", "INSERT INTO mails"],
  ["after the work, before its report", "INSERT INTO mails>begin"],
  ["before the report's commit", "INSERT INTO mails>begin>commit"],
  ["after the report's commit", "INSERT INTO mails>begin>commit>begin"],
] as const;
const minute = 60_000;
const day = 1440 * minute;
const firstNight = Date.UTC(2026, 9, 13, 2);
const nights = 4;
const nightly = { name: "nightly", schedule: "0 2 * * *", concurrencyPolicy: "Queue" } as const;

/** The mail of a flaky run cannot be written the first time; a sequence outlives the rollback. */
const firstTryFails = `
  CREATE SEQUENCE tries;
  CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('tries') = 1 THEN RAISE 'the first try fails'; END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER fail_first BEFORE INSERT ON mails
    FOR EACH ROW WHEN (NEW.run LIKE 'flaky%') EXECUTE FUNCTION fail_first()`;

let database: { readonly url: string; readonly pool: pg.Pool };
let running: Instance[] = [];
let serial = 0;

async function start(name: string, crashAt?: string): Promise<Instance> {
  const options = { databaseUrl: database.url, name };
  const instance = await startInstance(crashAt === undefined ? options : { ...options, crashAt });
  running.push(instance);
  return instance;
}

async function rows<T>(query: string): Promise<readonly T[]> {
  return (await database.pool.query(query)).rows as T[];
}

describe.skipIf(serverUrl === undefined)("a service of its own, two instances", () => {
  beforeEach(async () => {
    const name = `embed_${process.pid}_${++serial}`;
    const server = new pg.Client({ connectionString: serverUrl });
    await server.connect();
    await server.query(`CREATE DATABASE ${name}`);
    await server.end();
    const url = new URL(serverUrl as string);
    url.pathname = `/${name}`;
    const pool = new pg.Pool({ connectionString: url.href });
    await pool.query(schema + firstTryFails);
    const state = createSchedule(nightly, { uid: "nightly", now: firstNight - day / 2 });
    await pool.query("INSERT INTO schedules VALUES ('nightly', $1, 0)", [state]);
    database = { url: url.href, pool };
  });

  afterEach(async () => {
    for (const instance of running) await instance.stop();
    running = [];
    await database.pool.end();
  });

  /** One night: at two, after the lease of whoever was killed has lapsed, and after the backoff. */
  async function pass(instances: readonly Instance[], night: number, at: number): Promise<void> {
    const now = firstNight + night * day + at * minute;
    await Promise.all(instances.map((instance) => instance.post("/tick", { now })));
  }

  async function expectEverythingOnce(): Promise<void> {
    const due = Array.from({ length: nights }, (_, night) => firstNight + night * day);
    const ledger = await rows<{ at: string; outcome: { outcome: string; runName: string } }>(
      "SELECT at, outcome FROM ledger ORDER BY at",
    );
    expect(ledger.map(({ at }) => Number(at))).toEqual(due);
    expect(ledger.every(({ outcome }) => outcome.outcome === "create")).toBe(true);
    const jobs = await rows<{ id: string; kind: string; state: unknown; due_at: string | null }>(
      "SELECT * FROM jobs ORDER BY id",
    );
    const states = jobs.map(({ state }) => parseJobState(state));
    expect(states.map(({ job }) => job.status)).toEqual(jobs.map(() => "succeeded"));
    expect(jobs.every(({ due_at }) => due_at === null)).toBe(true);
    const runs = ledger.map(({ outcome }) => outcome.runName);
    expect(jobs.filter(({ kind }) => kind === "nightly").map(({ id }) => id)).toEqual(runs);
    const mails = await rows<{ run: string }>("SELECT run FROM mails ORDER BY run");
    expect(mails.map(({ run }) => run)).toEqual(jobs.map(({ id }) => id));
    const stored = await rows<{ evidence: unknown }>("SELECT evidence FROM ledger ORDER BY at");
    for (const [i, { evidence }] of stored.entries()) {
      const { outcomes } = replayDecision(parseEvidence(evidence));
      expect(outcomes).toEqual([ledger[i]?.outcome]);
    }
  }

  it("one run for each night, and a retried Job beside them", async () => {
    const both = [await start("one"), await start("two")];
    await both[1]?.post("/mails/flaky-1", { now: firstNight });
    await both[0]?.post("/mails/flaky-1", { now: firstNight });
    for (let night = 0; night < nights; night++) {
      for (const at of [0, 0, 2, 30]) await pass(both, night, at);
    }
    await expectEverythingOnce();
    const [flaky] = await rows<{ state: unknown }>("SELECT state FROM jobs WHERE kind = 'mail'");
    expect(parseJobState(flaky?.state).job).toMatchObject({ attempts: 2, status: "succeeded" });
  });

  it.each(points)(
    "killed %s, every night: nothing is lost, nothing is doubled",
    async (_, point) => {
      const healthy = await start("two");
      let crashes = 0;
      for (let night = 0; night < nights; night++) {
        const doomed = await start("one", point);
        // On even nights the doomed one has the night to itself, on odd ones both race.
        if (night % 2 === 0) await pass([doomed], night, 0);
        await pass(
          [doomed, healthy].filter((instance) => !instance.hasCrashed()),
          night,
          0,
        );
        if (doomed.hasCrashed()) crashes += 1;
        else await doomed.stop();
        for (const at of [5, 11, 13, 40]) await pass([healthy], night, at);
      }
      expect(crashes).toBeGreaterThanOrEqual(nights / 2);
      await expectEverythingOnce();
    },
  );

  it("deletes the run that Replace takes the place of, its record included (D6, J9)", async () => {
    const spec = { ...nightly, name: "flaky", concurrencyPolicy: "Replace" } as const;
    const state = createSchedule(spec, { uid: "nightly", now: firstNight - day / 2 });
    await database.pool.query("UPDATE schedules SET state = $1", [state]);
    const one = await start("one");
    await pass([one], 0, 0);
    await pass([one], 1, 0);
    expect(await rows("SELECT id FROM jobs")).toEqual([{ id: "flaky-202610140200" }]);
    expect(await rows("SELECT run FROM mails")).toEqual([{ run: "flaky-202610140200" }]);
    expect(await rows("SELECT at FROM ledger")).toHaveLength(2);
  });
});
