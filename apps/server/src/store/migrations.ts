import type {
  ColumnDefinitionBuilder,
  CreateTableBuilder,
  Kysely,
  Migration,
  MigrationProvider,
} from "kysely";
import { ACTIVE, ONE, READY } from "./literals.ts";

/** What the databases spell differently: a key column that numbers its rows by itself. */
export interface NumberingColumn {
  readonly type: "integer" | "bigint";
  readonly define: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
}

type Schema = Kysely<unknown>["schema"];
type Columns = Readonly<Record<string, "text" | "text?" | "bigint" | "bigint?">>;

/**
 * Every step may be repeated, since not every database undoes a failed one. A step that was once
 * released never changes: a later one is added.
 */
export function migrations(numbering: NumberingColumn): MigrationProvider {
  const steps: Record<string, Migration> = {
    "0001-first": {
      up: async (db: Kysely<unknown>) => {
        await jobs(db.schema);
        await tasks(db.schema);
        await schedules(db.schema, numbering);
        await hosts(db.schema);
        await records(db.schema, numbering);
      },
    },
  };
  return { getMigrations: async () => steps };
}

async function jobs(schema: Schema): Promise<void> {
  await table(schema, "namespaces", { name: "text", created_at: "bigint" }, ["name"]);
  await table(
    schema,
    "jobs",
    {
      ...{ id: "text", namespace: "text", name: "text", status: "text", live: "bigint" },
      ...{ version: "bigint", job_json: "text", schedule_uid: "text?", schedule_name: "text?" },
      ...{ origin: "text?", occurrence_at: "bigint?", wake_at: "bigint?", created_at: "bigint" },
      ...{ completed_at: "bigint?", deleted_at: "bigint?" },
    },
    ["id"],
  );
  const on = indexer(schema, "jobs");
  await on("jobs_by_name", ["namespace", "name", "created_at"]).execute();
  await on("jobs_newest", ["namespace", "created_at"]).execute();
  await on("jobs_active_name", ["namespace", "name"])
    .unique()
    .where("status", "in", ACTIVE)
    .where("deleted_at", "is", null)
    .execute();
  await on("jobs_wake", ["wake_at"]).where("wake_at", "is not", null).execute();
  await on("jobs_of_schedule", ["schedule_uid", "completed_at"])
    .where("schedule_uid", "is not", null)
    .execute();
  await on("jobs_live_of_schedule", ["schedule_uid"])
    .where("schedule_uid", "is not", null)
    .where("live", "=", ONE)
    .execute();
}

async function tasks(schema: Schema): Promise<void> {
  await table(
    schema,
    "tasks",
    {
      ...{ id: "text", job_id: "text", namespace: "text", job_name: "text", attempt: "bigint" },
      ...{ status: "text", live: "bigint", assignable: "bigint", node: "text?" },
      ...{ not_before: "bigint?", cpu_millicores: "bigint", memory_bytes: "bigint" },
      ...{ version: "bigint", task_json: "text", output: "text?", message: "text?" },
      ...{ unplaced: "text?", created_at: "bigint" },
    },
    ["id"],
  );
  const on = indexer(schema, "tasks");
  await on("tasks_of_job", ["job_id", "attempt"]).unique().execute();
  await on("tasks_newest", ["namespace", "created_at"]).execute();
  await on("tasks_assignable", ["created_at", "id"]).where("assignable", "=", ONE).execute();
  await on("tasks_not_before", ["not_before"])
    .where("assignable", "=", ONE)
    .where("not_before", "is not", null)
    .execute();
  await on("tasks_on_node", ["node", "cpu_millicores", "memory_bytes"])
    .where("live", "=", ONE)
    .where("node", "is not", null)
    .execute();
}

async function schedules(schema: Schema, numbering: NumberingColumn): Promise<void> {
  await table(
    schema,
    "schedules",
    {
      ...{ uid: "text", namespace: "text", name: "text", version: "bigint" },
      ...{ schedule_json: "text", template_json: "text", wake_at: "bigint?" },
      ...{ waits_run_end: "bigint", problem: "text?", created_at: "bigint" },
    },
    ["uid"],
  );
  const on = indexer(schema, "schedules");
  await on("schedules_by_name", ["namespace", "name"]).unique().execute();
  await on("schedules_wake", ["wake_at"]).where("wake_at", "is not", null).execute();
  await table(
    schema,
    "ledger",
    {
      ...{ schedule_uid: "text", origin: "text", first_at: "bigint", last_at: "bigint" },
      ...{ count: "bigint", count_is_exact: "bigint", outcome: "text", reason: "text" },
      ...{ run_name: "text?", job_id: "text?", decision_id: "bigint?", namespace: "text" },
      ...{ schedule_name: "text", decided_at: "bigint", final_status: "text?" },
      ...{ final_exit_code: "bigint?" },
    },
    ["schedule_uid", "origin", "first_at"],
  );
  const onLedger = indexer(schema, "ledger");
  await onLedger("ledger_newest", ["namespace", "first_at"]).execute();
  await onLedger("ledger_recent", ["first_at"]).execute();
  await onLedger("ledger_of_schedule", ["schedule_name", "first_at"]).execute();
  await onLedger("ledger_decided", ["schedule_uid", "origin", "last_at"]).execute();
  await onLedger("ledger_of_job", ["job_id"]).where("job_id", "is not", null).execute();
  await table(
    schema,
    "decisions",
    {
      ...{ schedule_uid: "text", namespace: "text", schedule_name: "text", at: "bigint" },
      decision_json: "text",
    },
    numbering,
  );
  await indexer(schema, "decisions")("decisions_of_schedule", [
    "namespace",
    "schedule_name",
    "id",
  ]).execute();
}

async function hosts(schema: Schema): Promise<void> {
  await table(schema, "modules", { name: "text", manifest_json: "text", updated_at: "bigint" }, [
    "name",
  ]);
  await table(schema, "assignments", { module: "text", node: "text" }, ["module", "node"]);
  await indexer(schema, "assignments")("assignments_of_node", ["node"]).execute();
  await table(
    schema,
    "nodes",
    {
      ...{ name: "text", labels_json: "text", cpu_millicores: "bigint", memory_bytes: "bigint" },
      ...{ engine_json: "text", agent_version: "text", zone_data: "text", status: "text" },
      ...{ lease_expires_at: "bigint", status_json: "text?", generation: "bigint" },
      ...{ declaration_json: "text", revision: "bigint", registered_at: "bigint" },
    },
    ["name"],
  );
  await indexer(schema, "nodes")("nodes_lease", ["lease_expires_at"])
    .where("status", "=", READY)
    .execute();
  await table(
    schema,
    "secrets",
    { namespace: "text", name: "text", key: "text", value: "text", updated_at: "bigint" },
    ["namespace", "name", "key"],
  );
  await table(
    schema,
    "volume_claims",
    { namespace: "text", claim: "text", node: "text", created_at: "bigint" },
    ["namespace", "claim"],
  );
  await table(schema, "volume_uses", { namespace: "text", claim: "text", job_id: "text" }, [
    "namespace",
    "claim",
    "job_id",
  ]);
  await indexer(schema, "volume_uses")("volume_uses_of_job", ["job_id"]).execute();
}

async function records(schema: Schema, numbering: NumberingColumn): Promise<void> {
  await table(
    schema,
    "events",
    {
      ...{ at: "bigint", type: "text", kind: "text", namespace: "text?", name: "text" },
      ...{ message: "text", data_json: "text?" },
    },
    numbering,
  );
  await table(
    schema,
    "container_runs",
    {
      ...{ node: "text", module: "text", container: "text", key: "text", at: "bigint" },
      ...{ reported_at: "bigint", ended: "bigint", record_json: "text" },
    },
    ["node", "module", "container", "key"],
  );
  const on = indexer(schema, "container_runs");
  await on("container_runs_newest", ["at"]).execute();
  await on("container_runs_of_module", ["module", "at"]).execute();
  await table(schema, "node_reports", { node: "text", id: "text", at: "bigint" }, ["node", "id"]);
  await indexer(schema, "node_reports")("node_reports_age", ["at"]).execute();
}

/** A table with the key columns given, or with an `id` that numbers its rows. */
async function table(
  schema: Schema,
  name: string,
  columns: Columns,
  key: readonly string[] | NumberingColumn,
): Promise<void> {
  let made: CreateTableBuilder<string, string> = schema.createTable(name).ifNotExists();
  if ("define" in key) made = made.addColumn("id", key.type, key.define);
  for (const [column, kind] of Object.entries(columns)) {
    const type = kind.startsWith("text") ? "text" : "bigint";
    made = made.addColumn(column, type, (c) => (kind.endsWith("?") ? c : c.notNull()));
  }
  if (!("define" in key)) made = made.addPrimaryKeyConstraint(`${name}_key`, [...key]);
  await made.execute();
}

function indexer(schema: Schema, on: string) {
  return (name: string, columns: readonly string[]) =>
    schema
      .createIndex(name)
      .ifNotExists()
      .on(on)
      .columns([...columns]);
}
