import { containerKind } from "@mesh/declaration";
import type { Clock } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { isEngineError, messageOf } from "../engine/engine-error.ts";
import { hostLabels, type Owner, readLabels } from "../engine/labels.ts";
import type { Journal, OpenRun } from "../journal/journal.ts";
import type { Log } from "./log.ts";
import { failure } from "./outcome.ts";
import { persist } from "./persist.ts";
import { ON_TIME_MS, type Runs } from "./runs.ts";
import type { Secrets } from "./secrets.ts";
import type { HostSettings } from "./settings.ts";
import type { Tasks } from "./tasks.ts";

export interface RecoverContext {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly settings: HostSettings;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly runs: Runs;
  readonly tasks: Tasks;
  readonly secrets: Secrets;
}

interface Found {
  readonly id: string;
  readonly owner: Owner;
}

/**
 * Puts journal and engine together after a start (A7): each container of this host is adopted,
 * reported and removed, or stopped as an orphan, before anything new begins.
 */
export async function recover(context: RecoverContext): Promise<void> {
  const { engine, journal, clock, settings, signal, log } = context;
  const labels = hostLabels(settings.host);
  const listed = await persist(clock, signal, () => engine.list(labels));
  const found = listed.flatMap(({ id, labels: all }): Found[] => {
    const owner = readLabels(settings.host, all);
    return owner === undefined ? [] : [{ id, owner }];
  });
  const runs = journal.runs();
  const orphans: Found[] = [];
  for (const one of found) {
    if (!isKnown(context, runs, one.owner)) orphans.push(one);
  }
  await Promise.all(orphans.map((orphan) => removeOrphan(context, orphan)));
  for (const run of runs) recoverRun(context, run, found);
  await recoverTasks(context, found);
  log.info({ containers: found.length, orphans: orphans.length }, "recovered");
}

function isKnown({ journal }: RecoverContext, runs: readonly OpenRun[], owner: Owner): boolean {
  switch (owner.kind) {
    case "task":
      // A task without a record is judged by the server: its next poll lists it, or it goes.
      return true;
    case "service":
      return (
        journal.applied(owner.module).some(({ key }) => key === `container:${owner.container}`) ||
        isDeclared(journal, owner)
      );
    default:
      return runs.some((run) => isOf(run, owner));
  }
}

function isDeclared(journal: Journal, owner: { module: string; container: string }): boolean {
  const module = journal.declaration()?.modules.find((one) => one.module === owner.module);
  const found = module?.resources.find(
    (one) => one.type === "container" && one.name === owner.container,
  );
  return found?.type === "container" && containerKind(found) === "service";
}

function isOf(run: OpenRun, owner: Owner): boolean {
  if (owner.kind !== run.kind || owner.runId !== run.runId) return false;
  return owner.kind !== "runOnce" || owner.attempt === run.attempt;
}

async function removeOrphan(context: RecoverContext, { id, owner }: Found): Promise<void> {
  const { engine, clock, signal, settings, log } = context;
  log.warn({ containerId: id, owner }, "an orphan is stopped");
  const end = async (): Promise<void> => {
    await engine.stop(id, settings.stopGraceSeconds);
    await engine.remove(id);
  };
  await persist(clock, signal, async () => {
    try {
      await end();
    } catch (error) {
      if (!isEngineError(error) || error.code !== "refused") throw error;
      // One that the engine cannot end must not hold up the whole host: it is tried on and on.
      log.error({ containerId: id, reason: messageOf(error) }, "an orphan cannot be stopped");
      void persist(clock, signal, end).catch(() => undefined);
    }
  });
}

function recoverRun(context: RecoverContext, run: OpenRun, found: readonly Found[]): void {
  const { runs, journal, clock } = context;
  const container = found.find(({ owner }) => isOf(run, owner));
  const onTime = clock.now() - (run.occurrenceAt ?? 0) < ON_TIME_MS;
  if (container !== undefined) {
    void runs.carry(run, container.id).catch(() => undefined);
  } else if (run.phase === "running") {
    runs.close(run, failure("unknown", "the container is gone"));
  } else if (run.kind === "runOnce") {
    // Nothing of it has happened: the apply begins it anew.
    journal.removeRun(run.runId);
  } else if (onTime) {
    void runs.carry(run).catch(() => undefined);
  } else {
    runs.close(run, failure("neverStarted", "the agent stopped before it could start it"));
  }
}

async function recoverTasks(context: RecoverContext, found: readonly Found[]): Promise<void> {
  const { engine, clock, signal, journal, tasks, log } = context;
  const seen = new Set<string>();
  for (const { id, owner } of found) {
    if (owner.kind !== "task") continue;
    seen.add(owner.taskId);
    const held = journal.task(owner.taskId);
    if (held?.phase === "ended") continue;
    const state = await persist(clock, signal, () => engine.inspect(id));
    if (state === undefined || state.phase === "created") {
      // It has not run: the server lists it again, with what it needs to be started.
      await persist(clock, signal, () => engine.remove(id)).catch((error: unknown) =>
        log.warn({ containerId: id, reason: messageOf(error) }, "remove failed"),
      );
      if (held !== undefined) journal.putTask({ taskId: owner.taskId, phase: "starting" });
      continue;
    }
    if (held === undefined) journal.putTask({ taskId: owner.taskId, phase: "starting" });
    tasks.adopt(owner.taskId, id);
  }
  for (const { taskId, phase } of journal.tasks()) {
    if (phase === "running" && !seen.has(taskId)) tasks.lost(taskId);
  }
  context.secrets.retain(journal.tasks().map(({ taskId }) => taskId));
}
