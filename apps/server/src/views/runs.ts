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
import { readStored } from "../store/read-stored.ts";
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
    runs.push(...(await listContainerRuns(db, { module, limit })).flatMap(containerRun));
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

function containerRun(row: ContainerRunRow): ContainerRunView[] {
  const { node, module, container, at } = row;
  const record = readStored<RunRecord>(row.record_json);
  return record === undefined ? [] : [{ kind: "container", node, module, container, at, record }];
}

export async function readDecisions(
  db: Db,
  of: { namespace: string; scheduleName: string; limit: number },
): Promise<DecisionView[]> {
  return (await listDecisions(db, of)).flatMap((row) => {
    const decision = readStored<Decision>(row.decision_json);
    if (decision === undefined) return [];
    const { id, namespace, schedule_uid: scheduleUid, schedule_name: scheduleName, at } = row;
    return [{ id, namespace, scheduleUid, scheduleName, at, decision }];
  });
}

export async function readTasks(
  db: Db,
  namespace: string,
  filter: { job?: string | undefined; limit: number },
): Promise<TaskView[]> {
  return (await listTasks(db, namespace, filter)).flatMap((row) => {
    const task = readStored<TaskView["task"]>(row.taskJson);
    if (task === undefined) return [];
    const message = row.message ?? row.unplaced;
    return [
      {
        namespace: row.namespace,
        jobName: row.jobName,
        attempt: row.attempt,
        task,
        ...(row.output === null ? {} : { output: row.output }),
        ...(message === null ? {} : { message }),
      },
    ];
  });
}
