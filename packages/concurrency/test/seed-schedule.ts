import {
  type ActiveRun,
  createSchedule,
  type Decision,
  type Outcome,
  type ScheduleSpec,
  type ScheduleState,
} from "../src/index.ts";

/** An instant of the seed's day, 2026-10-13 (a Tuesday), UTC: `at("12:03")`, `at("12:03:30")`. */
export function at(time: string, date = "2026-10-13"): number {
  const full = time.length === 5 ? `${time}:00` : time;
  const instant = Date.parse(`${date}T${full}Z`);
  if (Number.isNaN(instant)) throw new RangeError(`no time: ${time}`);
  return instant;
}

/** Whole minutes of the seed's day as `hh:mm`. */
export function clock(instant: number): string {
  return new Date(instant).toISOString().slice(11, 16);
}

/** "The schedule" of the seed claims: every minute in UTC, created at 12:00, no checkpoint. */
export function schedule(spec: Partial<ScheduleSpec> = {}, createdAt = at("12:00")): ScheduleState {
  return createSchedule(
    { name: "report", schedule: "* * * * *", ...spec },
    { uid: "s1", now: createdAt },
  );
}

export function running(...ids: readonly string[]): readonly ActiveRun[] {
  return ids.map((id) => ({ id, status: "running" }));
}

/** The occurrences created, as `hh:mm`. */
export function created({ outcomes }: Pick<Decision, "outcomes">): readonly string[] {
  return outcomes.flatMap((o) => (o.outcome === "create" ? [clock(o.at)] : []));
}

/** Every other outcome in short: `hold 12:01-12:03 x3 activeRun`. */
export function others({ outcomes }: Pick<Decision, "outcomes">): readonly string[] {
  return outcomes.flatMap((o: Outcome) =>
    o.outcome === "create"
      ? []
      : [
          `${o.outcome} ${clock(o.firstAt)}-${clock(o.lastAt)} ` +
            `${o.countIsExact ? "x" : ">"}${o.count} ${o.reason}`,
        ],
  );
}
