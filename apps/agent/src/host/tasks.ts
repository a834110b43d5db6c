import type { TaskAssignment } from "@mesh/protocol";
import { messageOf } from "../engine/engine-error.ts";
import { containerName } from "../engine/labels.ts";
import { failure, taskReportOf } from "./outcome.ts";
import { persist } from "./persist.ts";
import {
  askToEnd,
  carryToEnd,
  type LiveTask,
  recordEnd,
  type StopReason,
  type TasksContext,
} from "./task-life.ts";

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

export function createTasks(context: TasksContext): Tasks {
  const { journal } = context;
  const lives = createLives(context);
  const acknowledged = createAcknowledged(context);
  const begin = (assignment: TaskAssignment): void => {
    const { taskId } = assignment;
    if (!context.holdsLease()) return;
    journal.putTask({ taskId, phase: "starting" });
    lives.carry(taskId, assignment);
  };
  /** Brings one listed task to what is desired of it. */
  const takeOne = (assignment: TaskAssignment): void => {
    const { taskId, desiredStatus } = assignment;
    const held = journal.task(taskId);
    const fresh = held === undefined || held.phase === "starting";
    if (lives.has(taskId)) {
      if (desiredStatus === "removed") lives.stop(taskId, "removed");
    } else if (fresh && desiredStatus === "running") {
      begin(assignment);
    } else if (fresh) {
      recordEnd(context, { taskId, phase: "starting" }, { status: "removed" }, undefined);
      context.onReport();
    }
  };
  /** A task that is listed no more is stopped, and forgotten once the server knows its end. */
  const drop = (taskId: string, askedAt: number): void => {
    lives.stop(taskId, "removed");
    if (lives.has(taskId)) return;
    if (journal.task(taskId)?.phase === "starting") {
      journal.removeTask(taskId);
      context.secrets.remove(taskId);
    }
    acknowledged.forget(taskId, askedAt);
  };
  return {
    take: (assignments, { askedAt }) => {
      for (const assignment of assignments) takeOne(assignment);
      const listed = new Set(assignments.map(({ taskId }) => taskId));
      const known = new Set([...lives.ids(), ...journal.tasks().map(({ taskId }) => taskId)]);
      for (const taskId of known) if (!listed.has(taskId)) drop(taskId, askedAt);
    },
    adopt: (taskId, containerId) => lives.carry(taskId, undefined, containerId),
    lost: (taskId) => {
      const held = journal.task(taskId);
      if (held === undefined) return;
      const end = taskReportOf(failure("unknown", "the container is gone"));
      recordEnd(context, held, end, undefined);
      context.onReport();
    },
    stopAll: lives.stopAll,
    afterAcknowledgement: acknowledged.removeContainers,
  };
}

/** The tasks that have not ended. */
function createLives(context: TasksContext) {
  const { settings, signal, log } = context;
  const lives = new Map<string, LiveTask>();
  const stop = (live: LiveTask, reason: StopReason, graceSeconds: number): Promise<void> => {
    live.stopReason ??= reason;
    live.graceSeconds = Math.min(live.graceSeconds, graceSeconds);
    return askToEnd(context, live);
  };
  return {
    has: (taskId: string) => lives.has(taskId),
    ids: () => lives.keys(),
    carry: (taskId: string, work: TaskAssignment | undefined, containerId?: string): void => {
      const live: LiveTask = {
        taskId,
        started: false,
        asked: new AbortController(),
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
    },
    stop: (taskId: string, reason: StopReason): void => {
      const live = lives.get(taskId);
      if (live === undefined) return;
      void stop(live, reason, settings.stopGraceSeconds).catch(() => undefined);
    },
    stopAll: async (reason: StopReason, graceSeconds: number): Promise<void> => {
      const all = [...lives.values()];
      if (all.length > 0) log.warn({ reason, tasks: all.length }, "all tasks are stopped");
      await Promise.all(
        all.map(async (live) => {
          await stop(live, reason, graceSeconds);
          await live.ended;
        }),
      );
    },
  };
}

/** The tasks whose end the server knows. */
function createAcknowledged({
  journal,
  engine,
  clock,
  signal,
  settings,
  secrets,
  log,
}: TasksContext) {
  /** When each end was acknowledged: only a poll asked after that can tell that it is unlisted. */
  const at = new Map<string, number>();
  return {
    /** Removes what their tasks left on this host, each once. */
    removeContainers: (): void => {
      for (const { taskId, containerId, endAcknowledged } of journal.tasks()) {
        if (endAcknowledged !== true || at.has(taskId)) continue;
        at.set(taskId, clock.elapsed());
        secrets.remove(taskId);
        const id = containerId ?? containerName(settings.host, { kind: "task", taskId });
        persist(clock, signal, () => engine.remove(id)).catch((error: unknown) => {
          if (!signal.aborted) log.warn({ taskId, reason: messageOf(error) }, "remove failed");
        });
      }
    },
    forget: (taskId: string, askedAt: number): void => {
      if (journal.task(taskId)?.endAcknowledged !== true) return;
      if ((at.get(taskId) ?? Number.NEGATIVE_INFINITY) >= askedAt) return;
      journal.removeTask(taskId);
      at.delete(taskId);
    },
  };
}
