import { decideSchedule, parseScheduleState } from "@mesh/concurrency";
import type { JobEvent, JobPolicy } from "@mesh/jobs";
import { activeRun, createJob, parseJobState, transitionJob } from "@mesh/jobs";
import type { Pool, PoolClient } from "pg";

/** One kind of work, with how it is tried again; the run's id is the same for every attempt. */
export interface Work {
  readonly policy?: Omit<JobPolicy, "name">;
  readonly handler: (runId: string) => Promise<void>;
}

export interface Service {
  readonly pool: Pool;
  readonly instance: string;
  readonly leaseMs: number;
  readonly work: Readonly<Record<string, Work>>;
  /** Called where a crash would hurt most. */
  readonly passing: (point: string) => void;
}

/** Decides and works until nothing is left to do at `now`; any number of instances may do so. */
export async function tick(service: Service, now: number): Promise<void> {
  while (await inTransaction(service, (client) => decideOne(service, client, now)));
  while (await workOne(service, now));
}

/** A Job for one piece of work; an id that is known changes nothing. */
export async function enqueue(
  { work }: Pick<Service, "work">,
  client: Pool | PoolClient,
  { id, kind, now }: { id: string; kind: string; now: number },
): Promise<void> {
  const { state } = createJob(
    { ...work[kind]?.policy, name: id },
    { jobId: id, namespace: kind, now },
  );
  const insert = "INSERT INTO jobs VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
  await client.query(insert, [id, kind, state, now]);
}

/** One schedule that is due: its state, wake, ledger, Jobs and stops in one transaction. */
async function decideOne(service: Service, client: PoolClient, now: number): Promise<boolean> {
  const due = "SELECT * FROM schedules WHERE wake_at <= $1 LIMIT 1 FOR UPDATE SKIP LOCKED";
  const [row] = (await client.query(due, [now])).rows;
  if (row === undefined) return false;
  const { kind } = row;
  const live = "SELECT state FROM jobs WHERE kind = $1 AND due_at IS NOT NULL";
  const { rows } = await client.query(live, [kind]);
  const active = rows.flatMap(({ state }) => activeRun(parseJobState(state)) ?? []);
  const decision = decideSchedule(parseScheduleState(row.state), active, { now });
  service.passing("decided");
  const { outcomes, stopRunIds, schedule, wake, evidence } = decision;
  const store = "UPDATE schedules SET state = $2, wake_at = $3 WHERE kind = $1";
  await client.query(store, [kind, schedule, wake.kind === "at" ? wake.at : null]);
  for (const outcome of outcomes) {
    if (outcome.outcome === "hold") continue;
    const at = outcome.outcome === "create" ? outcome.at : outcome.lastAt;
    await client.query("INSERT INTO ledger VALUES ($1, $2, $3, $4)", [kind, at, outcome, evidence]);
    if (outcome.outcome === "create")
      await enqueue(service, client, { id: outcome.runName, kind, now });
  }
  for (const id of stopRunIds) await change(client, id, { type: "cancelRequested", at: now });
  service.passing("written");
  return true;
}

/** Starts one Job that is due, or reports it lost where its holder has let the lease lapse. */
async function workOne(service: Service, now: number): Promise<boolean> {
  const job = await inTransaction(service, (client) => claim(service, client, now));
  if (job === undefined) return false;
  service.passing("claimed");
  const { id, kind, taskId, isLapsed } = job;
  const exitCode = isLapsed
    ? 1
    : await service.work[kind]?.handler(id).then(
        () => 0,
        () => 1,
      );
  service.passing("worked");
  const end =
    isLapsed || exitCode === undefined
      ? ({ status: "failed", reason: isLapsed ? "nodeLost" : "neverStarted" } as const)
      : ({ status: "stopped", exitCode } as const);
  await inTransaction(service, async (client) => {
    // A decision locks the schedule before its Jobs, so whoever ends a Job does the same.
    await client.query("SELECT 1 FROM schedules WHERE kind = $1 FOR UPDATE", [kind]);
    await change(client, id, { type: "taskReported", taskId, at: now, ...end });
  });
  service.passing("reported");
  return true;
}

async function claim({ instance, leaseMs }: Service, client: PoolClient, now: number) {
  const due =
    "SELECT * FROM jobs WHERE due_at <= $1 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED";
  const [row] = (await client.query(due, [now])).rows;
  if (row === undefined) return undefined;
  const { id, kind } = row;
  const task = parseJobState(row.state).tasks.at(-1);
  const taskId = `${task?.id}`;
  const isLapsed = task?.actualStatus !== "pending";
  if (!isLapsed) {
    await change(client, id, { type: "taskAssigned", taskId, nodeId: instance, at: now });
    await client.query("UPDATE jobs SET due_at = $2 WHERE id = $1", [id, now + leaseMs]);
  }
  return { id, kind, taskId, isLapsed };
}

/** One event of one Job; the end of a Job wakes the schedule that waits for it. */
async function change(client: PoolClient, id: string, event: JobEvent): Promise<void> {
  const [row] = (await client.query("SELECT * FROM jobs WHERE id = $1 FOR UPDATE", [id])).rows;
  const { state = row.state, effects } = transitionJob(parseJobState(row.state), event);
  const retry = effects.flatMap((effect) => (effect.type === "startTask" ? [effect.task] : []))[0];
  const isOver = activeRun(state) === undefined;
  const dueAt = isOver ? null : retry ? (retry.notBefore ?? event.at) : row.due_at;
  await client.query("UPDATE jobs SET state = $2, due_at = $3 WHERE id = $1", [id, state, dueAt]);
  const wake = "UPDATE schedules SET wake_at = 0 WHERE kind = $1 AND wake_at IS NULL";
  if (isOver) await client.query(wake, [row.kind]);
}

async function inTransaction<T>({ pool }: Service, work: (client: PoolClient) => Promise<T>) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
