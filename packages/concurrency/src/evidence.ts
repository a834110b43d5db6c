import { engineZones, type ZoneSource } from "@mesh/cron";
import { checkInstant, type Instant, MINUTE } from "./instant.ts";
import { checkState, copyDecided, copyNames, copyRuns } from "./members.ts";
import type { MissedRuns } from "./schedule-spec.ts";
import { baseOf, type ScheduleState } from "./schedule-state.ts";
import {
  earliest,
  following,
  type Interval,
  intervalOf,
  newest,
  openWindow,
  type Window,
} from "./window.ts";

/** A run of a schedule that has not ended, or whose last container has not (D3). */
export interface ActiveRun {
  readonly id: string;
  readonly status: "pending" | "running" | "stopping";
  readonly occurrenceAt?: Instant;
}

/** What a decision was made from: enough to make it again without zone data (D9a). */
export interface Evidence {
  readonly v: 1;
  /** The version of the rules: the same one gives the same decision, for ever. */
  readonly rules: 1;
  /** The zone data that `due`, the intervals and `nextAt` were read from (C7a). */
  readonly zoneData: string;
  readonly schedule: ScheduleState;
  readonly active: readonly ActiveRun[];
  readonly now: Instant;
  readonly baseAt: Instant;
  /** Due occurrences, oldest first: what deadline, `missed` and limit leave of the due set. */
  readonly due: readonly Instant[];
  /** Whether the limit cut the due set. */
  readonly truncated: boolean;
  readonly expired?: Interval;
  readonly superseded?: Interval;
  /** The first occurrence after `now`, or after the base where that is later. */
  readonly nextAt?: Instant;
  readonly namesInUse?: readonly string[];
  readonly decided?: readonly (Instant | Interval)[];
}

/** What a decision takes beside the schedule and its runs. */
export interface DecideOptions {
  readonly now: Instant;
  readonly zones?: ZoneSource | undefined;
  /** Names that Jobs of others hold: an occurrence whose run would need one is held (D10). */
  readonly namesInUse?: readonly string[] | undefined;
  /** Occurrences that the caller's ledger shows as decided, after `resetCheckpoint` (D9). */
  readonly decided?: readonly (Instant | Interval)[] | undefined;
}

/** The occurrences that D2 calls due, before `missed` and the deadline of D8. */
export interface DueSet {
  readonly baseAt: Instant;
  readonly due: readonly Instant[];
  readonly truncated: boolean;
}

/**
 * What is due by D2 alone: the earliest occurrences in (base, now], at most the limit.
 * Nothing while the schedule is suspended or its base lies in the future.
 *
 * @example
 * dueSet(schedule, { now }).due;
 */
export function dueSet(
  state: ScheduleState,
  options: { now: Instant; zones?: ZoneSource | undefined },
): DueSet {
  const now = checkInstant(options.now, "now");
  const baseAt = baseOf(state);
  if (state.spec.suspended) return { baseAt, due: [], truncated: false };
  const window = openWindow(state.spec, options.zones);
  const due = earliest(window, baseAt, now);
  return { baseAt, due: due.slice(0, window.limit), truncated: due.length > window.limit };
}

/** Evidence while it is put together: an optional member is set, or stays absent. */
type Facts = { -readonly [K in keyof Evidence]: Evidence[K] };

/** Reads from zone data everything that a decision needs: the only part that does (D9a). */
export function gatherEvidence(
  state: ScheduleState,
  active: readonly ActiveRun[],
  options: DecideOptions,
): Evidence {
  const now = checkInstant(options.now, "now");
  const { zones, namesInUse } = options;
  checkState(state);
  const decided = options.decided === undefined ? [] : copyDecided(options.decided);
  const baseAt = baseOf(state);
  const facts: Facts = {
    v: 1,
    rules: 1,
    zoneData: (zones ?? engineZones()).version,
    schedule: state,
    active: copyRuns(active),
    now,
    baseAt,
    due: [],
    truncated: false,
  };
  if (namesInUse !== undefined && namesInUse.length !== 0) {
    facts.namesInUse = copyNames(namesInUse);
  }
  if (decided.length > 0) facts.decided = decided;
  if (state.spec.suspended) return facts;
  const window = openWindow(state.spec, zones, decided);
  const nextAt = following(window, Math.max(now, baseAt));
  if (nextAt !== undefined) facts.nextAt = nextAt;
  if (baseAt < now) select(facts, window);
  return facts;
}

/**
 * D8's order: the deadline, then `missed`, then the limit; the policy comes last, when judged.
 * `Supersede` too needs only the newest, however far behind the schedule is (D7).
 */
function select(facts: Facts, window: Window): void {
  const { schedule, now, baseAt } = facts;
  const { startingDeadlineSeconds, concurrencyPolicy } = schedule.spec;
  const missed = missedOf(schedule);
  // Everything in (base, late] is too old to be started.
  const late =
    startingDeadlineSeconds === undefined
      ? baseAt
      : Math.max(baseAt, now - startingDeadlineSeconds * 1000 - 1);
  if (missed === "All" && concurrencyPolicy !== "Supersede") {
    passOver(facts, "expired", intervalOf(window, baseAt, late));
    const found = earliest(window, late, now);
    facts.truncated = found.length > window.limit;
    facts.due = facts.truncated ? found.slice(0, window.limit) : found;
    return;
  }
  const last = newest(window, late, now);
  const starts = last !== undefined && (missed !== "None" || now - last < MINUTE);
  if (starts) facts.due = [last];
  const older = starts ? last - 1 : now;
  passOver(facts, "expired", intervalOf(window, baseAt, missed === "All" ? late : older));
  if (missed === "All") passOver(facts, "superseded", intervalOf(window, late, older));
}

function passOver(
  facts: Facts,
  as: "expired" | "superseded",
  interval: Interval | undefined,
): void {
  if (interval !== undefined) facts[as] = interval;
}

/** `None` does not touch what `Supersede` holds, nor what comes due while it does (D7). */
function missedOf({ spec, heldAt }: ScheduleState): MissedRuns {
  const waits = spec.concurrencyPolicy === "Supersede" && heldAt !== undefined;
  return waits && spec.missed === "None" ? "All" : (spec.missed ?? "All");
}
