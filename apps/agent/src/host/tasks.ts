import type { TaskAssignment, TaskReport } from "@mesh/protocol";
import type { Clock } from "../clock.ts";
import type { ContainerState, Engine } from "../engine/engine.ts";
import { EngineError, isEngineError, messageOf } from "../engine/engine-error.ts";
import { containerName } from "../engine/labels.ts";
import type { HeldTask, Journal } from "../journal/journal.ts";
import type { Log } from "./log.ts";
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

/** The tasks that the server has given to this node. */
export interface Tasks {
  /** Takes what a poll listed; what is not listed any more is stopped and removed. */
  take(assignments: readonly TaskAssignment[], options: { readonly askedAt: number }): void;
  /** Goes on with a task whose container was found after a restart (A7). */
  adopt(taskId: string, containerId: string): void;
  /** Ends a task of the journal whose container is gone. */
  lost(taskId: string): void;
  /** Stops every task's container, because the lease is about to lapse (S4) or all is to end. */
  stopAll(reason: "nodeLost" | "agentStops", graceSeconds: number): Promise<void>;
  /** Removes the containers of tasks whose end the server now knows (A8). */
  afterAcknowledgement(): void;
}

type StopReason = "removed" | "nodeLost" | "agentStops";

interface Live {
  readonly taskId: string;
  containerId?: string;
  started: boolean;
  stopReason?: StopReason;
  graceSeconds: number;
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

export function createTasks(context: TasksContext): Tasks {
  const { journal, engine, clock, signal, settings } = context;
  const lives = new Map<string, Live>();
  /** When each end was acknowledged: only a poll asked after that can tell that it is unlisted. */
  const acknowledgedAt = new Map<string, number>();

  const carry = (taskId: string, work: TaskAssignment | undefined, containerId?: string): void => {
    const live: Live = {
      taskId,
      started: false,
      graceSeconds: settings.stopGraceSeconds,
      ended: Promise.resolve(),
      ...(containerId === undefined ? {} : { containerId }),
    };
    lives.set(taskId, live);
    live.ended = carryToEnd(context, live, work)
      .catch((error: unknown) => {
        if (!signal.aborted) context.onFatal(error);
      })
      .finally(() => lives.delete(taskId));
  };
  const stop = (live: Live, reason: StopReason, graceSeconds: number): Promise<void> => {
    live.stopReason ??= reason;
    live.graceSeconds = Math.min(live.graceSeconds, graceSeconds);
    return askToEnd(context, live);
  };
  const begin = (assignment: TaskAssignment): void => {
    const { taskId } = assignment;
    if (!context.holdsLease()) return;
    journal.putTask({ taskId, phase: "starting" });
    carry(taskId, assignment);
  };
  const drop = (taskId: string, askedAt: number): void => {
    const live = lives.get(taskId);
    if (live !== undefined) {
      void stop(live, "removed", settings.stopGraceSeconds).catch(() => undefined);
      return;
    }
    const held = journal.task(taskId);
    if (held?.phase === "starting") journal.removeTask(taskId);
    if (held?.endAcknowledged !== true) return;
    if ((acknowledgedAt.get(taskId) ?? Number.NEGATIVE_INFINITY) >= askedAt) return;
    journal.removeTask(taskId);
    acknowledgedAt.delete(taskId);
  };
  return {
    take: (assignments, { askedAt }) => {
      const listed = new Set<string>();
      for (const assignment of assignments) {
        const { taskId, desiredStatus } = assignment;
        listed.add(taskId);
        const held = journal.task(taskId);
        const live = lives.get(taskId);
        if (desiredStatus === "running") {
          if (live === undefined && (held === undefined || held.phase === "starting")) {
            begin(assignment);
          }
        } else if (live !== undefined) {
          void stop(live, "removed", settings.stopGraceSeconds).catch(() => undefined);
        } else if (held === undefined || held.phase === "starting") {
          recordEnd(context, { taskId, phase: "starting" }, { status: "removed" }, undefined);
          context.onReport();
        }
      }
      const known = new Set([...lives.keys(), ...journal.tasks().map(({ taskId }) => taskId)]);
      for (const taskId of known) if (!listed.has(taskId)) drop(taskId, askedAt);
    },
    adopt: (taskId, containerId) => carry(taskId, undefined, containerId),
    lost: (taskId) => {
      const held = journal.task(taskId);
      if (held === undefined) return;
      const end = taskReportOf(failure("unknown", "the container is gone"));
      recordEnd(context, held, end, undefined);
      context.onReport();
    },
    stopAll: async (reason, graceSeconds) => {
      const all = [...lives.values()];
      if (all.length > 0) context.log.warn({ reason, tasks: all.length }, "all tasks are stopped");
      await Promise.all(
        all.map(async (live) => {
          await stop(live, reason, graceSeconds);
          await live.ended;
        }),
      );
    },
    afterAcknowledgement: () => {
      for (const task of journal.tasks()) {
        if (task.endAcknowledged !== true || acknowledgedAt.has(task.taskId)) continue;
        acknowledgedAt.set(task.taskId, clock.elapsed());
        context.secrets.remove(task.taskId);
        const owner = { kind: "task", taskId: task.taskId } as const;
        const id = task.containerId ?? containerName(settings.host, owner);
        persist(clock, signal, () => engine.remove(id)).catch((error: unknown) => {
          if (signal.aborted) return;
          context.log.warn({ taskId: task.taskId, reason: messageOf(error) }, "remove failed");
        });
      }
    },
  };
}

async function carryToEnd(
  context: TasksContext,
  live: Live,
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
  live: Live,
  assignment: TaskAssignment | undefined,
): Promise<string> {
  const { engine, journal, clock, signal, log } = context;
  if (live.containerId === undefined && assignment !== undefined) {
    const spec = taskSpec(context, assignment);
    log.info({ taskId: live.taskId, job: assignment.jobName }, "task");
    await engine.ensureImage(spec.image);
    checkNotStopped(live);
    live.containerId = await engine.create(spec);
    journal.putTask({ taskId: live.taskId, phase: "starting", containerId: live.containerId });
  }
  const id = live.containerId;
  if (id === undefined) throw new EngineError("neverStarted", "nothing is known of the task");
  const state = await runningState(context, live, id);
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

async function runningState(
  { engine, clock, signal }: TasksContext,
  live: Live,
  id: string,
): Promise<Exclude<ContainerState, { phase: "created" }> | undefined> {
  const look = () => persist(clock, signal, () => engine.inspect(id));
  const found = await look();
  if (found?.phase !== "created") return found;
  checkNotStopped(live);
  try {
    await engine.start(id);
    return undefined;
  } catch (error) {
    // No answer is no failure yet: the engine may have started it all the same.
    if (!isEngineError(error) || error.code !== "unavailable") throw error;
    const after = await look();
    if (after === undefined || after.phase === "created") throw error;
    return after;
  }
}

function checkNotStopped(live: Live): void {
  if (live.stopReason !== undefined) {
    throw new EngineError("neverStarted", "it was not wanted any more before it started");
  }
}

async function askToEnd(context: TasksContext, live: Live): Promise<void> {
  const { engine, clock, signal } = context;
  const id = live.containerId;
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

function recordEnd(
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

async function outputOf({ engine }: TasksContext, live: Live): Promise<string | undefined> {
  if (live.containerId === undefined) return undefined;
  const text = await engine.outputTail(live.containerId, TEXT_LIMIT).catch(() => "");
  return text === "" ? undefined : text;
}
