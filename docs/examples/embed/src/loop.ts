import { decideSchedule, parseScheduleState, stopRequest } from "@mesh/concurrency";
import * as jobs from "@mesh/jobs";
import { type Kysely, sql } from "kysely";
import { db, leaseMs, policy, work } from "./work.ts";

type Database = Kysely<unknown>;
type Row = { readonly id: string; readonly kind: string; readonly state: unknown };

/** Decides and works until nothing is left to do at `now`; any number of instances may do so. */
export async function tick(instance: string, now: number): Promise<void> {
  while (await db.transaction().execute((tx) => decideOne(tx, now)));
  while (await workOne(instance, now));
}

/** A Job for one piece of work; an id that is known changes nothing. */
export async function enqueue(tx: Database, kind: string, id: string, now: number): Promise<void> {
  const spec = { ...policy, name: id };
  const { state } = jobs.createJob(spec, { jobId: id, namespace: kind, now });
  await sql`INSERT INTO jobs VALUES (${id}, ${kind}, ${state}, ${dueAt(state)})
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** One schedule that is due: its state, wake, ledger, Jobs and stops in one transaction. */
async function decideOne(tx: Database, now: number): Promise<boolean> {
  const due = await sql<Row>`SELECT * FROM schedules WHERE wake_at <= ${now}
    LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(tx);
  const [row] = due.rows;
  if (row === undefined) return false;
  const { kind } = row;
  const live = await sql<Row>`SELECT * FROM jobs
    WHERE kind = ${kind} AND due_at IS NOT NULL`.execute(tx);
  const active = live.rows.flatMap(({ state }) => jobs.activeRun(jobs.parseJobState(state)) ?? []);
  const decision = decideSchedule(parseScheduleState(row.state), active, { now });
  const { outcomes, stopRunIds, schedule, wake, evidence } = decision;
  await sql`UPDATE schedules SET state = ${schedule}, wake_at = ${"at" in wake ? wake.at : null}
    WHERE kind = ${kind}`.execute(tx);
  for (const outcome of outcomes) {
    if (outcome.outcome === "hold") continue;
    const at = outcome.outcome === "create" ? outcome.at : outcome.lastAt;
    await sql`INSERT INTO ledger VALUES (${kind}, ${at}, ${outcome}, ${evidence})`.execute(tx);
    if (outcome.outcome === "create") await enqueue(tx, kind, outcome.runName, now);
  }
  const stop = { type: stopRequest(decision), at: now } as const;
  for (const id of stopRunIds) await change(tx, kind, id, stop);
  return true;
}

/** Does one Job that is due, or reports it lost where its holder has let the lease lapse. */
async function workOne(instance: string, now: number): Promise<boolean> {
  const claimed = await db.transaction().execute((tx) => claim(tx, instance, now));
  if (claimed === undefined) return false;
  const { kind, id, taskId, isLapsed } = claimed;
  const attempt = () =>
    work(id)
      .then(() => 0)
      .catch(() => 1);
  const end: jobs.TaskEnding = isLapsed
    ? { status: "failed", reason: "nodeLost" }
    : { status: "stopped", exitCode: await attempt() };
  const report = { type: "taskReported", taskId, at: now, ...end } as const;
  await db.transaction().execute((tx) => change(tx, kind, id, report));
  return true;
}

/** The Job that is longest due, now assigned to this instance unless another one has it. */
async function claim(tx: Database, nodeId: string, now: number) {
  const due = await sql<Row>`SELECT * FROM jobs WHERE due_at <= ${now}
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(tx);
  const [row] = due.rows;
  if (row === undefined) return undefined;
  const { id: taskId } = jobs.currentTask(jobs.parseJobState(row.state));
  const outcome = await advance(tx, row, { type: "taskAssigned", taskId, nodeId, at: now });
  return { ...row, taskId, isLapsed: outcome === "ignored" };
}

/** One event of one Job: locks its schedule first, as a decision does, and has it decide again. */
async function change(tx: Database, kind: string, id: string, event: jobs.JobEvent): Promise<void> {
  await sql`UPDATE schedules SET wake_at = 0 WHERE kind = ${kind}`.execute(tx);
  const found = await sql<Row>`SELECT * FROM jobs WHERE id = ${id} FOR UPDATE`.execute(tx);
  for (const row of found.rows) await advance(tx, row, event);
}

async function advance(tx: Database, row: Row, event: jobs.JobEvent) {
  const { state, outcome } = jobs.transitionJob(jobs.parseJobState(row.state), event);
  // A deleted Job without a live task has no state any more: its record goes (J9).
  await (state === undefined
    ? sql`DELETE FROM jobs WHERE id = ${row.id}`
    : sql`UPDATE jobs SET state = ${state}, due_at = ${dueAt(state)} WHERE id = ${row.id}`
  ).execute(tx);
  return outcome;
}

/** When to assign the Job, or to give up whoever has it; null once nothing of it is live. */
function dueAt(state: jobs.JobState<jobs.JobPolicy>): number | null {
  const task = jobs.currentTask(state);
  if (jobs.isTerminalTask(task.actualStatus)) return null;
  return jobs.assignableAt(state) ?? task.updatedAt + leaseMs;
}
