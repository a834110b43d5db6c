import type { JobState, Task } from "@mesh/jobs";
import { jobRow, type NewJob, type StoredJob, taskRow } from "./job-rows.ts";
import type { TaskRow } from "./schema.ts";
import { guarded, type Tx } from "./store.ts";

/** What a report says of a task beside its state: kept with it, read by people only. */
export interface TaskNote {
  readonly taskId: string;
  readonly output?: string | undefined;
  readonly message?: string | undefined;
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
  await removeJobRows(tx, { id, version: job.version, status, lastExitCode });
}

/** The same for what only its columns tell of. */
export async function removeJobRows(
  tx: Tx,
  job: { id: string; version: number; status: string; lastExitCode?: number | undefined },
): Promise<void> {
  const { id, status, lastExitCode } = job;
  await tx.db
    .updateTable("ledger")
    .set({ final_status: status, final_exit_code: lastExitCode ?? null })
    .where("job_id", "=", id)
    .where("job_id", "is not", null)
    .execute();
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

export async function moveJobWake(tx: Tx, id: string, wakeAt: number | undefined): Promise<void> {
  await tx.db
    .updateTable("jobs")
    .set({ wake_at: wakeAt ?? null })
    .where("id", "=", id)
    .execute();
}

function sameTask(a: Task, b: Task): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Only the newest task can be live, and its row repeats whether the Job is suspended. */
function isLast(state: JobState, index: number): boolean {
  return index === state.tasks.length - 1;
}
