import type { Decision, Interval } from "@mesh/concurrency";
import type { LedgerRow } from "./schema.ts";
import type { Db, Tx } from "./store.ts";

/** A final outcome of one occurrence, or of an interval of them (S2). */
export type LedgerEntry = Omit<LedgerRow, "final_status" | "final_exit_code">;

/** One row: what became of an occurrence or interval, and the run that it made if it made one. */
export function ledgerEntry(
  schedule: { readonly uid: string; readonly namespace: string; readonly name: string },
  made: {
    readonly origin: string;
    readonly interval: Interval;
    readonly outcome: "create" | "skip" | "supersede" | "expire";
    readonly reason: string;
    readonly run?: { readonly name: string; readonly jobId: string } | undefined;
    /** Absent where no decision made it: an edit or a trigger did. */
    readonly decisionId?: number | undefined;
    readonly decidedAt: number;
  },
): LedgerEntry {
  const { interval, run } = made;
  return {
    schedule_uid: schedule.uid,
    origin: made.origin,
    first_at: interval.firstAt,
    last_at: interval.lastAt,
    count: interval.count,
    count_is_exact: interval.countIsExact ? 1 : 0,
    outcome: made.outcome,
    reason: made.reason,
    run_name: run?.name ?? null,
    job_id: run?.jobId ?? null,
    decision_id: made.decisionId ?? null,
    namespace: schedule.namespace,
    schedule_name: schedule.name,
    decided_at: made.decidedAt,
  };
}

/** Inserts; an occurrence that has a row already makes the whole transaction fail (S2). */
export async function insertLedger(tx: Tx, entries: readonly LedgerEntry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += 200) {
    await tx.db
      .insertInto("ledger")
      .values(
        entries
          .slice(from, from + 200)
          .map((entry) => ({ ...entry, final_status: null, final_exit_code: null })),
      )
      .execute();
  }
}

/** What the ledger already holds beyond a schedule's base: not to be decided again (D9). */
export async function decidedSince(
  db: Db,
  bases: readonly { uid: string; baseAt: number }[],
): Promise<Map<string, Interval[]>> {
  const decided = new Map<string, Interval[]>();
  if (bases.length === 0) return decided;
  const rows = await db
    .selectFrom("ledger")
    .select(["schedule_uid", "first_at", "last_at", "count", "count_is_exact"])
    .where((is) =>
      is.or(
        bases.map(({ uid, baseAt }) =>
          is.and([
            is("schedule_uid", "=", uid),
            is("origin", "=", "schedule"),
            is("last_at", ">", baseAt),
          ]),
        ),
      ),
    )
    .orderBy("last_at")
    .limit(20_000)
    .execute();
  for (const row of rows) {
    const interval: Interval = {
      firstAt: row.first_at,
      lastAt: row.last_at,
      count: row.count,
      countIsExact: row.count_is_exact === 1,
    };
    const own = decided.get(row.schedule_uid);
    if (own === undefined) decided.set(row.schedule_uid, [interval]);
    else own.push(interval);
  }
  return decided;
}

/** Whether the schedule has a run of this origin (D10): asking again starts no second one. */
export async function hasOrigin(db: Db, uid: string, origin: string): Promise<boolean> {
  const row = await db
    .selectFrom("ledger")
    .select("origin")
    .where("schedule_uid", "=", uid)
    .where("origin", "=", origin)
    .executeTakeFirst();
  return row !== undefined;
}

/** A row of the ledger with what its run's Job is or was. */
export type LedgerRecord = LedgerRow & {
  readonly job_status: string | null;
  readonly job_json: string | null;
};

/** Newest occurrences first. */
export async function listLedger(
  db: Db,
  filter: { namespace?: string | undefined; schedule?: string | undefined; limit: number },
): Promise<LedgerRecord[]> {
  let query = db
    .selectFrom("ledger")
    .leftJoin("jobs", "jobs.id", "ledger.job_id")
    .selectAll("ledger")
    .select(["jobs.status as job_status", "jobs.job_json"]);
  if (filter.namespace !== undefined)
    query = query.where("ledger.namespace", "=", filter.namespace);
  if (filter.schedule !== undefined) {
    query = query.where("ledger.schedule_name", "=", filter.schedule);
  }
  return query.orderBy("first_at", "desc").limit(filter.limit).execute();
}

/** Stores a decision with its evidence (D9a); the answer is its number. */
export async function insertDecision(
  tx: Tx,
  row: { namespace: string; scheduleName: string; at: number; decision: Decision },
): Promise<number> {
  const { id } = await tx.db
    .insertInto("decisions")
    .values({
      schedule_uid: row.decision.schedule.uid,
      namespace: row.namespace,
      schedule_name: row.scheduleName,
      at: row.at,
      decision_json: JSON.stringify(row.decision),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Newest first; those of earlier schedules of the name included. */
export async function listDecisions(
  db: Db,
  of: { namespace: string; scheduleName: string; limit: number },
) {
  return db
    .selectFrom("decisions")
    .selectAll()
    .where("namespace", "=", of.namespace)
    .where("schedule_name", "=", of.scheduleName)
    .orderBy("id", "desc")
    .limit(of.limit)
    .execute();
}
