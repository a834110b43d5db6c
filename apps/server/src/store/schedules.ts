import type { ScheduleState, Wake } from "@mesh/concurrency";
import type { JobTemplate } from "@mesh/declaration";
import type { ScheduleRow } from "./schema.ts";
import { type Db, guarded, type Tx } from "./store.ts";

/** A schedule's row as it is; its texts are parsed by whoever decides on it, one at a time. */
export interface StoredSchedule {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly scheduleJson: string;
  readonly templateJson: string;
  readonly wakeAt?: number;
  readonly problem?: string;
}

export async function insertSchedule(
  tx: Tx,
  schedule: { namespace: string; state: ScheduleState; template: JobTemplate; wakeAt: number },
): Promise<void> {
  const { namespace, state, template, wakeAt } = schedule;
  await tx.db
    .insertInto("schedules")
    .values({
      uid: state.uid,
      namespace,
      name: state.spec.name,
      version: 1,
      schedule_json: JSON.stringify(state),
      template_json: JSON.stringify(template),
      wake_at: wakeAt,
      waits_run_end: 0,
      problem: null,
      created_at: state.createdAt,
    })
    .execute();
  tx.touch("schedules");
}

export async function findSchedule(
  db: Db,
  namespace: string,
  name: string,
): Promise<StoredSchedule | undefined> {
  const row = await db
    .selectFrom("schedules")
    .selectAll()
    .where("namespace", "=", namespace)
    .where("name", "=", name)
    .executeTakeFirst();
  return row === undefined ? undefined : fromRow(row);
}

export async function listSchedules(
  db: Db,
  namespace: string,
  limit: number,
): Promise<StoredSchedule[]> {
  const rows = await db
    .selectFrom("schedules")
    .selectAll()
    .where("namespace", "=", namespace)
    .orderBy("name")
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

/** Uids of schedules whose wake has come, those that waited longest first. */
export async function dueScheduleUids(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("schedules")
    .select("uid")
    .where("wake_at", "is not", null)
    .where("wake_at", "<=", now)
    .orderBy("wake_at")
    .orderBy("uid")
    .limit(limit)
    .execute();
  return rows.map((row) => row.uid);
}

export async function loadSchedules(db: Db, uids: readonly string[]): Promise<StoredSchedule[]> {
  if (uids.length === 0) return [];
  const rows = await db.selectFrom("schedules").selectAll().where("uid", "in", uids).execute();
  return rows.map(fromRow);
}

export async function nextScheduleWake(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom("schedules")
    .select("wake_at")
    .where("wake_at", "is not", null)
    .orderBy("wake_at")
    .limit(1)
    .executeTakeFirst();
  return row?.wake_at ?? undefined;
}

/** Writes the next state under the version that was read (S2); a `Conflict` where it is older. */
export async function saveSchedule(
  tx: Tx,
  before: StoredSchedule,
  after: { state: ScheduleState; template?: JobTemplate | undefined; wake: Wake },
): Promise<void> {
  const { state, template, wake } = after;
  const changed = await tx.db
    .updateTable("schedules")
    .set({
      version: before.version + 1,
      schedule_json: JSON.stringify(state),
      ...(template === undefined ? {} : { template_json: JSON.stringify(template) }),
      wake_at: wake.kind === "at" ? wake.at : null,
      waits_run_end: wake.kind === "runEnd" ? 1 : 0,
      problem: null,
    })
    .where("uid", "=", before.uid)
    .where("version", "=", before.version)
    .executeTakeFirstOrThrow();
  guarded(changed, `schedule ${before.namespace}/${before.name}`);
  tx.touch("schedules");
}

/** Says why a schedule cannot be decided; it is looked at again at `retryAt`. */
export async function saveProblem(
  tx: Tx,
  uid: string,
  options: { problem: string; retryAt: number },
): Promise<void> {
  await tx.db
    .updateTable("schedules")
    .set({ problem: options.problem, wake_at: options.retryAt, waits_run_end: 0 })
    .where("uid", "=", uid)
    .execute();
}

/**
 * Raises the version after a run's end or a trigger, and wakes a schedule that waits for an end.
 * In the transaction of a decision the wake is already written, so none is lost (S2).
 */
export async function runEnded(tx: Tx, uid: string, now: number): Promise<void> {
  await tx.db
    .updateTable("schedules")
    .set((of) => ({
      version: of("version", "+", 1),
      wake_at: of.case().when("waits_run_end", "=", 1).then(now).else(of.ref("wake_at")).end(),
      waits_run_end: 0,
    }))
    .where("uid", "=", uid)
    .execute();
  tx.touch("schedules");
}

/** Wakes a schedule whose run's name another Job held until now (D10). */
export async function nameReleased(
  tx: Tx,
  options: { namespace: string; scheduleName: string; exceptUid: string | undefined; now: number },
): Promise<void> {
  const { namespace, scheduleName, exceptUid, now } = options;
  let query = tx.db
    .updateTable("schedules")
    .set((of) => ({ version: of("version", "+", 1), wake_at: now, waits_run_end: 0 }))
    .where("namespace", "=", namespace)
    .where("name", "=", scheduleName);
  if (exceptUid !== undefined) query = query.where("uid", "!=", exceptUid);
  await query.execute();
  tx.touch("schedules");
}

export async function deleteSchedule(tx: Tx, before: StoredSchedule): Promise<void> {
  const gone = await tx.db
    .deleteFrom("schedules")
    .where("uid", "=", before.uid)
    .where("version", "=", before.version)
    .executeTakeFirst();
  guarded({ numUpdatedRows: gone.numDeletedRows }, `schedule ${before.namespace}/${before.name}`);
}

function fromRow(row: ScheduleRow): StoredSchedule {
  return {
    uid: row.uid,
    namespace: row.namespace,
    name: row.name,
    version: row.version,
    scheduleJson: row.schedule_json,
    templateJson: row.template_json,
    ...(row.wake_at === null ? {} : { wakeAt: row.wake_at }),
    ...(row.problem === null ? {} : { problem: row.problem }),
  };
}
