import {
  createSchedule,
  type Decision,
  decideSchedule,
  explainReason,
  type Interval,
  occurrenceName,
  resetCheckpoint,
  updateSchedule,
} from "@mesh/concurrency";
import { scheduleFromContainer } from "@mesh/declaration";
import type { RunRecord } from "@mesh/protocol";
import type { Clock } from "../clock.ts";
import { messageOf } from "../engine/engine-error.ts";
import type { InstalledSchedule, Journal, OpenRun } from "../journal/journal.ts";
import { createAlarm } from "./alarm.ts";
import type { ModuleContainer } from "./container-specs.ts";
import { extendDecided } from "./decided.ts";
import type { Log } from "./log.ts";
import { runIdOf } from "./run-names.ts";
import type { Runs } from "./runs.ts";
import type { HostSettings } from "./settings.ts";

/** The installed schedules of this host and the clock that fires them (A2). */
export interface Schedules {
  /** Puts a schedule in place, or its new content; runs nothing (A1). */
  install(container: ModuleContainer): void;
  /** Takes a schedule away and stops its run with grace; nothing to take away is no error. */
  remove(module: string, container: string): Promise<void>;
  /** From here on what is due is fired. */
  start(): void;
}

export interface SchedulesContext {
  readonly journal: Journal;
  readonly runs: Runs;
  readonly clock: Clock;
  readonly settings: HostSettings;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onReport: () => void;
}

/** A step of the wall clock of at least this is looked at; less is drift. */
const STEP_MS = 1000;
/** When a schedule is looked at again that could not be decided. */
const LOOK_AGAIN_MS = 60_000;

export function createSchedules(context: SchedulesContext): Schedules {
  const { journal, runs, clock, signal, log } = context;
  /** When each schedule is to be looked at; `undefined`: not before it is installed anew. */
  const wakes = new Map<string, { module: string; container: string; at: number | undefined }>();
  let started = false;
  let offset = clock.now() - clock.elapsed();

  const look = (): void => {
    const now = clock.now();
    const stepped = Math.abs(now - clock.elapsed() - offset) >= STEP_MS;
    offset = now - clock.elapsed();
    const due = [...wakes.values()].filter(({ at }) => stepped || (at !== undefined && at <= now));
    const begun: OpenRun[] = [];
    if (due.length > 0) {
      journal.transaction(() => {
        for (const wake of due) wake.at = decide(context, wake, now, begun);
      });
      context.onReport();
    }
    for (const run of begun) void runs.carry(run).catch(() => undefined);
    arm();
  };
  const alarm = createAlarm(clock, () => {
    if (signal.aborted) return;
    try {
      look();
    } catch (error) {
      log.error({ reason: messageOf(error) }, "schedules cannot be decided");
      alarm.set(clock.now() + 1000);
    }
  });
  signal.addEventListener("abort", () => alarm.clear());
  const arm = (): void => {
    if (!started || signal.aborted) return;
    let next: number | undefined;
    for (const { at } of wakes.values()) {
      if (at !== undefined && (next === undefined || at < next)) next = at;
    }
    if (next === undefined) alarm.clear();
    else alarm.set(next);
  };
  const watch = ({ module, resource }: InstalledSchedule): void => {
    // Looking once more than needed is free: the decision says when the next occurrence is.
    const wake = { module, container: resource.name, at: clock.now() };
    wakes.set(keyOf(module, resource.name), wake);
    arm();
  };
  return {
    install: (container) => {
      watch(journal.transaction(() => install(context, container)));
    },
    remove: async (module, container) => {
      journal.removeSchedule(module, container);
      wakes.delete(keyOf(module, container));
      arm();
      const scheduled = runs
        .active({ module, container })
        .filter(({ run }) => run.kind === "scheduled");
      await Promise.all(scheduled.map(({ run }) => runs.stop(run.runId, "removed")));
    },
    start: () => {
      started = true;
      for (const schedule of journal.schedules()) watch(schedule);
    },
  };
}

function keyOf(module: string, container: string): string {
  return `${module} ${container}`;
}

function install(context: SchedulesContext, container: ModuleContainer): InstalledSchedule {
  const { journal, clock, settings } = context;
  const { module, resource } = container;
  const now = clock.now();
  const spec = scheduleFromContainer(resource);
  if (spec === undefined) throw new RangeError(`container ${resource.name} has no schedule`);
  const before = journal.schedule(module, resource.name);
  if (before === undefined) {
    const uid = `${settings.node}/${module}/${resource.name}`;
    const fresh = { ...container, state: createSchedule(spec, { uid, now }), decided: [] };
    journal.putSchedule(fresh);
    return fresh;
  }
  const edit = updateSchedule(before.state, spec, { now });
  const edited = { ...before, ...container, state: edit.schedule };
  journal.putSchedule(edited);
  if (edit.passedOver !== undefined && edit.reason !== undefined) {
    addRecord(context, edited, missedRecord(edit.passedOver, explainReason(edit.reason)));
  }
  return edited;
}

/**
 * Decides what is due for one schedule and puts everything that follows into the journal: records,
 * the row of a run that is to begin, the checkpoint (A7). Returns when to look again.
 */
function decide(
  context: SchedulesContext,
  at: { module: string; container: string },
  now: number,
  begun: OpenRun[],
): number | undefined {
  const installed = context.journal.schedule(at.module, at.container);
  if (installed === undefined) return undefined;
  const decision = decisionOrProblem(context, installed, now);
  if (decision === undefined) return now + LOOK_AGAIN_MS;
  const { outcomes, evidence, schedule, wake } = decision;
  for (const outcome of outcomes) {
    if (outcome.outcome === "create") {
      const run = openRun(context, installed, outcome.at);
      context.journal.putRun(run);
      begun.push(run);
    } else if (outcome.outcome === "skip") {
      const skipped = evidence.due.filter((one) => one >= outcome.firstAt && one <= outcome.lastAt);
      for (const one of skipped) {
        addRecord(context, installed, {
          outcome: "skipped",
          occurrenceAt: one,
          reason: explainReason(outcome.reason),
          ...activeRunId(evidence.active),
        });
      }
    } else if (outcome.outcome === "expire") {
      addRecord(context, installed, missedRecord(outcome, explainReason(outcome.reason)));
    }
  }
  if (outcomes.length > 0 || schedule !== installed.state) {
    const decided = extendDecided(installed.decided, decision);
    context.journal.putSchedule({ ...installed, state: schedule, decided });
  }
  return wake.kind === "at" ? wake.at : undefined;
}

/** One schedule that cannot be decided stops no other (D1); it is looked at again later. */
function decisionOrProblem(
  context: SchedulesContext,
  installed: InstalledSchedule,
  now: number,
): Decision | undefined {
  try {
    return decisionOf(context, installed, now);
  } catch (error) {
    const { module, resource } = installed;
    const fields = { module, container: resource.name, reason: messageOf(error) };
    context.log.error(fields, "a schedule cannot be decided");
    return undefined;
  }
}

/**
 * A clock that was ahead must not silence a schedule until that time comes: its base goes back to
 * now, and what was run or skipped already is left out (D9).
 */
function decisionOf(
  context: SchedulesContext,
  installed: InstalledSchedule,
  now: number,
): Decision {
  const { module, resource, state, decided } = installed;
  const active = context.runs
    .active({ module, container: resource.name })
    .map(({ run, stopping }) => ({
      id: run.runId,
      status: stopping ? ("stopping" as const) : statusOf(run),
      ...(run.occurrenceAt === undefined ? {} : { occurrenceAt: run.occurrenceAt }),
    }));
  const decision = decideSchedule(state, active, { now, decided: later(decided, now) });
  if (decision.clockBehind !== true) return decision;
  context.log.warn({ module, container: resource.name }, "the clock stepped back");
  const { schedule } = resetCheckpoint(state, { at: now });
  return decideSchedule(schedule, active, { now, decided });
}

/** Only what lies ahead can come due again; passing all would cost O(history). */
function later(decided: readonly Interval[], now: number): readonly Interval[] {
  return decided.filter(({ lastAt }) => lastAt >= now - 60_000);
}

function statusOf(run: OpenRun): "pending" | "running" {
  return run.phase === "running" ? "running" : "pending";
}

function activeRunId(active: readonly { readonly id: string }[]): { activeRunId?: string } {
  return active[0] === undefined ? {} : { activeRunId: active[0].id };
}

function openRun(
  { settings }: SchedulesContext,
  { module, account, resource, state }: InstalledSchedule,
  occurrenceAt: number,
): OpenRun {
  const runId = runIdOf(settings.node, module, occurrenceName(state.spec.name, occurrenceAt));
  return {
    runId,
    kind: "scheduled",
    module,
    account,
    resource,
    attempt: 1,
    occurrenceAt,
    phase: "starting",
  };
}

function missedRecord(interval: Interval, reason: string): RunRecord {
  const { firstAt, lastAt, count, countIsExact } = interval;
  return { outcome: "missed", firstAt, lastAt, count, countIsExact, reason };
}

function addRecord(
  { journal, clock }: SchedulesContext,
  { module, resource }: InstalledSchedule,
  record: RunRecord,
): void {
  journal.addReport({ kind: "run", at: clock.now(), module, container: resource.name, record });
}
