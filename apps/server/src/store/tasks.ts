import { type DamagedJob, isReadable, readJobs, type StoredJob } from "./job-rows.ts";
import { ONE } from "./literals.ts";
import type { Db, Tx } from "./store.ts";

/** A task's row for people: the Job it belongs to and what it printed. */
export interface TaskRecord {
  readonly namespace: string;
  readonly jobName: string;
  readonly attempt: number;
  readonly taskJson: string;
  readonly output: string | null;
  readonly message: string | null;
  readonly unplaced: string | null;
}

/** Tasks of the Jobs that have a record, or of the one with the id `job`, newest first. */
export async function listTasks(
  db: Db,
  namespace: string,
  filter: { job?: string | undefined; limit: number },
): Promise<TaskRecord[]> {
  const query = db
    .selectFrom("tasks")
    .innerJoin("jobs", "jobs.id", "tasks.job_id")
    .select([
      "tasks.namespace",
      "job_name",
      "attempt",
      "task_json",
      "output",
      "message",
      "unplaced",
    ])
    .where("tasks.namespace", "=", namespace);
  const inOrder =
    filter.job === undefined
      ? query.orderBy("tasks.created_at", "desc").orderBy("tasks.id", "desc")
      : query.where("tasks.job_id", "=", filter.job).orderBy("attempt", "desc");
  const rows = await inOrder.limit(filter.limit).execute();
  return rows.map((row) => ({
    namespace: row.namespace,
    jobName: row.job_name,
    attempt: row.attempt,
    taskJson: row.task_json,
    output: row.output,
    message: row.message,
    unplaced: row.unplaced,
  }));
}

/** Where a page of assignable tasks ended: the next one begins after it. */
export interface TaskCursor {
  readonly createdAt: number;
  readonly id: string;
}

/** A page of tasks that may be placed at `now`, oldest first, each with its Job. */
export async function assignableTasks(
  db: Db,
  options: { now: number; after: TaskCursor | undefined; limit: number },
): Promise<{
  jobs: StoredJob[];
  /** Tasks whose Jobs cannot be read, with why. */
  damaged: { taskId: string; why: string }[];
  unplaced: Map<string, string | null>;
  next?: TaskCursor;
}> {
  const { now, after, limit } = options;
  let query = db
    .selectFrom("tasks")
    .select(["id", "job_id", "created_at", "unplaced"])
    .where("assignable", "=", ONE)
    .where((is) => is.or([is("not_before", "is", null), is("not_before", "<=", now)]));
  if (after !== undefined) {
    query = query.where((is) =>
      is.or([
        is("created_at", ">", after.createdAt),
        is.and([is("created_at", "=", after.createdAt), is("id", ">", after.id)]),
      ]),
    );
  }
  const rows = await query.orderBy("created_at").orderBy("id").limit(limit).execute();
  const last = rows.length === limit ? rows[limit - 1] : undefined;
  const jobs = await jobsOf(
    db,
    rows.map((row) => row.job_id),
  );
  const taskOf = new Map(rows.map((row) => [row.job_id, row.id]));
  return {
    jobs: jobs.filter(isReadable),
    damaged: jobs.flatMap((job) =>
      "problem" in job
        ? [
            {
              taskId: taskOf.get(job.row.id) as string,
              why: `its Job cannot be read: ${job.problem}`,
            },
          ]
        : [],
    ),
    unplaced: new Map(rows.map((row) => [row.id, row.unplaced])),
    ...(last === undefined ? {} : { next: { createdAt: last.created_at, id: last.id } }),
  };
}

/** The first instant after `now` at which a delayed retry may be placed (J6). */
export async function nextNotBefore(db: Db, now: number): Promise<number | undefined> {
  const row = await db
    .selectFrom("tasks")
    .select("not_before")
    .where("assignable", "=", ONE)
    .where("not_before", "is not", null)
    .where("not_before", ">", now)
    .orderBy("not_before")
    .limit(1)
    .executeTakeFirst();
  return row?.not_before ?? undefined;
}

/** Readable Jobs whose live task is on the node, in the order of their tasks' ids. */
export async function jobsOnNode(
  db: Db,
  node: string,
  options: { limit?: number } = {},
): Promise<{ jobs: StoredJob[]; isWhole: boolean }> {
  let query = db
    .selectFrom("tasks")
    .select("job_id")
    .where("live", "=", ONE)
    .where("node", "is not", null)
    .where("node", "=", node)
    .orderBy("id");
  if (options.limit !== undefined) query = query.limit(options.limit);
  const rows = await query.execute();
  const jobs = await jobsOf(
    db,
    rows.map((row) => row.job_id),
  );
  return {
    jobs: jobs.filter(isReadable),
    isWhole: options.limit === undefined || rows.length < options.limit,
  };
}

/** The Job that a task belongs to, and the node that has it. */
export async function ownerOfTask(
  db: Db,
  taskId: string,
): Promise<{ jobId: string; node: string | null } | undefined> {
  const row = await db
    .selectFrom("tasks")
    .select(["job_id", "node"])
    .where("id", "=", taskId)
    .executeTakeFirst();
  return row === undefined ? undefined : { jobId: row.job_id, node: row.node };
}

/** Sums of what live tasks take, by node. */
export async function usedByNode(
  db: Db,
): Promise<Map<string, { cpuMillicores: number; memoryBytes: number }>> {
  const rows = await db
    .selectFrom("tasks")
    .select((of) => [
      "node",
      of.fn.sum<number>("cpu_millicores").as("cpu"),
      of.fn.sum<number>("memory_bytes").as("memory"),
    ])
    .where("live", "=", ONE)
    .where("node", "is not", null)
    .groupBy("node")
    .execute();
  return new Map(
    rows.map((row) => [
      row.node as string,
      { cpuMillicores: Number(row.cpu), memoryBytes: Number(row.memory) },
    ]),
  );
}

/** How many live tasks of each namespace are on nodes (S7). */
export async function runningByNamespace(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("tasks")
    .select((of) => ["namespace", of.fn.countAll<number>().as("running")])
    .where("live", "=", ONE)
    .where("node", "is not", null)
    .groupBy("namespace")
    .execute();
  return new Map(rows.map(({ namespace, running }) => [namespace, Number(running)]));
}

export async function setUnplaced(tx: Tx, taskId: string, why: string): Promise<void> {
  await tx.db.updateTable("tasks").set({ unplaced: why }).where("id", "=", taskId).execute();
}

async function jobsOf(db: Db, ids: readonly string[]): Promise<(StoredJob | DamagedJob)[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("jobs").selectAll().where("id", "in", ids).execute();
  const place = new Map(ids.map((id, index) => [id, index]));
  rows.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  return readJobs(db, rows);
}

/** The nodes that have, or had, a task of the Job. */
export async function nodesOfJob(db: Db, jobId: string): Promise<string[]> {
  const rows = await db.selectFrom("tasks").select("node").where("job_id", "=", jobId).execute();
  return [...new Set(rows.flatMap(({ node }) => (node === null ? [] : [node])))];
}
