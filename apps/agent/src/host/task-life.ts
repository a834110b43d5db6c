import type { TaskAssignment, TaskReport } from "@mesh/protocol";
import type { Clock } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import type { HeldTask, Journal } from "../journal/journal.ts";
import { ensureRunning } from "./ensure-running.ts";
import type { Log } from "./log.ts";
import { orAborted } from "./or-aborted.ts";
import {
  failure,
  type RunEnd,
  runEndOf,
  runEndOfError,
  TEXT_LIMIT,
  taskReportOf,
} from "./outcome.ts";
import { persist } from "./persist.ts";
import type { Secrets } from "./secrets.ts";
import type { HostSettings } from "./settings.ts";
import { type TaskSpecContext, taskSpec } from "./task-spec.ts";

/** Why a task is stopped that has not ended. */
export type StopReason = "removed" | "nodeLost" | "agentStops";

/** A task that this agent carries to its end. */
export interface LiveTask {
  readonly taskId: string;
  containerId?: string;
  started: boolean;
  stopReason?: StopReason;
  graceSeconds: number;
  /** Aborts when the task is asked to end: it does not wait for its image any longer. */
  readonly asked: AbortController;
  ended: Promise<void>;
}

export interface TasksContext extends TaskSpecContext {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly settings: HostSettings;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Whether the lease allows work to go on (S4). */
  readonly holdsLease: () => boolean;
  readonly onReport: () => void;
  readonly onFatal: (error: unknown) => void;
}

/** Carries a task to its end and records it; rejects only when the agent ends meanwhile. */
export async function carryToEnd(
  context: TasksContext,
  live: LiveTask,
  assignment: TaskAssignment | undefined,
): Promise<void> {
  const { engine, signal, journal } = context;
  let end: RunEnd;
  try {
    const id = await begin(context, live, assignment);
    const state = await engine.wait(id, signal);
    end = state.phase === "exited" ? runEndOf(state.exit) : failure("unknown", "it did not end");
  } catch (error) {
    signal.throwIfAborted();
    end = runEndOfError(error);
  }
  const output = await outputOf(context, live);
  signal.throwIfAborted();
  const held = journal.task(live.taskId) ?? { taskId: live.taskId, phase: "starting" };
  recordEnd(context, held, reportOf(end, live.stopReason), output);
  context.onReport();
}

/** Creates and starts the container, or goes on with the one that was found. */
async function begin(
  context: TasksContext,
  live: LiveTask,
  assignment: TaskAssignment | undefined,
): Promise<string> {
  const { engine, journal, clock, signal, log } = context;
  if (live.containerId === undefined && assignment !== undefined) {
    const spec = taskSpec(context, assignment);
    log.info({ taskId: live.taskId, job: assignment.jobName }, "task");
    const unwanted = AbortSignal.any([live.asked.signal, signal]);
    await orAborted(engine.ensureImage(spec.image), unwanted).catch((error: unknown) => {
      checkNotStopped(live);
      throw error;
    });
    checkNotStopped(live);
    live.containerId = await engine.create(spec);
    journal.putTask({ taskId: live.taskId, phase: "starting", containerId: live.containerId });
  }
  const id = live.containerId;
  if (id === undefined) throw new EngineError("neverStarted", "nothing is known of the task");
  const state = await ensureRunning(context, id, () => checkNotStopped(live));
  live.started = true;
  const before = journal.task(live.taskId);
  if (before?.phase !== "running") {
    const startedAt = state?.startedAt ?? clock.now();
    journal.transaction(() => {
      journal.putTask({ taskId: live.taskId, phase: "running", containerId: id, startedAt });
      addReport(context, live.taskId, { status: "running", containerId: id });
    });
    context.onReport();
  }
  if (live.stopReason !== undefined) void askToEnd(context, live).catch(() => undefined);
  signal.throwIfAborted();
  return id;
}

function checkNotStopped(live: LiveTask): void {
  if (live.stopReason !== undefined) {
    throw new EngineError("neverStarted", "it was not wanted any more before it started");
  }
}

/** Asks the container to end; before it runs, the start itself looks at the reason. */
export async function askToEnd(context: TasksContext, live: LiveTask): Promise<void> {
  const { engine, clock, signal } = context;
  const id = live.containerId;
  live.asked.abort();
  if (id === undefined || !live.started) return;
  await persist(clock, signal, () => engine.stop(id, live.graceSeconds));
}

/** A container that was stopped is told as that, whatever code its end left behind (J3). */
function reportOf(end: RunEnd, reason: StopReason | undefined): TaskReport {
  if (reason === undefined) return taskReportOf(end);
  if (reason === "removed") return { status: "removed" };
  const message =
    reason === "nodeLost"
      ? "stopped, because the node could not renew its lease"
      : "stopped, because the host stops all its containers";
  return taskReportOf(failure(reason === "nodeLost" ? "nodeLost" : "unknown", message));
}

/** Puts a task's end on record; its container stays until the server knows (A8). */
export function recordEnd(
  context: TasksContext,
  held: HeldTask,
  report: TaskReport,
  output: string | undefined,
): void {
  const { journal } = context;
  journal.transaction(() => {
    const { id } = addReport(context, held.taskId, report, output);
    journal.putTask({ ...held, phase: "ended", endReportId: id });
  });
}

function addReport(
  { journal, clock }: TasksContext,
  taskId: string,
  report: TaskReport,
  output?: string | undefined,
) {
  const at = clock.now();
  return journal.addReport({
    kind: "task",
    at,
    taskId,
    report,
    ...(output === undefined ? {} : { output }),
  });
}

async function outputOf({ engine }: TasksContext, live: LiveTask): Promise<string | undefined> {
  if (live.containerId === undefined) return undefined;
  const text = await engine.outputTail(live.containerId, TEXT_LIMIT).catch(() => "");
  return text === "" ? undefined : text;
}
