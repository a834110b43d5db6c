import type { ZoneSource } from "@mesh/cron";
import { ScheduleSpecError } from "./errors.ts";
import { checkInstant, type Instant } from "./instant.ts";
import { admitSpec, type ScheduleSpec, sameTiming } from "./schedule-spec.ts";
import { problem } from "./shape.ts";
import { type Interval, intervalOf, openWindow } from "./window.ts";

/** A schedule as it is stored: plain JSON, replaced whole by every edit and decision. */
export interface ScheduleState {
  readonly v: 1;
  /** Identity that outlives the name: a schedule made anew under an old name has another. */
  readonly uid: string;
  readonly spec: ScheduleSpec;
  /** Counts the edits of the spec, from 1. */
  readonly generation: number;
  readonly createdAt: Instant;
  /** The checkpoint: every occurrence up to it is decided (D2, D9). */
  readonly lastScheduleAt?: Instant;
  /** No occurrence up to here comes due: the instant of the last edit of the timing (D2a). */
  readonly effectiveFrom?: Instant;
  /** What `Supersede` holds for a run's end, where `missed: "None"` would let it expire (D7). */
  readonly heldAt?: Instant;
}

/** A schedule after an edit, and what that edit passes over; both belong in one commit (D2a). */
export interface ScheduleEdit {
  readonly schedule: ScheduleState;
  /** Occurrences that had come due and are now never started, counted with the old spec. */
  readonly passedOver?: Interval;
  /** Why they were: present exactly when `passedOver` is. */
  readonly reason?: "suspended" | "edited";
}

/**
 * A new schedule whose first occurrence is the first one after `now` (D1, D2).
 * Defaults that a decision reads are written out; `zones` replaces the engine's zone data (C7a).
 * Throws a `ScheduleSpecError` that lists every problem of the spec with its pointer.
 *
 * @example
 * createSchedule({ name: "report", schedule: "0 9 * * 1-5" }, { uid: "s1", now: 1791882000000 });
 */
export function createSchedule(
  spec: ScheduleSpec,
  options: { uid: string; now: Instant; zones?: ZoneSource | undefined },
): ScheduleState {
  const createdAt = checkInstant(options.now, "now");
  if (typeof options.uid !== "string" || options.uid === "") {
    throw new TypeError("uid must be a text that is not empty");
  }
  return { v: 1, uid: options.uid, spec: admitSpec(spec, options.zones), generation: 1, createdAt };
}

/** The instant after which occurrences are due (D2, D2a). */
export function baseOf(state: ScheduleState): Instant {
  const base = state.lastScheduleAt ?? state.createdAt;
  return Math.max(base, state.effectiveFrom ?? base);
}

/**
 * The schedule under another spec (D2a). Not retroactive: where the expression's fields, the zone
 * or `dst` change, or the new spec ends a suspension, nothing up to `now` comes due any more, and
 * `passedOver` says what that leaves out. Any other change keeps what is due; an equal spec
 * changes nothing. Throws a `ScheduleSpecError`; the name cannot change, since runs bear it.
 */
export function updateSchedule(
  state: ScheduleState,
  spec: ScheduleSpec,
  options: { now: Instant; zones?: ZoneSource | undefined },
): ScheduleEdit {
  const now = checkInstant(options.now, "now");
  const next = admitSpec(spec, options.zones);
  if (next.name !== state.spec.name) throw renamed(state.spec.name, next.name);
  if (sameSpec(state.spec, next)) return { schedule: state };
  const resumes = state.spec.suspended === true && next.suspended !== true;
  const edited = { ...state, spec: next, generation: state.generation + 1 };
  if (!resumes && sameTiming(state.spec, next)) return { schedule: edited };
  return passOver(state, edited, now, options.zones);
}

/** The schedule, suspended: nothing is due until it is resumed (D2). Repeated: unchanged. */
export function suspendSchedule(state: ScheduleState, options: { now: Instant }): ScheduleEdit {
  checkInstant(options.now, "now");
  return { schedule: state.spec.suspended ? state : withSuspended(state, true) };
}

/**
 * The schedule, resumed (D2a): occurrences up to `now` are passed over and returned as one
 * interval, unless `catchUp` keeps them due. Resuming what is not suspended changes nothing.
 */
export function resumeSchedule(
  state: ScheduleState,
  options: { now: Instant; zones?: ZoneSource | undefined; catchUp?: boolean | undefined },
): ScheduleEdit {
  const now = checkInstant(options.now, "now");
  if (!state.spec.suspended) return { schedule: state };
  const resumed = withSuspended(state, false);
  return options.catchUp ? { schedule: resumed } : passOver(state, resumed, now, options.zones);
}

/**
 * The schedule with its base lowered to `at`, never raised: the way out after a clock ran ahead
 * (D9). Occurrences after `at` come due again: give `decideSchedule` as `decided` what the ledger
 * already holds of them.
 */
export function resetCheckpoint(state: ScheduleState, options: { at: Instant }): ScheduleEdit {
  const at = checkInstant(options.at, "at");
  if (at >= baseOf(state)) return { schedule: state };
  const { effectiveFrom, heldAt: _, ...rest } = state;
  const lastScheduleAt = Math.min(state.lastScheduleAt ?? at, at);
  const schedule = { ...rest, lastScheduleAt };
  if (effectiveFrom === undefined) return { schedule };
  return { schedule: { ...schedule, effectiveFrom: Math.min(effectiveFrom, at) } };
}

function withSuspended(state: ScheduleState, suspended: boolean): ScheduleState {
  return { ...state, spec: { ...state.spec, suspended }, generation: state.generation + 1 };
}

function passOver(
  before: ScheduleState,
  edited: ScheduleState,
  now: Instant,
  zones: ZoneSource | undefined,
): ScheduleEdit {
  const { heldAt: _, ...rest } = edited;
  const effectiveFrom = Math.max(before.effectiveFrom ?? now, now);
  const schedule = { ...rest, effectiveFrom };
  const passedOver = intervalOf(openWindow(before.spec, zones), baseOf(before), now);
  if (passedOver === undefined) return { schedule };
  return { schedule, passedOver, reason: before.spec.suspended ? "suspended" : "edited" };
}

/** Whether all members are equal; both specs have their defaults written out. */
function sameSpec(a: ScheduleSpec, b: ScheduleSpec): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof ScheduleSpec>;
  return [...keys].every((key) => a[key] === b[key]);
}

function renamed(from: string, to: string): ScheduleSpecError {
  const problems: ConstructorParameters<typeof ScheduleSpecError>[0][number][] = [];
  problem(problems, "name.fixed", "/name", `"${from}" cannot become "${to}": runs bear the name`, {
    found: to,
    allowed: [from],
    help: "create a schedule of the new name and delete this one",
  });
  return new ScheduleSpecError(problems);
}
