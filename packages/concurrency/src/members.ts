import type { Diagnostic } from "@mesh/cron";
import { ScheduleStateError } from "./errors.ts";
import type { ActiveRun } from "./evidence.ts";
import { checkInstant, type Instant, isInstant } from "./instant.ts";
import { MAX_COUNT, MAX_LIMIT } from "./schedule-spec.ts";
import type { ScheduleState } from "./schedule-state.ts";
import { problem } from "./shape.ts";
import type { Interval } from "./window.ts";

// What a decision is made from becomes evidence, and evidence is read again years later: a member
// of another type, such as an instant that a database driver gave as text, is refused before.

/** Throws a `ScheduleStateError` where a member that decisions compute with is of another type. */
export function checkState(state: ScheduleState): void {
  const problems: Diagnostic[] = [];
  findWrongMembers(state, "", problems);
  if (problems.length > 0) throw new ScheduleStateError("schedule", problems);
}

/** The same as problems; cheap, since it runs with every decision. */
export function findWrongMembers(
  state: ScheduleState,
  pointer: string,
  problems: Diagnostic[],
): void {
  const { createdAt, lastScheduleAt, effectiveFrom, heldAt, generation, spec } = state;
  const { missedScheduleLimit, startingDeadlineSeconds, suspended } = spec;
  const check = (holds: boolean, member: string): void => {
    if (!holds)
      problem(problems, "state.invariant", `${pointer}/${member}`, "it has a wrong value");
  };
  check(isInstant(createdAt), "createdAt");
  check(lastScheduleAt === undefined || isInstant(lastScheduleAt), "lastScheduleAt");
  check(effectiveFrom === undefined || isInstant(effectiveFrom), "effectiveFrom");
  check(heldAt === undefined || isInstant(heldAt), "heldAt");
  check(isWhole(generation, 1, Number.MAX_SAFE_INTEGER), "generation");
  check(isAbsentOr(missedScheduleLimit, -MAX_COUNT, MAX_LIMIT), "spec/missedScheduleLimit");
  check(isAbsentOr(startingDeadlineSeconds, 0, MAX_COUNT), "spec/startingDeadlineSeconds");
  check(suspended === undefined || typeof suspended === "boolean", "spec/suspended");
}

/** Runs as evidence holds them: three members and nothing that the caller's object has beside. */
export function copyRuns(active: readonly ActiveRun[]): readonly ActiveRun[] {
  // Most decisions meet no run, and an empty walk costs as much as the decision's arithmetic.
  if (checkList(active, "active").length === 0) return [];
  return Array.from(active, (run, i) => {
    const { id, status, occurrenceAt } = checkObject(run, `active[${i}]`);
    checkText(id, `active[${i}].id`);
    if (occurrenceAt === undefined) return { id, status };
    const at = checkInstant(occurrenceAt, `active[${i}].occurrenceAt`);
    return { id, status, occurrenceAt: at };
  });
}

export function copyNames(names: readonly string[]): readonly string[] {
  return Array.from(checkList(names, "namesInUse"), (name, i) =>
    checkText(name, `namesInUse[${i}]`),
  );
}

/** Throws a `TypeError` or `RangeError` for what is no instant and no interval in order. */
export function copyDecided(
  decided: readonly (Instant | Interval)[],
): readonly (Instant | Interval)[] {
  return Array.from(checkList(decided, "decided"), (entry, i) => {
    const argument = `decided[${i}]`;
    if (typeof entry === "number") return checkInstant(entry, argument);
    const { count, countIsExact, ...ends } = checkObject(entry, argument);
    const firstAt = checkInstant(ends.firstAt, `${argument}.firstAt`);
    const lastAt = checkInstant(ends.lastAt, `${argument}.lastAt`);
    const isSound =
      firstAt <= lastAt &&
      isWhole(count, 1, Number.MAX_SAFE_INTEGER) &&
      typeof countIsExact === "boolean";
    if (!isSound) throw new RangeError(`${argument} must be an interval in order, and counted`);
    return { firstAt, lastAt, count, countIsExact };
  });
}

function checkList<T>(value: readonly T[], argument: string): readonly T[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${argument} must be a list`);
}

function checkObject<T extends object>(value: T, argument: string): T {
  if (typeof value === "object" && value !== null) return value;
  throw new TypeError(`${argument} must be an object`);
}

function checkText(value: string, argument: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(`${argument} must be a text that is not empty`);
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function isAbsentOr(value: number | undefined, min: number, max: number): boolean {
  return value === undefined || isWhole(value, min, max);
}
