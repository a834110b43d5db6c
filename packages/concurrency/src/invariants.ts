import type { Diagnostic } from "@mesh/cron";
import { ScheduleStateError } from "./errors.ts";
import type { Evidence } from "./evidence.ts";
import { findWrongMembers } from "./members.ts";
import { MISSED, POLICIES } from "./schedule-spec.ts";
import { baseOf } from "./schedule-state.ts";
import { problem } from "./shape.ts";
import type { Interval } from "./window.ts";

const STATUSES: readonly string[] = ["pending", "running", "stopping"];

/**
 * Throws where facts contradict one another: a broken invariant is never decided on (D9a).
 * Everything else relies on these: due occurrences rise within (base, now], what is passed over
 * lies before them, and the next one after.
 */
export function checkEvidence(evidence: Evidence): void {
  const problems: Diagnostic[] = [];
  findContradictions(evidence, problems);
  if (problems.length > 0) throw new ScheduleStateError("evidence", problems);
}

export function findContradictions(evidence: Evidence, problems: Diagnostic[]): void {
  const { v, rules, schedule, now, baseAt, due, expired, superseded, nextAt } = evidence;
  const { concurrencyPolicy, missed, suspended } = schedule.spec;
  if (v !== 1) broken(problems, "/v", unknownVersion(v));
  if (rules !== 1) broken(problems, "/rules", unknownVersion(rules));
  if (schedule.v !== 1) broken(problems, "/schedule/v", unknownVersion(schedule.v));
  findWrongMembers(schedule, "/schedule", problems);
  checkWord(problems, "concurrencyPolicy", concurrencyPolicy, POLICIES);
  checkWord(problems, "missed", missed, MISSED);
  if (baseAt !== baseOf(schedule)) broken(problems, "/baseAt", "it is not the schedule's base");
  if (suspended && (due.length > 0 || expired || superseded)) {
    broken(problems, "/due", "a suspended schedule has nothing due");
  }
  const afterExpired = isAfter(expired, baseAt, now) ? (expired?.lastAt ?? baseAt) : undefined;
  if (afterExpired === undefined) broken(problems, "/expired", "it does not follow the base");
  const after = afterExpired ?? baseAt;
  const supersedes = isAfter(superseded, after, now);
  if (!supersedes) broken(problems, "/superseded", "it does not follow what is before it");
  if (!rises(due, supersedes ? (superseded?.lastAt ?? after) : after, now)) {
    broken(problems, "/due", "it does not rise between what is passed over and now");
  }
  if (nextAt !== undefined && !(nextAt > Math.max(now, baseAt))) {
    broken(problems, "/nextAt", "it is not after now and the base");
  }
  if (evidence.active.length > 0) checkActive(evidence.active, problems);
}

function checkActive(active: Evidence["active"], problems: Diagnostic[]): void {
  active.forEach(({ status }, i) => {
    if (!STATUSES.includes(status)) {
      broken(problems, `/active/${i}/status`, `it is none of ${STATUSES.join(", ")}`);
    }
  });
  if (active.length > 1 && new Set(active.map(({ id }) => id)).size < active.length) {
    broken(problems, "/active", "two runs have the same id");
  }
}

function checkWord(
  problems: Diagnostic[],
  member: string,
  found: string | undefined,
  allowed: readonly string[],
): void {
  if (found === undefined || allowed.includes(found)) return;
  const message = `${JSON.stringify(found)} is not allowed: use ${allowed.join(", ")}`;
  problem(problems, "shape.enum", `/schedule/spec/${member}`, message, { found, allowed });
}

/** Whether the interval, if there is one, lies in (after, through] and is in order. */
function isAfter(interval: Interval | undefined, after: number, through: number): boolean {
  if (interval === undefined) return true;
  const { firstAt, lastAt, count } = interval;
  return after < firstAt && firstAt <= lastAt && lastAt <= through && count >= 1;
}

/** Whether the instants rise strictly within (after, through]. */
function rises(list: readonly number[], after: number, through: number): boolean {
  let last = after;
  for (const at of list) {
    if (!(at > last)) return false;
    last = at;
  }
  return last <= through || list.length === 0;
}

function broken(problems: Diagnostic[], pointer: string, message: string): void {
  problem(problems, "state.invariant", pointer, message);
}

function unknownVersion(found: unknown): string {
  return `version ${found} is not known: this release knows 1`;
}
