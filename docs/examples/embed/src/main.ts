import { createSchedule } from "@mesh/concurrency";
import express from "express";
import { sql } from "kysely";
import { enqueue, tick } from "./loop.ts";
import { db } from "./work.ts";

const { INSTANCE = "one", PORT = "3000", TICK_MS } = process.env;

// What an instance finds, it leaves as it is.
const nightly = { name: "nightly", schedule: "0 2 * * *", concurrencyPolicy: "Queue" } as const;
const state = createSchedule(nightly, { uid: "nightly", now: Date.now() });
await sql`INSERT INTO schedules VALUES ('nightly', ${state}, 0) ON CONFLICT DO NOTHING`.execute(db);

const app = express();
app.use(express.json());
app.post("/mails/:id", async ({ params, body }, response) => {
  await enqueue(db, "mail", params.id, body?.now ?? Date.now());
  response.sendStatus(202);
});
app.post("/tick", async ({ body }, response) => {
  await tick(INSTANCE, body?.now ?? Date.now());
  response.sendStatus(204);
});
app.listen(Number(PORT), "127.0.0.1", () => console.log("ready"));
if (TICK_MS !== undefined) setInterval(() => tick(INSTANCE, Date.now()), Number(TICK_MS));
