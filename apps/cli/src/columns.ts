import type { OutcomeReason } from "@mesh/concurrency";
import { explainReason } from "@mesh/concurrency";
import { explainJobReason } from "@mesh/jobs";
import type {
  CronJobView,
  EventView,
  JobView,
  ModuleView,
  NodeView,
  RunView,
  TaskView,
} from "@mesh/protocol";
import type { Colour } from "./paint.ts";
import type { Column } from "./table.ts";
import type { Clockface } from "./times.ts";
import { fromNow, localText, utcText } from "./times.ts";

/** What every table needs besides its rows: the instant it is printed, and the reader's clock. */
export interface Reading {
  readonly now: number;
  readonly reader: Clockface;
}

export const jobColumns = ({ now }: Reading): readonly Column<JobView>[] => [
  { title: "NAME", text: ({ state }) => state.job.spec.name },
  {
    title: "STATUS",
    text: ({ state, problem }) => (problem === undefined ? statusText(state.job) : "problem"),
    colour: ({ state }) => statusColour(state.job.status),
  },
  { title: "ATTEMPTS", text: ({ state }) => attemptsText(state.job) },
  { title: "EXIT", text: ({ state }) => state.job.lastExitCode },
  { title: "FROM", text: ({ origin }) => origin?.scheduleName },
  { title: "CREATED", text: ({ state }) => fromNow(state.job.createdAt, now) },
  { title: "ENDED", text: ({ state }) => awayText(state.job.completedAt, now) },
];

export const cronJobColumns = ({ now, reader }: Reading): readonly Column<CronJobView>[] => [
  { title: "NAME", text: ({ schedule }) => schedule.spec.name },
  { title: "SCHEDULE", text: ({ schedule }) => schedule.spec.schedule },
  { title: "ZONE", text: ({ schedule }) => schedule.spec.timezone ?? "UTC" },
  { title: "POLICY", text: ({ schedule }) => schedule.spec.concurrencyPolicy ?? "Allow" },
  {
    title: "STATE",
    text: (view) => scheduleState(view),
    colour: (view) => (view.problem === undefined ? undefined : "red"),
  },
  { title: "LAST", text: ({ schedule }) => awayText(schedule.lastScheduleAt, now) },
  {
    title: "NEXT (UTC)",
    text: ({ nextAt }) => (nextAt === undefined ? undefined : utcText(nextAt)),
  },
  ...(reader.timeZone === "UTC" ? [] : [localNext(reader)]),
];

const localNext = (reader: Clockface): Column<CronJobView> => ({
  title: `NEXT (${reader.timeZone})`,
  text: ({ nextAt }) => (nextAt === undefined ? undefined : localText(nextAt, reader)),
});

export const taskColumns = ({ reader }: Reading): readonly Column<TaskView>[] => [
  { title: "JOB", text: ({ jobName }) => jobName },
  ...attemptColumns(reader),
];

/** One line an attempt: a Job's tasks are its attempts, in order (J4). */
export const attemptColumns = (
  reader: Clockface,
): readonly Column<Pick<TaskView, "attempt" | "task">>[] => [
  { title: "ATTEMPT", text: ({ attempt }) => attempt },
  { title: "NODE", text: ({ task }) => task.nodeId },
  {
    title: "STATUS",
    text: ({ task }) => task.actualStatus,
    colour: ({ task }) => statusColour(task.actualStatus),
  },
  { title: "EXIT", text: ({ task }) => task.exitCode },
  {
    title: "REASON",
    text: ({ task: { failureReason } }) =>
      failureReason === undefined ? undefined : explainJobReason(failureReason),
  },
  { title: "STARTED", text: ({ task }) => localOf(task.startedAt, reader) },
  { title: "FINISHED", text: ({ task }) => localOf(task.finishedAt, reader) },
  { title: "TASK", text: ({ task }) => task.id },
];

export const moduleColumns = ({ now }: Reading): readonly Column<ModuleView>[] => [
  { title: "NAME", text: ({ module }) => module },
  { title: "RESOURCES", text: ({ manifest }) => manifest.resources.length },
  { title: "NODES", text: ({ nodes }) => nodes.join(",") },
  { title: "UPDATED", text: ({ updatedAt }) => fromNow(updatedAt, now) },
];

export const nodeColumns = ({ now }: Reading): readonly Column<NodeView>[] => [
  { title: "NAME", text: ({ node }) => node },
  {
    title: "READY",
    text: ({ ready }) => (ready ? "yes" : "no"),
    colour: ({ ready }) => (ready ? "green" : "red"),
  },
  { title: "CURRENT", text: (view) => currentText(view) },
  { title: "ENGINE", text: ({ engine }) => `${engine.kind} ${engine.version}`.trim() },
  { title: "CPU", text: ({ used, capacity }) => cpuText(used, capacity) },
  { title: "MEMORY", text: ({ used, capacity }) => memoryText(used, capacity) },
  { title: "MODULES", text: ({ modules }) => modules.join(",") },
  { title: "LEASE", text: ({ leaseExpiresAt }) => fromNow(leaseExpiresAt, now) },
];

export const runColumns: readonly Column<RunView>[] = [
  { title: "OF", text: (run) => runOwner(run) },
  { title: "OCCURRENCE (UTC)", text: (run) => occurrenceText(run) },
  {
    title: "OUTCOME",
    text: (run) => runOutcome(run),
    colour: (run) => statusColour(runOutcome(run)),
  },
  { title: "EXIT", text: (run) => runExit(run) },
  { title: "WHY", text: (run) => runReason(run) },
  { title: "NODE", text: (run) => (run.kind === "container" ? run.node : undefined) },
  { title: "RUN", text: (run) => runId(run) },
];

export const eventColumns = ({ reader }: Reading): readonly Column<EventView>[] => [
  { title: "TIME", text: ({ at }) => localText(at, reader) },
  { title: "SUBJECT", text: ({ subject }) => `${subject.kind}/${subject.name}` },
  { title: "WHAT", text: ({ message }) => message },
];

/** The colour of a status: ended well, ended badly, still going. */
export function statusColour(status: string): Colour | undefined {
  switch (status) {
    case "succeeded":
    case "healthy":
      return "green";
    case "failed":
    case "cancelled":
    case "missed":
      return "red";
    case "skip":
    case "skipped":
    case "expire":
    case "supersede":
      return "yellow";
    case "running":
    case "started":
      return "cyan";
    default:
      return undefined;
  }
}

function runOwner(run: RunView): string {
  if (run.kind === "container") return `${run.module}/${run.container}`;
  const { namespace, schedule } = run;
  return namespace === "default" ? `cronjob/${schedule}` : `cronjob/${namespace}/${schedule}`;
}

/** What became of it: for a Job that a schedule made, how the Job stands. */
function runOutcome(run: RunView): string {
  if (run.kind === "container") return run.record.outcome;
  return run.outcome === "create" ? (run.jobStatus ?? "created") : run.outcome;
}

function runExit(run: RunView): number | undefined {
  if (run.kind === "cronjob") return run.lastExitCode;
  return "exitCode" in run.record ? run.record.exitCode : undefined;
}

function runReason(run: RunView): string | undefined {
  if (run.kind === "cronjob") {
    return run.outcome === "create" ? originText(run.origin) : reasonText(run.reason);
  }
  return "reason" in run.record ? run.record.reason : undefined;
}

/** The ledger's reason in words; one that a newer server knows stays as it is. */
function reasonText(reason: string): string {
  return explainReason(reason as OutcomeReason) ?? reason;
}

function originText(origin: string): string | undefined {
  return origin === "schedule" ? undefined : origin;
}

function runId(run: RunView): string | undefined {
  if (run.kind === "cronjob") return run.runName;
  return "runId" in run.record ? run.record.runId : undefined;
}

/** One occurrence, or the first and last of an interval with how many it holds. */
function occurrenceText(run: RunView): string {
  const interval = run.kind === "cronjob" ? run : intervalOf(run.record);
  if (interval.count === 1) return utcText(interval.firstAt);
  const count = `${interval.countIsExact ? "" : "more than "}${interval.count}`;
  return `${utcText(interval.firstAt)} … ${utcText(interval.lastAt)} (${count})`;
}

function intervalOf(record: Extract<RunView, { kind: "container" }>["record"]) {
  if (record.outcome === "missed") return record;
  const at = record.occurrenceAt;
  return { firstAt: at, lastAt: at, count: 1, countIsExact: true };
}

export function attemptsText(job: JobView["state"]["job"]): string {
  const most = (job.spec.backoffLimit ?? 0) + 1;
  const ignored = job.ignoredFailures > 0 ? ` +${job.ignoredFailures}` : "";
  return `${job.attempts}/${most}${ignored}`;
}

function statusText(job: JobView["state"]["job"]): string {
  return job.suspendedAt === undefined ? job.status : `${job.status} (suspended)`;
}

function scheduleState(view: CronJobView): string {
  if (view.problem !== undefined) return "problem";
  if (view.schedule.spec.suspended === true) return "suspended";
  return view.active.length === 0 ? "waiting" : `${view.active.length} active`;
}

/** Whether the node has applied the newest declaration and holds all of it. */
export function currentText({ status, generation }: NodeView): string {
  if (status === undefined) return "unknown";
  if (status.generation !== generation) return `no (${status.generation} of ${generation})`;
  return status.current ? "yes" : `no (${status.problems.length} problems)`;
}

export function cpuText(
  used: { readonly cpuMillicores: number },
  of: { readonly cpuMillicores: number },
): string {
  return `${used.cpuMillicores}m/${of.cpuMillicores}m`;
}

export function memoryText(
  used: { readonly memoryBytes: number },
  of: { readonly memoryBytes: number },
): string {
  return `${bytesText(used.memoryBytes)}/${bytesText(of.memoryBytes)}`;
}

function bytesText(bytes: number): string {
  const units = ["", "Ki", "Mi", "Gi", "Ti"] as const;
  const step = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${Number.isInteger(value) ? value : value.toFixed(1)}${units[step] ?? ""}`;
}

function awayText(at: number | undefined, now: number): string | undefined {
  return at === undefined ? undefined : fromNow(at, now);
}

function localOf(at: number | undefined, reader: Clockface): string | undefined {
  return at === undefined ? undefined : localText(at, reader);
}
