import { type DamagedJob, readJobs, type StoredJob, withTasks } from "./job-rows.ts";
import { ACTIVE, ONE } from "./literals.ts";
import type { JobRow } from "./schema.ts";
import type { Db } from "./store.ts";

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
  const row = await findJobRow(db, namespace, nameOrId);
  return row === undefined ? undefined : (await withTasks(db, [row]))[0];
}

/** As `findJob`, but as it is stored. */
export async function findJobRow(
  db: Db,
  namespace: string,
  nameOrId: string,
): Promise<JobRow | undefined> {
  const jobs = db.selectFrom("jobs").selectAll().where("namespace", "=", namespace);
  return (
    (await jobs
      .where("name", "=", nameOrId)
      .where("deleted_at", "is", null)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()) ?? (await jobs.where("id", "=", nameOrId).executeTakeFirst())
  );
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
export async function listJobs(
  db: Db,
  namespace: string,
  limit: number,
): Promise<(StoredJob | DamagedJob)[]> {
  const rows = await db
    .selectFrom("jobs")
    .selectAll()
    .where("namespace", "=", namespace)
    .where("deleted_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return readJobs(db, rows);
}

/**
 * By schedule: its runs that have a live task, active ones and those that still stop (D3).
 * To decide on them all must be readable (`withTasks`); to show them those that are will do
 * (`readableJobs`).
 */
export async function liveRuns(
  db: Db,
  scheduleUids: readonly string[],
  read: typeof withTasks = withTasks,
): Promise<Map<string, StoredJob[]>> {
  const runs = new Map<string, StoredJob[]>(scheduleUids.map((uid) => [uid, []]));
  if (scheduleUids.length === 0) return runs;
  const rows = await db
    .selectFrom("jobs")
    .selectAll()
    .where("schedule_uid", "in", scheduleUids)
    .where("schedule_uid", "is not", null)
    .where("live", "=", ONE)
    .orderBy("created_at")
    .orderBy("name")
    .execute();
  for (const run of await read(db, rows)) runs.get(run.origin?.scheduleUid ?? "")?.push(run);
  return runs;
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
