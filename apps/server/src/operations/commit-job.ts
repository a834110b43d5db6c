import { parseScheduleState, type ScheduleSpec, scheduleOfRun } from "@mesh/concurrency";
import {
  activeRun,
  isTerminalTask,
  type JobEvent,
  type JobState,
  type Transition,
  transitionJob,
} from "@mesh/jobs";
import { type StoredJob, unreadable } from "../store/job-rows.ts";
import { endedBeyond, loadJob } from "../store/jobs.ts";
import { raiseRevision } from "../store/nodes.ts";
import { insertEvents } from "../store/records.ts";
import { deleteJobRecord, saveJob, type TaskNote } from "../store/save-job.ts";
import { loadSchedules, nameReleased, runEnded } from "../store/schedules.ts";
import type { Tx } from "../store/store.ts";
import { releaseClaims } from "../store/volumes.ts";
import { jobEvents } from "../words/job-events.ts";

/** What one event did to a Job, as stored. */
export interface Applied {
  readonly outcome: Transition["outcome"];
  /** Absent once the record is gone. */
  readonly state?: JobState;
  /** When the Job wants `timeReached` next. */
  readonly wakeAt?: number;
}

/**
 * Puts an event to a Job and commits what it comes to: state, tasks, events, the nodes that must
 * hear of it, and the schedule whose run it is (S2). An ignored event writes nothing (J5).
 */
export async function applyJobEvent(
  tx: Tx,
  job: StoredJob,
  event: JobEvent,
  note?: TaskNote | undefined,
): Promise<Applied> {
  const transition = transitionJob(job.state, event);
  if (transition.outcome === "advanced") await commit(tx, job, { transition, event, note });
  const { outcome, state, wake } = transition;
  return {
    outcome,
    ...(state === undefined ? {} : { state }),
    ...(wake === undefined ? {} : { wakeAt: wake.at }),
  };
}

async function commit(
  tx: Tx,
  before: StoredJob,
  done: { transition: Transition; event: JobEvent; note: TaskNote | undefined },
): Promise<void> {
  const { transition, event, note } = done;
  const after = transition.state;
  const events = jobEvents(before.state, after, { message: note?.message });
  if (after === undefined) {
    // The last effects of a deleted Job, done where its record goes (J9).
    await releaseClaims(tx, before.state.job.id);
    await deleteJobRecord(tx, before);
  } else {
    await saveJob(tx, before, { state: after, wakeAt: transition.wake?.at }, note);
    if (transition.wake !== undefined) tx.touch("jobs");
  }
  await insertEvents(tx, event.at, events);
  await tellNodes(tx, before.state, after);
  await tellSchedule(tx, before, { after, now: event.at });
}

/** Nodes whose tasks changed look anew; room that became free, or a new task, is for placement. */
async function tellNodes(tx: Tx, before: JobState, after: JobState | undefined): Promise<void> {
  const nodes = new Set<string>();
  const known = new Map(before.tasks.map((task) => [task.id, task]));
  for (const task of after?.tasks ?? before.tasks) {
    const old = known.get(task.id);
    if (task.nodeId === undefined || (after !== undefined && !isNews(old, task))) continue;
    nodes.add(task.nodeId);
  }
  for (const node of nodes) await raiseRevision(tx, node);
  const roomIsFreed = liveNode(before) !== undefined && liveNode(after) === undefined;
  if (roomIsFreed || after?.tasks.at(-1)?.actualStatus === "pending") tx.touch("placement");
}

/** Whether the node should hear: the task became its, is to go, or has ended. */
function isNews(
  old: JobState["tasks"][number] | undefined,
  task: JobState["tasks"][number],
): boolean {
  return (
    old === undefined ||
    old.nodeId !== task.nodeId ||
    old.desiredStatus !== task.desiredStatus ||
    isTerminalTask(old.actualStatus) !== isTerminalTask(task.actualStatus)
  );
}

function liveNode(state: JobState | undefined): string | undefined {
  const task = state?.tasks.at(-1);
  return task === undefined || isTerminalTask(task.actualStatus) ? undefined : task.nodeId;
}

/**
 * A run that is over, or stops, matters to its schedule (S2); a name that is free again matters
 * to the schedule that wanted it (D10); and ended runs beyond the schedule's limit go (D1).
 */
async function tellSchedule(
  tx: Tx,
  before: StoredJob,
  { after, now }: { after: JobState | undefined; now: number },
): Promise<void> {
  const was = activeRun(before.state)?.status;
  const is = after === undefined ? undefined : activeRun(after)?.status;
  const endsNow = was !== is && (is === undefined || is === "stopping");
  const { origin } = before;
  if (origin !== undefined && endsNow) await runEnded(tx, origin.scheduleUid, now);
  const { namespace, spec } = before.state.job;
  const scheduleName = scheduleOfRun(spec.name);
  if (scheduleName !== undefined && endsNow && (was === "pending" || was === "running")) {
    const exceptUid = origin?.scheduleUid;
    await nameReleased(tx, { namespace, scheduleName, exceptUid, now });
  }
  if (origin !== undefined && is === undefined) await keepHistory(tx, origin.scheduleUid, now);
}

/** Deletes ended runs beyond what the schedule's spec keeps; without limits all stay. */
async function keepHistory(tx: Tx, scheduleUid: string, now: number): Promise<void> {
  const [row] = await loadSchedules(tx.db, [scheduleUid]);
  // Most schedules set no limit, and each of their reports is spared the reading of one.
  if (row === undefined || !row.scheduleJson.includes("HistoryLimit")) return;
  const spec = readSpec(row.scheduleJson);
  const limits = [
    { statuses: ["succeeded"], keep: spec?.successfulJobsHistoryLimit },
    { statuses: ["failed", "cancelled"], keep: spec?.failedJobsHistoryLimit },
  ];
  for (const { statuses, keep } of limits) {
    if (keep === undefined) continue;
    for (const id of await endedBeyond(tx.db, { scheduleUid, statuses, keep })) {
      const job = await loadJob(tx.db, id).catch(unreadable);
      if (job !== undefined && job !== "unreadable")
        await applyJobEvent(tx, job, { type: "deleteRequested", at: now });
    }
  }
}

/** A schedule that cannot be read keeps its history, and stops no report of its runs (D1). */
function readSpec(scheduleJson: string): ScheduleSpec | undefined {
  try {
    return parseScheduleState(JSON.parse(scheduleJson)).spec;
  } catch {
    return undefined;
  }
}
