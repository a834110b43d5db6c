import {
  type ActiveRun,
  activeRun,
  assignableAt,
  currentTask,
  isTerminalTask,
  type JobState,
  parseJobState,
  type Task,
} from "@mesh/jobs";
import type { RunOrigin } from "@mesh/protocol";
import { isRefusal, refusal } from "../refusal.ts";
import type { JobRow, TaskRow } from "./schema.ts";
import type { Db } from "./store.ts";
import { sizeOf } from "./task-size.ts";

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

/** The Job as its schedule sees it (D3). */
export function activeRunOf({ state, origin }: StoredJob): ActiveRun | undefined {
  return activeRun(state, { occurrenceAt: origin?.occurrenceAt });
}

/** A row that cannot be read as a Job: it harms no other, and may only be deleted. */
export interface DamagedJob {
  readonly row: JobRow;
  readonly problem: string;
}

/** These rows as Jobs; throws a `Refusal` where one of them cannot be read. */
export async function withTasks(db: Db, rows: readonly JobRow[]): Promise<StoredJob[]> {
  return (await readJobs(db, rows)).map((read) => {
    if (!("problem" in read)) return read;
    const { namespace, name } = read.row;
    const text = `the stored state of Job ${namespace}/${name} cannot be read: ${read.problem}`;
    throw refusal(409, "job.unreadable", text, "delete the Job and create it again");
  });
}

/** For `catch`: tells a row that cannot be read from all other failures, which it throws on. */
export function unreadable(error: unknown): "unreadable" {
  if (isRefusal(error) && error.error.code === "job.unreadable") return "unreadable";
  throw error;
}

export function isReadable(read: StoredJob | DamagedJob): read is StoredJob {
  return !("problem" in read);
}

/** Those of the rows that can be read, for what must go on whatever a single row holds. */
export async function readableJobs(db: Db, rows: readonly JobRow[]): Promise<StoredJob[]> {
  return (await readJobs(db, rows)).filter(isReadable);
}

/** Each with its tasks in the order of their attempts, or with its problem: one query for all. */
export async function readJobs(
  db: Db,
  rows: readonly JobRow[],
): Promise<(StoredJob | DamagedJob)[]> {
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
    try {
      return storedJob(row, byJob.get(row.id) ?? []);
    } catch (error) {
      return { row, problem: (error as Error).message.replaceAll(/\s*\n\s*/g, "; ") };
    }
  });
}

function storedJob(
  row: JobRow,
  tasks: readonly { id: string; version: number; task_json: string }[],
): StoredJob {
  const origin = originOf(row);
  return {
    state: parseJobState({
      ...(JSON.parse(row.job_json) as object),
      tasks: tasks.map((task) => JSON.parse(task.task_json)),
    }),
    version: row.version,
    taskVersions: new Map(tasks.map((task) => [task.id, task.version])),
    ...(origin === undefined ? {} : { origin }),
  };
}

export function originOf(row: JobRow): RunOrigin | undefined {
  if (row.schedule_uid === null) return undefined;
  return {
    scheduleUid: row.schedule_uid,
    scheduleName: row.schedule_name ?? "",
    origin: row.origin ?? "",
    ...(row.occurrence_at === null ? {} : { occurrenceAt: row.occurrence_at }),
  };
}

/** The row of a Job; what it repeats beside the JSON is what queries filter and sort by. */
export function jobRow({ state, origin, wakeAt }: NewJob, version: number): JobRow {
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

/** The row of the task at `index`, without what only reports tell. */
export function taskRow(state: JobState, index: number, version: number): TaskRow {
  const task = state.tasks[index] as Task;
  const { job } = state;
  const isAssignable = task === currentTask(state) && assignableAt(state) !== undefined;
  return {
    id: task.id,
    job_id: job.id,
    namespace: job.namespace,
    job_name: job.spec.name,
    attempt: index + 1,
    status: task.actualStatus,
    live: isTerminalTask(task.actualStatus) ? 0 : 1,
    assignable: isAssignable ? 1 : 0,
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
