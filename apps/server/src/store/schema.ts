import type { Generated } from "kysely";

/**
 * Tables as both databases hold them. Instants are epoch milliseconds; flags are 0 or 1; `…_json`
 * is text. Columns beside a JSON text repeat what queries filter and sort by, and are written
 * together with it. `version` guards a row: every write checks it and raises it.
 */
export interface Database {
  namespaces: { name: string; created_at: number };
  jobs: JobRow;
  tasks: TaskRow;
  schedules: ScheduleRow;
  ledger: LedgerRow;
  decisions: DecisionRow;
  modules: { name: string; manifest_json: string; updated_at: number };
  assignments: { module: string; node: string };
  nodes: NodeRow;
  events: EventRow;
  container_runs: ContainerRunRow;
  node_reports: { node: string; id: string; at: number };
  secrets: { namespace: string; name: string; key: string; value: string; updated_at: number };
  volume_claims: { namespace: string; claim: string; node: string; created_at: number };
  volume_uses: { namespace: string; claim: string; job_id: string };
}

export interface JobRow {
  id: string;
  namespace: string;
  name: string;
  status: string;
  /** 1 while a task of the Job has not ended. */
  live: number;
  version: number;
  job_json: string;
  schedule_uid: string | null;
  schedule_name: string | null;
  origin: string | null;
  occurrence_at: number | null;
  wake_at: number | null;
  created_at: number;
  completed_at: number | null;
  deleted_at: number | null;
}

export interface TaskRow {
  id: string;
  job_id: string;
  namespace: string;
  job_name: string;
  /** Place among the Job's tasks, from 1. */
  attempt: number;
  status: string;
  live: number;
  /** 1 for a pending task that may be placed once `not_before` has passed. */
  assignable: number;
  node: string | null;
  not_before: number | null;
  cpu_millicores: number;
  memory_bytes: number;
  version: number;
  task_json: string;
  output: string | null;
  message: string | null;
  /** Why it was not placed, as last told. */
  unplaced: string | null;
  created_at: number;
}

export interface ScheduleRow {
  uid: string;
  namespace: string;
  name: string;
  version: number;
  schedule_json: string;
  template_json: string;
  wake_at: number | null;
  /** 1 when a run's end, and no instant, is what the schedule waits for. */
  waits_run_end: number;
  problem: string | null;
  created_at: number;
}

export interface LedgerRow {
  schedule_uid: string;
  origin: string;
  first_at: number;
  last_at: number;
  count: number;
  count_is_exact: number;
  outcome: string;
  reason: string;
  run_name: string | null;
  job_id: string | null;
  decision_id: number | null;
  namespace: string;
  schedule_name: string;
  decided_at: number;
  /** What the run came to, kept when its Job's record goes. */
  final_status: string | null;
  final_exit_code: number | null;
}

export interface DecisionRow {
  id: Generated<number>;
  schedule_uid: string;
  namespace: string;
  schedule_name: string;
  at: number;
  decision_json: string;
}

export interface NodeRow {
  name: string;
  labels_json: string;
  cpu_millicores: number;
  memory_bytes: number;
  engine_json: string;
  agent_version: string;
  zone_data: string;
  /** `ready` while the lease holds, else `lost`. */
  status: string;
  lease_expires_at: number;
  status_json: string | null;
  generation: number;
  declaration_json: string;
  /** Raised by every change of what the node should hold. */
  revision: number;
  registered_at: number;
}

export interface EventRow {
  id: Generated<number>;
  at: number;
  type: string;
  kind: string;
  namespace: string | null;
  name: string;
  message: string;
  data_json: string | null;
}

export interface ContainerRunRow {
  node: string;
  module: string;
  container: string;
  /** The run's id, or what tells a skip or a missed interval apart. */
  key: string;
  at: number;
  reported_at: number;
  ended: number;
  record_json: string;
}
