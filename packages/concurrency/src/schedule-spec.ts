import {
  admitCron,
  admitTimeZone,
  type CronExpression,
  type Diagnostic,
  parseCron,
  type ZoneSource,
} from "@mesh/cron";
import { ScheduleSpecError } from "./errors.ts";
import { isLabel, MAX_SCHEDULE_NAME } from "./names.ts";
import { type Check, flag, objectOf, oneOf, problem, text, wholeNumber } from "./shape.ts";

/** What happens to an occurrence that comes due while a run is active (D4 to D7). */
export type ConcurrencyPolicy = "Allow" | "Forbid" | "Replace" | "Skip" | "Queue" | "Supersede";

/** Which missed occurrences are still started: all, the newest, or none (D8). */
export type MissedRuns = "All" | "Latest" | "None";

/** How a schedule reads the hours that a change of offset skips or repeats (C8, C9). */
export type DaylightSaving = "Literal" | "Once";

/** When and how a schedule creates runs (D1); what a run does is not part of it. */
export interface ScheduleSpec {
  /** DNS-1123 label of at most 40 characters; runs are named after it. */
  readonly name: string;
  /** Five cron fields, all of which must match (C1 to C3). */
  readonly schedule: string;
  /** IANA name; `UTC` if absent. */
  readonly timezone?: string | undefined;
  readonly dst?: DaylightSaving | undefined;
  /** `Allow` if absent. */
  readonly concurrencyPolicy?: ConcurrencyPolicy | undefined;
  /** `All` if absent. */
  readonly missed?: MissedRuns | undefined;
  /** At most so many occurrences in one decision; 100 if absent or not positive. */
  readonly missedScheduleLimit?: number | undefined;
  /** An occurrence older than this is not started any more. */
  readonly startingDeadlineSeconds?: number | undefined;
  readonly suspended?: boolean | undefined;
  /** How many ended runs the caller keeps; no decision reads them. */
  readonly successfulJobsHistoryLimit?: number | undefined;
  readonly failedJobsHistoryLimit?: number | undefined;
}

export const POLICIES = ["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"] as const;
export const MISSED = ["All", "Latest", "None"] as const;

/** The seed's window: so many occurrences at most in one decision (D1). */
const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 10_000;
export const MAX_COUNT = 1e9;

const name: Check = (value, pointer, problems) => {
  const before = problems.length;
  text(value, pointer, problems);
  if (problems.length > before || isLabel(value as string, MAX_SCHEDULE_NAME)) return;
  const found = JSON.stringify(value);
  problem(problems, "name.invalid", pointer, `${found} cannot name a schedule`, {
    found: value as string,
    help: `use at most ${MAX_SCHEDULE_NAME} lower-case letters, digits and inner hyphens`,
  });
};

/**
 * The shape of a spec; its expression and zone are parsed once the shape is right.
 * Built when asked for, so that a bundle which never validates does not carry it.
 */
export function specShape(): Check {
  return objectOf(
    { name, schedule: text },
    {
      timezone: text,
      dst: oneOf(["Literal", "Once"]),
      concurrencyPolicy: oneOf(POLICIES),
      missed: oneOf(MISSED),
      missedScheduleLimit: wholeNumber(-MAX_COUNT, MAX_LIMIT),
      startingDeadlineSeconds: wholeNumber(0, MAX_COUNT),
      suspended: flag,
      successfulJobsHistoryLimit: wholeNumber(0, MAX_COUNT),
      failedJobsHistoryLimit: wholeNumber(0, MAX_COUNT),
    },
  );
}

/**
 * The spec with every default that a decision reads written out, so that stored evidence says all
 * (D1). Throws a {@link ScheduleSpecError} that names every problem at once, each with its pointer.
 */
export function admitSpec(spec: ScheduleSpec, zones: ZoneSource | undefined): ScheduleSpec {
  const problems: Diagnostic[] = [];
  specShape()(spec, "", problems);
  // A list, a null or a number has no members to look at.
  const { schedule, timezone } = Object(spec) as Partial<ScheduleSpec>;
  if (typeof schedule === "string" && schedule !== "") checkExpression(schedule, problems);
  if (typeof timezone === "string" && timezone !== "") checkZone(timezone, zones, problems);
  if (problems.length > 0) throw new ScheduleSpecError(problems);
  return {
    name: spec.name,
    schedule: spec.schedule,
    timezone: spec.timezone ?? "UTC",
    dst: spec.dst ?? "Literal",
    concurrencyPolicy: spec.concurrencyPolicy ?? "Allow",
    missed: spec.missed ?? "All",
    missedScheduleLimit: plain(spec.missedScheduleLimit ?? DEFAULT_LIMIT),
    ...defined("startingDeadlineSeconds", spec.startingDeadlineSeconds),
    suspended: spec.suspended ?? false,
    ...defined("successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit),
    ...defined("failedJobsHistoryLimit", spec.failedJobsHistoryLimit),
  };
}

/** How many occurrences one decision looks at (D1). */
export function limitOf(spec: ScheduleSpec): number {
  const limit = spec.missedScheduleLimit ?? DEFAULT_LIMIT;
  return limit > 0 ? limit : DEFAULT_LIMIT;
}

/** Whether both specs name the same occurrences: equal fields, zone and daylight saving (D2a). */
export function sameTiming(a: ScheduleSpec, b: ScheduleSpec): boolean {
  return (
    (a.timezone ?? "UTC") === (b.timezone ?? "UTC") &&
    (a.dst ?? "Literal") === (b.dst ?? "Literal") &&
    (a.schedule === b.schedule || sameFields(parseCron(a.schedule), parseCron(b.schedule)))
  );
}

function sameFields(a: CronExpression, b: CronExpression): boolean {
  return (["minute", "hour", "dayOfMonth", "month", "dayOfWeek"] as const).every(
    (field) => a[field].join() === b[field].join(),
  );
}

/** Admission asks more than parsing: an expression that no date can match is refused (C12). */
function checkExpression(schedule: string, problems: Diagnostic[]): void {
  const admitted = admitCron(schedule);
  if (admitted.ok) return;
  problems.push(...admitted.diagnostics.map((found) => ({ ...found, pointer: "/schedule" })));
}

function checkZone(timeZone: string, zones: ZoneSource | undefined, problems: Diagnostic[]): void {
  const admitted = admitTimeZone(timeZone, { zones });
  if (admitted.ok) return;
  problems.push(...admitted.diagnostics.map((found) => ({ ...found, pointer: "/timezone" })));
}

/** An absent key is omitted, never `undefined`. */
function defined<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: plain(value) } as { [P in K]?: V });
}

/** JSON has no minus zero. */
function plain<V>(value: V): V | 0 {
  return value === 0 ? 0 : value;
}
