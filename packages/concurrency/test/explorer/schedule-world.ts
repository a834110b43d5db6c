import { activeRun, createJob, type JobPolicy, type JobState, transitionJob } from "@mesh/jobs";
import {
  createSchedule,
  type Decision,
  decideSchedule,
  replayDecision,
  resumeSchedule,
  type ScheduleEdit,
  type ScheduleSpec,
  type ScheduleState,
  suspendSchedule,
  triggerName,
  updateSchedule,
} from "../../src/index.ts";
import { allOccurrences } from "../ledger.ts";
import { checkCovered, checkLaws, checkWake, demand, TRIGGERED } from "./laws.ts";

/** The explorer's clock has minutes 0 to 3: three occurrences after the creation at 0. */
export const MINUTES = 3;
const MINUTE = 60_000;

/** A run that the store still holds as live; an ended one leaves only its ledger row. */
interface Run {
  readonly id: string;
  readonly occurrenceAt?: number;
  readonly job: JobState<JobPolicy>;
}

/** What the store holds of one schedule, and nothing that a crash could lose. */
export interface Local {
  readonly schedule: ScheduleState;
  readonly deleted: boolean;
  readonly edited: boolean;
  readonly triggered: boolean;
  /** `now` is due at once; otherwise as the last decision left it. */
  readonly wake: "now" | "runEnd" | "edit" | number;
  /** The ledger: what became of the occurrence of each minute, if it is final. */
  readonly rows: readonly string[];
  readonly runs: readonly Run[];
}

/** A step of one schedule's store; `raised` when it raises the version that decisions check. */
export interface Move {
  readonly name: string;
  readonly to: Local;
  readonly raised: boolean;
  /** How much of the budget for disturbances it takes. */
  readonly cost: number;
}

export function firstLocal(spec: Omit<ScheduleSpec, "name" | "schedule">): Local {
  const schedule = createSchedule(
    { name: "s", schedule: "* * * * *", ...spec },
    { uid: "s", now: 0 },
  );
  const rows = Array.from({ length: MINUTES }, () => "");
  const flags = { deleted: false, edited: false, triggered: false };
  return { schedule, ...flags, wake: "now", rows, runs: [] };
}

/** Everything that tells two stores apart; instants inside Jobs and edit counts do not matter. */
export function keyOf({ schedule, deleted, edited, triggered, wake, rows, runs }: Local): string {
  const { lastScheduleAt, effectiveFrom, heldAt, spec } = schedule;
  const jobs = runs.map(({ id, job }) => {
    const task = job.tasks.at(-1);
    return `${id}${job.job.status[0]}${job.job.deletedAt === undefined ? "" : "d"}${task?.nodeId}`;
  });
  const flags = [deleted, edited, triggered, spec.suspended].map(Number).join("");
  const instants = [lastScheduleAt, effectiveFrom, heldAt].join();
  return `${instants}|${flags}|${wake}|${rows.join()}|${jobs.join()}`;
}

export function decide(local: Local, minute: number): Decision {
  const active = local.runs.flatMap(({ job, occurrenceAt }) => {
    const run = activeRun(job, { occurrenceAt });
    return run === undefined ? [] : [run];
  });
  const decision = decideSchedule(local.schedule, active, { now: minute * MINUTE });
  demand(JSON.stringify(replayDecision(decision.evidence)) === JSON.stringify(decision), () => [
    "a replay differs",
    decision,
  ]);
  return decision;
}

/** One transaction: state, wake, ledger rows, runs with their tasks, stop requests (S2). */
export function commit(local: Local, decision: Decision): Local {
  const { evidence, outcomes, stopRunIds, schedule } = decision;
  checkLaws(local, decision);
  const rows = [...local.rows];
  const runs: Run[] = [...local.runs];
  const record = (at: number, outcome: string): void => {
    demand(rows[at / MINUTE - 1] === "", () => ["an occurrence is decided twice", decision]);
    rows[at / MINUTE - 1] = outcome;
  };
  for (const o of outcomes) {
    if (o.outcome === "create") {
      record(o.at, "create");
      const { state } = createJob<JobPolicy>(
        { name: o.runName },
        { jobId: `r${o.at / MINUTE}`, namespace: "n", now: evidence.now },
      );
      runs.push({ id: state.job.id, occurrenceAt: o.at, job: state });
    } else if (o.outcome !== "hold") {
      for (const at of allOccurrences(local.schedule, o.firstAt - 1, o.lastAt)) {
        record(at, o.outcome);
      }
    }
  }
  // The wake is written before the stop requests, so that an end within them is not lost.
  let next: Local = { ...local, schedule, rows, runs, wake: wakeOf(decision) };
  const type =
    schedule.spec.concurrencyPolicy === "Replace" ? "deleteRequested" : "cancelRequested";
  for (const id of stopRunIds) next = happenToRun(next, id, { type }, evidence.now).to;
  checkCovered(local, next);
  return next;
}

function wakeOf({ wake, evidence }: Decision): Local["wake"] {
  if (wake.kind !== "at") return wake.kind;
  return wake.at <= evidence.now ? "now" : wake.at;
}

/** All that can happen to one schedule's store at a minute, but for a node's loss. */
export function moves(local: Local, minute: number): readonly Move[] {
  if (!local.deleted) checkWake(local, decide(local, minute));
  const now = minute * MINUTE;
  const found: Move[] = [];
  for (const { id, job } of local.runs) {
    if (job.tasks.at(-1)?.actualStatus === "pending") {
      for (const nodeId of ["a", "b"]) found.push(start(local, id, nodeId, now));
    } else {
      const exit = { type: "taskReported", status: "stopped", exitCode: 0 } as const;
      const { to } = happenToRun(local, id, exit, now);
      found.push({ name: `exit ${id}`, to, raised: true, cost: 0 });
    }
  }
  if (local.deleted) return found;
  const { schedule } = local;
  const edit = (name: string, change: ScheduleEdit, more: Partial<Local> = {}): void => {
    if (change.schedule === schedule) return;
    const rows = passOver(local, change, name);
    const to: Local = { ...local, ...more, schedule: change.schedule, rows, wake: "now" };
    checkCovered(local, to);
    // Resuming is part of the disturbance that suspending was.
    found.push({ name, to, raised: true, cost: schedule.spec.suspended ? 0 : 1 });
  };
  edit("suspend", suspendSchedule(schedule, { now }));
  edit("resume", resumeSchedule(schedule, { now }));
  edit("resume and catch up", resumeSchedule(schedule, { now, catchUp: true }));
  if (!local.edited) {
    const spec = { ...schedule.spec, schedule: "*/2 * * * *" };
    edit("edit", updateSchedule(schedule, spec, { now }), { edited: true });
  }
  if (!local.triggered) {
    const { state } = createJob<JobPolicy>(
      { name: triggerName("s", "x") },
      { jobId: TRIGGERED, namespace: "n", now },
    );
    const to = { ...local, triggered: true, runs: [...local.runs, { id: TRIGGERED, job: state }] };
    found.push({ name: "trigger", to, raised: true, cost: 1 });
  }
  found.push({ name: "delete", to: { ...local, deleted: true }, raised: true, cost: 1 });
  return found;
}

/** The node's lease lapses: its containers were stopped before, their tasks are `nodeLost` (S4). */
export function loseNode(local: Local, nodeId: string, minute: number): Move {
  let next = local;
  for (const { id, job } of local.runs) {
    if (job.tasks.at(-1)?.nodeId !== nodeId) continue;
    const lost = { type: "taskReported", status: "failed", reason: "nodeLost" } as const;
    next = happenToRun(next, id, lost, minute * MINUTE).to;
  }
  return { name: `lose ${nodeId}`, to: next, raised: next !== local, cost: 1 };
}

/** The same store with other names for the nodes. */
export function renameNodes(local: Local, names: Readonly<Record<string, string>>): Local {
  const runs = local.runs.map((run) => {
    const tasks = run.job.tasks.map((task) =>
      task.nodeId === undefined ? task : { ...task, nodeId: names[task.nodeId] ?? "" },
    );
    return { ...run, job: { ...run.job, tasks } };
  });
  return { ...local, runs };
}

function start(local: Local, id: string, nodeId: string, now: number): Move {
  const assigned = happenToRun(local, id, { type: "taskAssigned", nodeId }, now).to;
  const report = { type: "taskReported", status: "running" } as const;
  const { to } = happenToRun(assigned, id, report, now);
  return { name: `start ${id} on ${nodeId}`, to, raised: false, cost: 0 };
}

type RunEvent =
  | { readonly type: "cancelRequested" | "deleteRequested" }
  | { readonly type: "taskAssigned"; readonly nodeId: string }
  | { readonly type: "taskReported"; readonly status: "running" }
  | { readonly type: "taskReported"; readonly status: "stopped"; readonly exitCode: 0 }
  | { readonly type: "taskReported"; readonly status: "failed"; readonly reason: "nodeLost" };

/** An event reaches a run; its end wakes what waits for it. A repeated or late one is tried too. */
function happenToRun(local: Local, id: string, event: RunEvent, at: number): { to: Local } {
  const runs = local.runs.flatMap((run): readonly Run[] => {
    if (run.id !== id) return [run];
    const task = { taskId: run.job.tasks.at(-1)?.id ?? "" };
    const job = transitionJob(run.job, { ...task, ...event, at }).state;
    if (job === undefined || activeRun(job) === undefined) {
      checkLateReports(job, task, at);
      return [];
    }
    const twice = transitionJob(job, { ...task, ...event, at });
    demand(JSON.stringify(twice.state) === JSON.stringify(job), () => [
      "a duplicate counts",
      event,
    ]);
    return [{ ...run, job }];
  });
  const ended = runs.length < local.runs.length;
  const to =
    ended && local.wake === "runEnd"
      ? { ...local, runs, wake: "now" as const }
      : { ...local, runs };
  return { to };
}

/** Whatever a node still says of a run that has ended changes nothing. */
function checkLateReports(
  job: JobState<JobPolicy> | undefined,
  task: { readonly taskId: string },
  at: number,
): void {
  if (job === undefined) return;
  for (const late of [
    { status: "running" },
    { status: "stopped", exitCode: 0 },
    { status: "failed", exitCode: 9 },
    { status: "removed" },
  ] as const) {
    const { state } = transitionJob(job, { type: "taskReported", ...task, ...late, at });
    demand(JSON.stringify(state) === JSON.stringify(job), () => ["a late report counts", late]);
  }
}

function passOver(local: Local, { passedOver }: ScheduleEdit, name: string): readonly string[] {
  const rows = [...local.rows];
  if (passedOver === undefined) return rows;
  const { firstAt, lastAt, count, countIsExact } = passedOver;
  const over = allOccurrences(local.schedule, firstAt - 1, lastAt);
  demand(countIsExact ? over.length === count : over.length > count, () => [
    "a count is wrong",
    passedOver,
  ]);
  for (const at of over) {
    demand(rows[at / MINUTE - 1] === "", () => ["passed over twice", passedOver]);
    rows[at / MINUTE - 1] = name;
  }
  return rows;
}
