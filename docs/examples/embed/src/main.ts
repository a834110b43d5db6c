import { readFileSync } from "node:fs";
import { createSchedule } from "@mesh/concurrency";
import express from "express";
import pg from "pg";
import { enqueue, type Service, tick } from "./service.ts";

const { DATABASE_URL, INSTANCE = "one", PORT = "3000", CRASH_AT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });

/** What the work leaves behind: a row that the run's id makes once, however often it is tried. */
async function send(runId: string): Promise<void> {
  if (runId.startsWith("flaky")) await failTheFirstTime(runId);
  await pool.query("INSERT INTO mails VALUES ($1) ON CONFLICT DO NOTHING", [runId]);
}

async function failTheFirstTime(runId: string): Promise<void> {
  const insert = "INSERT INTO tries VALUES ($1) ON CONFLICT DO NOTHING";
  if ((await pool.query(insert, [runId])).rowCount === 1) throw new Error("the first try fails");
}

const policy = { backoffLimit: 3, backoff: { kind: "Constant", delaySeconds: 60 } } as const;
const service: Service = {
  pool,
  instance: INSTANCE,
  leaseMs: 600_000,
  work: { nightly: { policy, handler: send }, mail: { policy, handler: send } },
  passing: (point) => {
    if (point === CRASH_AT) process.kill(process.pid, "SIGKILL");
  },
};

await pool.query(readFileSync(new URL("../src/schema.sql", import.meta.url), "utf8"));
const app = express();
app.use(express.json());
app.put("/schedule", async ({ body: { now, ...spec } }, response) => {
  const state = createSchedule({ name: "nightly", ...spec }, { uid: "nightly", now });
  const insert = "INSERT INTO schedules VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
  await pool.query(insert, ["nightly", state, now]);
  response.sendStatus(204);
});
app.post("/mails/:id", async ({ params, body }, response) => {
  await enqueue(service, pool, { id: params.id, kind: "mail", now: body.now });
  response.sendStatus(202);
});
app.post("/tick", async ({ body }, response) => {
  await tick(service, body.now ?? Date.now());
  response.sendStatus(204);
});
app.get("/ledger", async (_request, response) => {
  response.json((await pool.query("SELECT at, outcome FROM ledger ORDER BY at")).rows);
});
app.listen(Number(PORT), "127.0.0.1", () => console.log("ready"));
