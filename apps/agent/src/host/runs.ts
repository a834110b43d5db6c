import type { Clock } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { EngineError, messageOf } from "../engine/engine-error.ts";
import { containerName, type Owner } from "../engine/labels.ts";
import type { Journal, OpenRun } from "../journal/journal.ts";
import type { ContainerSpecs } from "./container-specs.ts";
import { ensureRunning } from "./ensure-running.ts";
import type { Log } from "./log.ts";
import { orAborted } from "./or-aborted.ts";
import { failure, type RunEnd, runEndOf, runEndOfError, TEXT_LIMIT } from "./outcome.ts";
import { persist } from "./persist.ts";
import { recordEnd, startedReport } from "./run-records.ts";
import type { HostSettings } from "./settings.ts";

/** Runs of modules' containers that end by themselves: scheduled ones and run-once steps. */
export interface Runs {
  /**
   * Carries a run, whose row the journal holds, to its end and records it. Resolves with the end
   * once it is on disk; rejects only when the agent stops meanwhile.
   * `containerId` is the container that was found for it, if it was begun before (A7).
   */
  carry(run: OpenRun, containerId?: string): Promise<RunEnd>;
  /** Asks a run to end, with grace. Resolves when its end is recorded. */
  stop(runId: string, reason: StopReason): Promise<void>;
  /** Records the end of a run of which no container is left. */
  close(run: OpenRun, end: RunEnd): void;
  /** What goes on at present, on the whole host or for a module or for one container of it. */
  active(of?: { readonly module: string; readonly container?: string }): readonly ActiveView[];
  /** Resolves when everything that goes on has ended. */
  idle(): Promise<void>;
}

export type StopReason = "removed" | "replaced" | "deadlineExceeded" | "agentStops";

export interface ActiveView {
  readonly run: OpenRun;
  readonly stopping: boolean;
}

/** An occurrence younger than this is on time (A6, D8). */
export const ON_TIME_MS = 60_000;

interface Live {
  run: OpenRun;
  /** Found from an earlier life of the agent. */
  readonly adopted: boolean;
  containerId?: string;
  stopReason?: StopReason;
  /** Aborts when the run is asked to end: it does not wait for its image any longer. */
  readonly asked: AbortController;
  ended: Promise<RunEnd>;
}

const NEVER = new Promise<RunEnd>(() => undefined);

const WHY: Readonly<Record<StopReason, string>> = {
  removed: "stopped, because it is declared no more",
  replaced: "stopped, because its declaration changed",
  deadlineExceeded: "stopped, because it ran longer than this host allows",
  agentStops: "stopped, because the host stops all its containers",
};

export interface RunsContext {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly specs: ContainerSpecs;
  readonly clock: Clock;
  readonly settings: HostSettings;
  readonly log: Log;
  /** Aborts when the agent stops; containers go on. */
  readonly signal: AbortSignal;
  /** Called after something new is to be reported. */
  readonly onReport: () => void;
  /** The journal cannot be written: what happened could not be told any more. */
  readonly onFatal: (error: unknown) => void;
}

export function createRuns(context: RunsContext): Runs {
  const lives = new Map<string, Live>();
  return {
    carry: (run, containerId) => {
      const known = lives.get(run.runId);
      if (known !== undefined) return known.ended;
      const live: Live = {
        run,
        adopted: containerId !== undefined,
        asked: new AbortController(),
        ended: NEVER,
        ...(containerId === undefined ? {} : { containerId }),
      };
      lives.set(run.runId, live);
      live.ended = carryToEnd(context, live).finally(() => lives.delete(run.runId));
      // Nobody may be waiting. It rejects when the agent stops, or when its records fail it.
      live.ended.catch((error: unknown) => {
        if (!context.signal.aborted) context.onFatal(error);
      });
      return live.ended;
    },
    stop: async (runId, reason) => {
      const live = lives.get(runId);
      if (live === undefined) return;
      await askToEnd(context, live, reason);
      await live.ended;
    },
    close: (run, end) => {
      const facts = { finishedAt: context.clock.now(), output: undefined };
      context.journal.transaction(() => recordEnd(context, run, end, facts));
      context.onReport();
    },
    active: (of) =>
      [...lives.values()]
        .filter(({ run }) => of === undefined || run.module === of.module)
        .filter(({ run }) => of?.container === undefined || run.resource.name === of.container)
        .map((live) => ({ run: live.run, stopping: live.stopReason !== undefined })),
    idle: async () => {
      await Promise.allSettled([...lives.values()].map((live) => live.ended));
    },
  };
}

/** The owner that the container of a run is labelled with. */
export function ownerOf(run: OpenRun): Owner {
  const { module, runId, resource } = run;
  const common = { module, container: resource.name, hash: resource.hash, runId };
  if (run.kind === "runOnce") return { kind: "runOnce", ...common, attempt: run.attempt };
  return {
    kind: "scheduled",
    ...common,
    schedule: resource.schedule ?? "",
    occurrenceAt: run.occurrenceAt ?? 0,
  };
}

async function carryToEnd(context: RunsContext, live: Live): Promise<RunEnd> {
  const { engine, clock, signal, journal } = context;
  let end: RunEnd;
  let finishedAt: number | undefined;
  try {
    const id = await begin(context, live);
    const cancel = limitTime(context, live);
    try {
      const state = await engine.wait(id, signal);
      finishedAt = state.phase === "exited" ? state.finishedAt : undefined;
      end = state.phase === "exited" ? runEndOf(state.exit) : failure("unknown", "it did not end");
    } finally {
      cancel();
    }
  } catch (error) {
    signal.throwIfAborted();
    end = runEndOfError(error);
  }
  const output = await outputOf(context, live);
  signal.throwIfAborted();
  const outcome = withStopReason(end, live.stopReason);
  journal.transaction(() =>
    recordEnd(context, live.run, outcome, {
      finishedAt: finishedAt ?? clock.now(),
      output,
    }),
  );
  context.onReport();
  // Where no answer came to its creation, the container goes by its name.
  dispose(context, live.containerId ?? containerName(context.settings.host, ownerOf(live.run)));
  return outcome;
}

/** Creates and starts the container unless it runs already, and records that it does. */
async function begin(context: RunsContext, live: Live): Promise<string> {
  const { engine, journal, specs, clock } = context;
  const { run } = live;
  if (live.containerId === undefined) {
    const { occurrenceAt, runId, attempt } = run;
    const spec = specs.forModule(run, ownerOf(run), {
      runId,
      attempt: 1,
      name: run.resource.name,
      ...(occurrenceAt === undefined ? {} : { scheduledAt: occurrenceAt }),
    });
    context.log.info({ module: run.module, container: run.resource.name, runId, attempt }, "run");
    const unwanted = AbortSignal.any([live.asked.signal, context.signal]);
    await orAborted(engine.ensureImage(spec.image), unwanted).catch((error: unknown) => {
      checkNotStopped(live);
      throw error;
    });
    checkNotStopped(live);
    live.containerId = await engine.create(spec);
  }
  const id = live.containerId;
  const state = await ensureRunning(context, id, () => {
    checkNotStopped(live);
    if (live.adopted) checkNotLate(live.run, clock.now());
  });
  if (run.phase === "starting") {
    const startedAt = state?.startedAt ?? clock.now();
    live.run = { ...run, phase: "running", containerId: id, startedAt };
    journal.transaction(() => {
      journal.putRun(live.run);
      const started = startedReport(live.run, clock.now());
      if (started !== undefined) journal.addReport(started);
    });
    context.onReport();
  }
  if (live.stopReason !== undefined) void askToEnd(context, live, live.stopReason);
  return id;
}

/** A run whose agent died before it could start is not started late (A6). */
function checkNotLate({ occurrenceAt }: OpenRun, now: number): void {
  if (occurrenceAt === undefined || now - occurrenceAt < ON_TIME_MS) return;
  throw new EngineError("neverStarted", "the agent stopped before it could start the container");
}

function checkNotStopped(live: Live): void {
  if (live.stopReason !== undefined) throw new EngineError("neverStarted", WHY[live.stopReason]);
}

async function askToEnd(context: RunsContext, live: Live, reason: StopReason): Promise<void> {
  const { engine, clock, signal, settings } = context;
  live.stopReason ??= reason;
  live.asked.abort();
  const id = live.containerId;
  // Not created or not started yet: `begin` looks at the reason before and after it starts it.
  if (id === undefined || live.run.phase === "starting") return;
  await persist(clock, signal, () => engine.stop(id, settings.stopGraceSeconds));
}

/** The host's own limit, if it has one (A3); counted from the start, however often adopted. */
function limitTime(context: RunsContext, live: Live): () => void {
  const { settings, clock } = context;
  const { kind, startedAt } = live.run;
  if (settings.maxRunSeconds === undefined || kind !== "scheduled" || startedAt === undefined) {
    return () => undefined;
  }
  const limitMs = settings.maxRunSeconds * 1000;
  const ranMs = Math.min(Math.max(0, clock.now() - startedAt), limitMs);
  return clock.after(limitMs - ranMs, () => {
    askToEnd(context, live, "deadlineExceeded").catch((error: unknown) => {
      context.log.warn({ runId: live.run.runId, reason: messageOf(error) }, "stop failed");
    });
  });
}

function withStopReason(end: RunEnd, reason: StopReason | undefined): RunEnd {
  if (reason === undefined || end.kind !== "code") return end;
  if (reason !== "deadlineExceeded") return { ...end, message: WHY[reason] };
  return { ...failure("deadlineExceeded", WHY[reason]), exitCode: end.exitCode };
}

async function outputOf({ engine }: RunsContext, live: Live): Promise<string | undefined> {
  if (live.containerId === undefined) return undefined;
  const text = await engine.outputTail(live.containerId, TEXT_LIMIT).catch(() => "");
  return text === "" ? undefined : text;
}

/** Removes the container in the end; what it left is on record already. */
function dispose(context: RunsContext, id: string): void {
  const { clock, signal, engine, log } = context;
  persist(clock, signal, () => engine.remove(id)).catch((error: unknown) => {
    if (!signal.aborted) log.warn({ containerId: id, reason: messageOf(error) }, "remove failed");
  });
}
