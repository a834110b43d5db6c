import type { Decision } from "@mesh/concurrency";
import type { JobState } from "@mesh/jobs";
import type {
  ContainerRunView,
  DecisionView,
  RunRecord,
  RunView,
  ScheduledRunView,
  TaskView,
} from "@mesh/protocol";
import { type LedgerRecord, listDecisions, listLedger } from "../store/ledger.ts";
import { listContainerRuns } from "../store/records.ts";
import type { ContainerRunRow } from "../store/schema.ts";
import type { Db } from "../store/store.ts";
import { listTasks } from "../store/tasks.ts";

/** Runs of CronJobs and of scheduled containers, newest occurrence first. */
export async function readRuns(
  db: Db,
  filter: {
    namespace?: string | undefined;
    schedule?: string | undefined;
    module?: string | undefined;
    limit: number;
  },
): Promise<RunView[]> {
  const { namespace, schedule, module, limit } = filter;
  const runs: RunView[] = [];
  if (module === undefined) {
    const rows = await listLedger(db, { namespace, schedule, limit });
    runs.push(...rows.map(scheduledRun));
  }
  if (namespace === undefined && schedule === undefined) {
    runs.push(...(await listContainerRuns(db, { module, limit })).map(containerRun));
  }
  return runs.sort((a, b) => instantOf(b) - instantOf(a)).slice(0, limit);
}

function instantOf(run: RunView): number {
  return run.kind === "cronjob" ? run.firstAt : run.at;
}

function scheduledRun(row: LedgerRecord): ScheduledRunView {
  const status = row.job_status ?? row.final_status;
  const exitCode = lastExitCode(row) ?? row.final_exit_code;
  return {
    kind: "cronjob",
    namespace: row.namespace,
    schedule: row.schedule_name,
    origin: row.origin,
    outcome: row.outcome as ScheduledRunView["outcome"],
    reason: row.reason,
    firstAt: row.first_at,
    lastAt: row.last_at,
    count: row.count,
    countIsExact: row.count_is_exact === 1,
    ...(row.run_name === null ? {} : { runName: row.run_name }),
    ...(row.job_id === null ? {} : { jobId: row.job_id }),
    ...(status === null ? {} : { jobStatus: status as JobState["job"]["status"] }),
    ...(exitCode === null ? {} : { lastExitCode: exitCode }),
  };
}

function lastExitCode({ job_json }: LedgerRecord): number | undefined {
  if (job_json === null) return undefined;
  return readStored<Pick<JobState, "job">>(job_json)?.job?.lastExitCode;
}

/** One row that cannot be read hides no other from a list. */
function readStored<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

function containerRun(row: ContainerRunRow): ContainerRunView {
  return {
    kind: "container",
    node: row.node,
    module: row.module,
    container: row.container,
    at: row.at,
    record: JSON.parse(row.record_json) as RunRecord,
  };
}

export async function readDecisions(
  db: Db,
  of: { namespace: string; scheduleName: string; limit: number },
): Promise<DecisionView[]> {
  return (await listDecisions(db, of)).map((row) => ({
    id: row.id,
    namespace: row.namespace,
    scheduleUid: row.schedule_uid,
    scheduleName: row.schedule_name,
    at: row.at,
    decision: JSON.parse(row.decision_json) as Decision,
  }));
}

export async function readTasks(
  db: Db,
  namespace: string,
  filter: { job?: string | undefined; limit: number },
): Promise<TaskView[]> {
  return (await listTasks(db, namespace, filter)).map((row) => {
    const message = row.message ?? row.unplaced;
    return {
      namespace: row.namespace,
      jobName: row.jobName,
      attempt: row.attempt,
      task: JSON.parse(row.taskJson) as TaskView["task"],
      ...(row.output === null ? {} : { output: row.output }),
      ...(message === null ? {} : { message }),
    };
  });
}
