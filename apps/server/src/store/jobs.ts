import { isTerminalTask, type JobState, parseJobState, type Task } from "@mesh/jobs";
import type { RunOrigin } from "@mesh/protocol";
import { sizeOf } from "../work.ts";
import { ACTIVE, ONE } from "./literals.ts";
import type { JobRow, TaskRow } from "./schema.ts";
import { type Db, guarded, type Tx } from "./store.ts";

/** A Job as read, with the versions that guard its next write. */
export interface StoredJob {
  readonly state: JobState;
  readonly version: number;
  readonly taskVersions: ReadonlyMap<string, number>;
  readonly origin?: RunOrigin;
}

/** A Job to be inserted; `wakeAt` is when it wants `timeReached`. */
export interface NewJob {
  readonly state: JobState;
  readonly origin?: RunOrigin | undefined;
  readonly wakeAt?: number | undefined;
}

/** What a report says of a task beside its state: kept with it, read by people only. */
export interface TaskNote {
  readonly taskId: string;
  readonly output?: string | undefined;
  readonly message?: string | undefined;
}

export async function loadJob(db: Db, id: string): Promise<StoredJob | undefined> {
  const row = await db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : (await withTasks(db, [row]))[0];
}

/** The Job with this id, else the newest of this name that is not deleted. */
export async function findJob(
  db: Db,
  namespace: string,
  nameOrId: string,
): Promise<StoredJob | undefined> {
  const jobs = db.selectFrom("jobs").selectAll().where("namespace", "=", namespace);
  const row =
    (await jobs
      .where("name", "=", nameOrId)
      .where("deleted_at", "is", null)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()) ?? (await jobs.where("id", "=", nameOrId).executeTakeFirst());
  return row === undefined ? undefined : (await withTasks(db, [row]))[0];
}

/** Whether a Job that is pending or running has the name (J2). */
export async function isNameActive(db: Db, namespace: string, name: string): Promise<boolean> {
  const row = await db
    .selectFrom("jobs")
    .select("id")
    .where("namespace", "=", namespace)
    .where("name", "=", name)
    .where("status", "in", ACTIVE)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Not deleted, newest first. */
export async function listJobs(db: Db, namespace: string, limit: number): Promise<StoredJob[]> {
  const rows = await db
    .selectFrom("jobs")
    .selectAll()
    .where("namespace", "=", namespace)
    .where("deleted_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return withTasks(db, rows);
}

/** Runs of these schedules that have a live task: active ones and those that still stop (D3). */
export async function liveRuns(db: Db, scheduleUids: readonly string[]): Promise<StoredJob[]> {
  if (scheduleUids.length === 0) return [];
  const rows = await db
    .selectFrom("jobs")
    .selectAll()
    .where("schedule_uid", "in", scheduleUids)
    .where("schedule_uid", "is not", null)
    .where("live", "=", ONE)
    .orderBy("created_at")
    .orderBy("name")
    .execute();
  return withTasks(db, rows);
}

/** By schedule: names like those of its runs that active Jobs of others hold (D10). */
export async function foreignNames(
  db: Db,
  schedules: readonly { uid: string; namespace: string; name: string }[],
): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>();
  if (schedules.length === 0) return names;
  const rows = await db
    .selectFrom("jobs")
    .select(["namespace", "name", "schedule_uid"])
    .where("status", "in", ACTIVE)
    .where("deleted_at", "is", null)
    .where((is) =>
      is.or(
        schedules.map(({ namespace, name }) =>
          is.and([
            is("namespace", "=", namespace),
            is("name", ">=", `${name}-0`),
            // The character after 9: every name that continues with a digit comes before it.
            is("name", "<", `${name}-:`),
          ]),
        ),
      ),
    )
    .execute();
  for (const { uid, namespace, name } of schedules) {
    const foreign = rows.filter(
      (row) =>
        row.namespace === namespace && row.schedule_uid !== uid && row.name.startsWith(`${name}-`),
    );
    if (foreign.length > 0)
      names.set(
        uid,
        foreign.map((row) => row.name),
      );
  }
  return names;
}

/** Ids of Jobs that want `timeReached` by `now`, those that waited longest first. */
export async function jobsToWake(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("jobs")
    .select("id")
    .where("wake_at", "is not", null)
    .where("wake_at", "<=", now)
    .orderBy("wake_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function nextJobWake(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom("jobs")
    .select("wake_at")
    .where("wake_at", "is not", null)
    .orderBy("wake_at")
    .limit(1)
    .executeTakeFirst();
  return row?.wake_at ?? undefined;
}

export async function moveJobWake(tx: Tx, id: string, wakeAt: number | undefined): Promise<void> {
  await tx.db
    .updateTable("jobs")
    .set({ wake_at: wakeAt ?? null })
    .where("id", "=", id)
    .execute();
}

/** Ended runs of a schedule beyond the newest `keep`, oldest last; at most 100 (D1). */
export async function endedBeyond(
  db: Db,
  options: { scheduleUid: string; statuses: readonly string[]; keep: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("jobs")
    .select("id")
    .where("schedule_uid", "=", options.scheduleUid)
    .where("schedule_uid", "is not", null)
    .where("status", "in", options.statuses)
    .where("deleted_at", "is", null)
    .where("live", "=", 0)
    .orderBy("completed_at", "desc")
    .limit(100)
    .offset(options.keep)
    .execute();
  return rows.map((row) => row.id);
}

/** Inserts many in as few statements as the databases' limits on parameters allow. */
export async function insertJobs(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
  for (let from = 0; from < jobs.length; from += 200) {
    const part = jobs.slice(from, from + 200);
    await tx.db
      .insertInto("jobs")
      .values(part.map((job) => jobRow(job, 1)))
      .execute();
    await tx.db
      .insertInto("tasks")
      .values(part.flatMap(({ state }) => state.tasks.map((_, index) => taskRow(state, index, 1))))
      .execute();
  }
}

/**
 * Writes what changed between `before` and `after`, guarded by the versions that were read; the
 * first writer wins and the other gets a `Conflict` (S3).
 */
export async function saveJob(
  tx: Tx,
  before: StoredJob,
  after: NewJob,
  note?: TaskNote | undefined,
): Promise<void> {
  const { id, ...row } = jobRow({ ...after, origin: before.origin }, before.version + 1);
  const changed = await tx.db
    .updateTable("jobs")
    .set(row)
    .where("id", "=", id)
    .where("version", "=", before.version)
    .executeTakeFirstOrThrow();
  guarded(changed, `Job ${id}`);
  const known = new Map(before.state.tasks.map((task) => [task.id, task]));
  for (const [index, task] of after.state.tasks.entries()) {
    const old = known.get(task.id);
    const fresh = taskRow(after.state, index, (before.taskVersions.get(task.id) ?? 0) + 1);
    if (old === undefined) await tx.db.insertInto("tasks").values(fresh).execute();
    else if (!sameTask(old, task) || task.id === note?.taskId || isLast(after.state, index)) {
      await updateTask(tx, fresh, noteColumns(task, note));
    }
  }
}

/** Removes the record and its tasks; the ledger keeps what the run came to (S2). */
export async function deleteJobRecord(tx: Tx, job: StoredJob): Promise<void> {
  const { id, status, lastExitCode } = job.state.job;
  if (job.origin !== undefined) {
    await tx.db
      .updateTable("ledger")
      .set({ final_status: status, final_exit_code: lastExitCode ?? null })
      .where("job_id", "=", id)
      .execute();
  }
  await tx.db.deleteFrom("tasks").where("job_id", "=", id).execute();
  const gone = await tx.db
    .deleteFrom("jobs")
    .where("id", "=", id)
    .where("version", "=", job.version)
    .executeTakeFirst();
  guarded({ numUpdatedRows: gone.numDeletedRows }, `Job ${id}`);
}

async function updateTask(tx: Tx, row: TaskRow, note: Partial<TaskRow>): Promise<void> {
  const { id, output: _, message: __, unplaced: ___, ...columns } = row;
  const changed = await tx.db
    .updateTable("tasks")
    .set({ ...columns, ...note })
    .where("id", "=", id)
    .where("version", "=", row.version - 1)
    .executeTakeFirstOrThrow();
  guarded(changed, `task ${id}`);
}

function noteColumns(task: Task, note: TaskNote | undefined): Partial<TaskRow> {
  const placed = task.nodeId === undefined ? {} : { unplaced: null };
  if (task.id !== note?.taskId) return placed;
  return {
    ...placed,
    ...(note.output === undefined ? {} : { output: note.output }),
    ...(note.message === undefined ? {} : { message: note.message }),
  };
}

export async function withTasks(db: Db, rows: readonly JobRow[]): Promise<StoredJob[]> {
  if (rows.length === 0) return [];
  const tasks = await db
    .selectFrom("tasks")
    .select(["id", "job_id", "version", "task_json"])
    .where(
      "job_id",
      "in",
      rows.map((row) => row.id),
    )
    .orderBy("job_id")
    .orderBy("attempt")
    .execute();
  const byJob = new Map<string, typeof tasks>();
  for (const task of tasks) {
    const own = byJob.get(task.job_id);
    if (own === undefined) byJob.set(task.job_id, [task]);
    else own.push(task);
  }
  return rows.map((row) => {
    const own = byJob.get(row.id) ?? [];
    const origin = originOf(row);
    return {
      state: parseJobState({
        ...(JSON.parse(row.job_json) as object),
        tasks: own.map((task) => JSON.parse(task.task_json)),
      }),
      version: row.version,
      taskVersions: new Map(own.map((task) => [task.id, task.version])),
      ...(origin === undefined ? {} : { origin }),
    };
  });
}

function originOf(row: JobRow): RunOrigin | undefined {
  if (row.schedule_uid === null) return undefined;
  return {
    scheduleUid: row.schedule_uid,
    scheduleName: row.schedule_name ?? "",
    origin: row.origin ?? "",
    ...(row.occurrence_at === null ? {} : { occurrenceAt: row.occurrence_at }),
  };
}

function jobRow({ state, origin, wakeAt }: NewJob, version: number): JobRow {
  const { v, job } = state;
  return {
    id: job.id,
    namespace: job.namespace,
    name: job.spec.name,
    status: job.status,
    live: state.tasks.some((task) => !isTerminalTask(task.actualStatus)) ? 1 : 0,
    version,
    job_json: JSON.stringify({ v, job }),
    schedule_uid: origin?.scheduleUid ?? null,
    schedule_name: origin?.scheduleName ?? null,
    origin: origin?.origin ?? null,
    occurrence_at: origin?.occurrenceAt ?? null,
    wake_at: wakeAt ?? null,
    created_at: job.createdAt,
    completed_at: job.completedAt ?? null,
    deleted_at: job.deletedAt ?? null,
  };
}

function taskRow(state: JobState, index: number, version: number): TaskRow {
  const task = state.tasks[index] as Task;
  const { job } = state;
  const startable = task.actualStatus === "pending" && task.desiredStatus === "running";
  return {
    id: task.id,
    job_id: job.id,
    namespace: job.namespace,
    job_name: job.spec.name,
    attempt: index + 1,
    status: task.actualStatus,
    live: isTerminalTask(task.actualStatus) ? 0 : 1,
    assignable: startable && job.suspendedAt === undefined ? 1 : 0,
    node: task.nodeId ?? null,
    not_before: task.notBefore ?? null,
    ...sizeOf(job.spec),
    version,
    task_json: JSON.stringify(task),
    output: null,
    message: null,
    unplaced: null,
    created_at: task.createdAt,
  };
}

function sameTask(a: Task, b: Task): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Only the newest task can be live, and its row repeats whether the Job is suspended. */
function isLast(state: JobState, index: number): boolean {
  return index === state.tasks.length - 1;
}
