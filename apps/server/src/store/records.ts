import type { EventView } from "@mesh/protocol";
import type { Selectable } from "kysely";
import { readStored } from "./read-stored.ts";
import type { ContainerRunRow, EventRow } from "./schema.ts";
import type { Db, Tx } from "./store.ts";

/** Something to tell a person; it gets its number and its instant when it is stored. */
export type NewEvent = Omit<EventView, "id" | "at">;

export async function insertEvents(tx: Tx, at: number, events: readonly NewEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += 200) {
    await tx.db
      .insertInto("events")
      .values(events.slice(from, from + 200).map((event) => eventRow(event, at)))
      .execute();
  }
  if (events.length > 0) tx.touch("events");
}

function eventRow({ type, subject, message, data }: NewEvent, at: number) {
  return {
    at,
    type,
    kind: subject.kind,
    namespace: subject.namespace ?? null,
    name: subject.name,
    message,
    data_json: data === undefined ? null : JSON.stringify(data),
  };
}

/** Events after a number, oldest first. */
export async function listEvents(
  db: Db,
  options: { after: number; limit: number },
): Promise<EventView[]> {
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("id", ">", options.after)
    .orderBy("id")
    .limit(options.limit)
    .execute();
  return rows.map(eventView);
}

function eventView(row: Selectable<EventRow>): EventView {
  const data = readStored<Record<string, unknown> | null>(row.data_json ?? "null") ?? undefined;
  return {
    id: row.id,
    at: row.at,
    type: row.type,
    subject: {
      kind: row.kind as EventView["subject"]["kind"],
      ...(row.namespace === null ? {} : { namespace: row.namespace }),
      name: row.name,
    },
    message: row.message,
    ...(data === undefined ? {} : { data }),
  };
}

/** Remembers a report; false where it was there already, so that it is applied once (A8). */
export async function rememberReport(
  tx: Tx,
  report: { node: string; id: string; at: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx.db
    .insertInto("node_reports")
    .values(report)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** One row a run: its end replaces its start, and a late start never replaces an end. */
export async function saveContainerRun(tx: Tx, row: ContainerRunRow): Promise<void> {
  const { node, module, container, key, ...rest } = row;
  await tx.db
    .insertInto("container_runs")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["node", "module", "container", "key"])
        .doUpdateSet(rest)
        .where("container_runs.ended", "=", 0),
    )
    .execute();
}

/** Newest occurrences first. */
export async function listContainerRuns(
  db: Db,
  filter: { module?: string | undefined; limit: number },
): Promise<ContainerRunRow[]> {
  let query = db.selectFrom("container_runs").selectAll();
  if (filter.module !== undefined) query = query.where("module", "=", filter.module);
  return query.orderBy("at", "desc").orderBy("key").limit(filter.limit).execute();
}

/** What is kept at most; older rows go, a bounded number at a time. */
export const RETENTION = {
  events: 100_000,
  containerRunDays: 90,
  nodeReportDays: 30,
  rowsAtATime: 5_000,
} as const;

/** Removes what is past retention; true while there may be more. */
export async function prune(tx: Tx, now: number): Promise<boolean> {
  const day = 86_400_000;
  const newest = await tx.db
    .selectFrom("events")
    .select("id")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const oldest = await tx.db
    .selectFrom("events")
    .select("id")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  const keepFrom = (newest?.id ?? 0) - RETENTION.events;
  const upTo = Math.min(keepFrom, (oldest?.id ?? 0) - 1 + RETENTION.rowsAtATime);
  await tx.db.deleteFrom("events").where("id", "<=", upTo).execute();
  const runs = await pruneAged(tx, "container_runs", now - RETENTION.containerRunDays * day);
  const reports = await pruneAged(tx, "node_reports", now - RETENTION.nodeReportDays * day);
  return upTo < keepFrom || runs || reports;
}

async function pruneAged(
  tx: Tx,
  table: "container_runs" | "node_reports",
  before: number,
): Promise<boolean> {
  const rows = await tx.db
    .selectFrom(table)
    .select("at")
    .where("at", "<", before)
    .orderBy("at")
    .limit(RETENTION.rowsAtATime)
    .execute();
  const last = rows.at(-1);
  if (last === undefined) return false;
  await tx.db.deleteFrom(table).where("at", "<=", last.at).execute();
  return rows.length === RETENTION.rowsAtATime;
}
