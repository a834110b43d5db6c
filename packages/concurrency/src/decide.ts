import { type ActiveRun, type DecideOptions, type Evidence, gatherEvidence } from "./evidence.ts";
import type { Instant } from "./instant.ts";
import { checkEvidence } from "./invariants.ts";
import { occurrenceName } from "./names.ts";
import type { ScheduleState } from "./schedule-state.ts";
import type { Interval } from "./window.ts";

/** What becomes of one occurrence, or of a row of them in order: exactly one of these (D9). */
export type Outcome =
  | {
      readonly outcome: "create";
      readonly at: Instant;
      readonly runName: string;
      readonly reason: "due";
    }
  | (Interval & { readonly outcome: "skip"; readonly reason: "activeRun" | "olderStarted" })
  | (Interval & {
      readonly outcome: "hold";
      readonly reason: "activeRun" | "queued" | "nameTaken" | "afterHeld";
    })
  | (Interval & { readonly outcome: "supersede"; readonly reason: "newerDue" })
  | (Interval & {
      readonly outcome: "expire";
      readonly reason: "missed" | "deadline" | "suspended" | "edited";
    });

/** Every reason that an outcome can have. */
export type OutcomeReason = Outcome["reason"];

/** When to decide again: at an instant, when a run ends, or only after an edit (D9). */
export type Wake =
  | { readonly kind: "at"; readonly at: Instant }
  | { readonly kind: "runEnd" }
  | { readonly kind: "edit" };

/** A whole decision, to be committed at once: ledger rows, runs, stop requests, state and wake. */
export interface Decision {
  readonly v: 1;
  /** Oldest first; `hold` is the only one that is not final. */
  readonly outcomes: readonly Outcome[];
  /** Runs that are asked to stop, as `stopRequest` says. */
  readonly stopRunIds: readonly string[];
  readonly schedule: ScheduleState;
  readonly wake: Wake;
  /** The base lies in the future: the clock stepped back, or had been ahead. */
  readonly clockBehind?: true;
  readonly evidence: Evidence;
}

/**
 * What happens now to every due occurrence of a schedule (D2 to D10).
 * `active` holds the schedule's runs of any origin that are pending, running or stopping.
 * Nothing is changed: commit the decision, or drop it and decide again.
 * Cost: a few look-ups in zone data and O(due), at most `missedScheduleLimit` of them.
 * Throws `TypeError`, `RangeError` on wrong arguments, `ScheduleStateError` on a state that breaks
 * an invariant, `CronSyntaxError` or `TimeZoneError` on a state that was never admitted.
 *
 * @example
 * const { outcomes, schedule, wake } = decideSchedule(state, [], { now });
 */
export function decideSchedule(
  state: ScheduleState,
  active: readonly ActiveRun[],
  options: DecideOptions,
): Decision {
  return replayDecision(gatherEvidence(state, active, options));
}

/**
 * The decision that this evidence leads to, recomputed from its facts alone: no zone data (D9a).
 * The same `rules` version gives the same decision, for ever.
 * Throws a `ScheduleStateError` where the facts contradict one another.
 */
export function replayDecision(evidence: Evidence): Decision {
  checkEvidence(evidence);
  const { schedule, now, baseAt } = evidence;
  const outcomes: Outcome[] = [];
  judgePassedOver(evidence, outcomes);
  const stopRunIds = judgeDue(evidence, outcomes);
  const firstHeld = outcomes.findIndex(({ outcome }) => outcome === "hold");
  const decision = {
    v: 1,
    outcomes,
    stopRunIds,
    schedule: advance(schedule, outcomes, firstHeld),
    wake: wakeAfter(evidence, outcomes[firstHeld]?.reason),
    evidence,
  } as const;
  return baseAt > now && !schedule.spec.suspended ? { ...decision, clockBehind: true } : decision;
}

/**
 * How the runs in `stopRunIds` are asked to stop, as the type of a Job's event: `Replace` deletes
 * them (D6), `Supersede` cancels them, so that they stay on record (D7).
 */
export function stopRequest({ schedule }: Decision): "deleteRequested" | "cancelRequested" {
  return schedule.spec.concurrencyPolicy === "Supersede" ? "cancelRequested" : "deleteRequested";
}

/** Each policy in one place: what it counts as active, and what it does with the due list. */
function judgeDue(evidence: Evidence, outcomes: Outcome[]): readonly string[] {
  const { active, due, schedule } = evidence;
  const oldest = due[0];
  if (oldest === undefined) return [];
  const isFree = active.length === 0;
  // The seed's three policies do not count a run that is stopping (D3).
  const started = isFree ? active : active.filter(({ status }) => status !== "stopping");
  const policy = schedule.spec.concurrencyPolicy ?? "Allow";
  switch (policy) {
    case "Allow":
      create(evidence, due.length, outcomes);
      return [];
    case "Forbid":
      if (started.length === 0) create(evidence, due.length, outcomes);
      else put(outcomes, "hold", "activeRun", due);
      return [];
    case "Replace":
      create(evidence, due.length, outcomes);
      // Removal goes with creation: where a taken name leaves nothing to create, nothing stops.
      return isNameTaken(evidence, oldest) ? [] : started.map(({ id }) => id);
    case "Skip":
      if (!isFree) put(outcomes, "skip", "activeRun", due);
      else if (create(evidence, 1, outcomes)) put(outcomes, "skip", "olderStarted", due.slice(1));
      return [];
    case "Queue":
      if (!isFree) put(outcomes, "hold", "activeRun", due.slice(0, 1));
      if (!isFree || create(evidence, 1, outcomes)) {
        put(outcomes, "hold", "queued", due.slice(1));
      }
      return [];
    case "Supersede":
      // A run is not stopped for one that could not start anyway.
      if (isFree || isNameTaken(evidence, oldest)) {
        create(evidence, 1, outcomes);
        return [];
      }
      put(outcomes, "hold", "activeRun", due);
      return started.map(({ id }) => id);
  }
}

/**
 * Creates the runs of the first `count` due occurrences, up to a name that is taken: that one is
 * held and everything after it too, so that the checkpoint never passes an undecided occurrence
 * (D9, D10). Whether all of them were created.
 */
function create(evidence: Evidence, count: number, outcomes: Outcome[]): boolean {
  const { due, namesInUse, schedule } = evidence;
  const taken = namesInUse && new Set(namesInUse);
  for (let i = 0; i < count; i++) {
    const at = due[i] as Instant;
    const runName = occurrenceName(schedule.spec.name, at);
    if (taken?.has(runName)) {
      put(outcomes, "hold", "nameTaken", [at]);
      put(outcomes, "hold", "afterHeld", due.slice(i + 1));
      return false;
    }
    outcomes.push({ outcome: "create", at, runName, reason: "due" });
  }
  return true;
}

function isNameTaken({ namesInUse, schedule }: Evidence, at: Instant): boolean {
  return namesInUse?.includes(occurrenceName(schedule.spec.name, at)) ?? false;
}

/** One outcome for a whole row of due occurrences, or none for an empty row. */
function put<O extends "skip" | "hold">(
  outcomes: Outcome[],
  outcome: O,
  reason: Extract<Outcome, { outcome: O }>["reason"],
  due: readonly Instant[],
): void {
  const firstAt = due[0];
  if (firstAt === undefined) return;
  const lastAt = due[due.length - 1] as Instant;
  const row = { outcome, firstAt, lastAt, count: due.length, countIsExact: true, reason };
  outcomes.push(row as Extract<Outcome, { outcome: O }>);
}

/** What is older than everything on the due list: the expired, then the superseded (D7, D8). */
function judgePassedOver(
  { expired, superseded, schedule, now }: Evidence,
  outcomes: Outcome[],
): void {
  if (expired !== undefined) {
    const { startingDeadlineSeconds: deadline } = schedule.spec;
    // The deadline comes first: it is the reason where it alone would have passed over them all.
    const tooOld = deadline !== undefined && now - expired.lastAt > deadline * 1000;
    outcomes.push({ outcome: "expire", ...expired, reason: tooOld ? "deadline" : "missed" });
  }
  if (superseded !== undefined) {
    outcomes.push({ outcome: "supersede", ...superseded, reason: "newerDue" });
  }
}

/** The next state: the checkpoint moves over what is final, up to the first that is held (D9). */
function advance(
  schedule: ScheduleState,
  outcomes: readonly Outcome[],
  firstHeld: number,
): ScheduleState {
  const final = outcomes[(firstHeld < 0 ? outcomes.length : firstHeld) - 1];
  const held = outcomes[firstHeld];
  const { concurrencyPolicy, missed } = schedule.spec;
  const waits =
    concurrencyPolicy === "Supersede" && missed === "None" && held?.reason === "activeRun";
  const heldAt = waits ? lastOf(held) : undefined;
  if (final === undefined && heldAt === schedule.heldAt) return schedule;
  const next = final === undefined ? schedule : { ...schedule, lastScheduleAt: lastOf(final) };
  if (heldAt !== undefined) return { ...next, heldAt };
  return schedule.heldAt === undefined ? next : withoutHeld(next);
}

function withoutHeld({ heldAt: _, ...rest }: ScheduleState): ScheduleState {
  return rest;
}

function lastOf(outcome: Outcome): Instant {
  return outcome.outcome === "create" ? outcome.at : outcome.lastAt;
}

/** A run's end wakes what a run holds; what the limit cut off is looked at next, at once (D9). */
function wakeAfter(
  { truncated, now, nextAt }: Evidence,
  heldBecause: OutcomeReason | undefined,
): Wake {
  if (heldBecause === "activeRun" || heldBecause === "queued") return { kind: "runEnd" };
  if (truncated && heldBecause === undefined) return { kind: "at", at: now };
  return nextAt === undefined ? { kind: "edit" } : { kind: "at", at: nextAt };
}
