import fc from "fast-check";
import {
  type ActiveRun,
  type ConcurrencyPolicy,
  createSchedule,
  type Instant,
  type ScheduleSpec,
  type ScheduleState,
} from "./index.ts";

const policies = ["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"] as const;
const minute = 60_000;

/** 2026-10-13T00:00Z: the generated schedules live in the weeks around it. */
const origin = 1_791_849_600_000;

/** Five fields that match often enough to make backlogs within hours, or rarely enough not to. */
export function cronTexts(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom("* * * * *", "*/5 * * * *", "0 * * * *", "30 2 * * *", "0 9 * * 1-5"),
    fc
      .tuple(
        fc.constantFrom("*", "*/2", "*/7", "0", "5,35", "10-20/3"),
        fc.constantFrom("*", "*/6", "9", "2,14", "22-23"),
        fc.constantFrom("*", "1,15", "*/10", "13-14"),
        fc.constantFrom("*", "2", "10-12"),
        fc.constantFrom("*", "1-5", "0"),
      )
      .map((fields) => fields.join(" ")),
  );
}

/** Zones with whole hours, half hours, none and two changes of offset a year. */
export function timeZones(): fc.Arbitrary<string> {
  return fc.constantFrom(
    "UTC",
    "Europe/Belgrade",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
  );
}

/** A spec that `createSchedule` accepts; `policy` fixes the concurrency policy. */
export function scheduleSpecs(
  fixed: { policy?: ConcurrencyPolicy | undefined } = {},
): fc.Arbitrary<ScheduleSpec> {
  const policy =
    fixed.policy === undefined ? fc.constantFrom(...policies) : fc.constant(fixed.policy);
  return fc.record(
    {
      name: fc.stringMatching(/^[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,8})?$/),
      schedule: cronTexts(),
      timezone: timeZones(),
      dst: fc.constantFrom("Literal", "Once"),
      concurrencyPolicy: policy,
      missed: fc.constantFrom("All", "All", "Latest", "None"),
      missedScheduleLimit: fc.constantFrom(-1, 0, 1, 2, 3, 10, 100),
      startingDeadlineSeconds: fc.constantFrom(0, 30, 60, 90, 600, 7200),
      suspended: fc.constantFrom(false, false, false, true),
      successfulJobsHistoryLimit: fc.nat(5),
      failedJobsHistoryLimit: fc.nat(5),
    },
    { requiredKeys: ["name", "schedule", "concurrencyPolicy"] },
  );
}

/** An instant within two weeks around the origin, on a minute more often than not. */
export function instants(): fc.Arbitrary<Instant> {
  const offset = fc.integer({ min: -10_000, max: 10_000 });
  const rest = fc.constantFrom(0, 0, 1, 59_999, 30_500);
  return fc.tuple(offset, rest).map(([minutes, ms]) => origin + minutes * minute + ms);
}

/** A stored schedule: new, with a checkpoint, or edited after it. */
export function scheduleStates(
  fixed: { policy?: ConcurrencyPolicy | undefined } = {},
): fc.Arbitrary<ScheduleState> {
  return fc
    .record({
      spec: scheduleSpecs(fixed),
      now: instants(),
      checkpoint: fc.option(fc.nat(3000), { nil: undefined }),
      edit: fc.option(fc.nat(3000), { nil: undefined }),
    })
    .map(
      ({ spec, now, checkpoint, edit }): ScheduleState => ({
        ...createSchedule(spec, { uid: "generated", now }),
        ...(checkpoint === undefined
          ? {}
          : { lastScheduleAt: Math.floor(now / minute) * minute + checkpoint * minute }),
        ...(edit === undefined ? {} : { effectiveFrom: now + edit * minute }),
      }),
    );
}

/** At most three runs with ids of their own, in any status. */
export function activeRuns(): fc.Arbitrary<readonly ActiveRun[]> {
  const status = fc.constantFrom("pending", "running", "stopping");
  return fc
    .array(fc.record({ status, occurrenceAt: instants() }, { requiredKeys: ["status"] }), {
      maxLength: 3,
    })
    .map((runs) => runs.map((run, i) => ({ id: `run-${i}`, ...run })));
}

/** One thing that happens around a schedule; minutes are relative to the present. */
export type ScheduleEvent =
  | { readonly type: "tick"; readonly seconds: number }
  | { readonly type: "clockBack"; readonly seconds: number }
  | { readonly type: "runEnds"; readonly which: number }
  | { readonly type: "trigger" }
  | { readonly type: "suspend" }
  | { readonly type: "resume"; readonly catchUp: boolean }
  | { readonly type: "edit"; readonly schedule: string };

/** Sequences of events, mostly ticks, as a schedule sees them over a few hours. */
export function scheduleEvents(): fc.Arbitrary<readonly ScheduleEvent[]> {
  const tick = fc
    .constantFrom(1, 20, 60, 61, 150, 400, 3600)
    .map((seconds): ScheduleEvent => ({ type: "tick", seconds }));
  return fc.array(
    fc.oneof(
      { weight: 6, arbitrary: tick },
      { weight: 3, arbitrary: fc.nat(3).map((which) => ({ type: "runEnds", which }) as const) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom(10, 90, 3600)
          .map((seconds) => ({ type: "clockBack", seconds }) as const),
      },
      { weight: 1, arbitrary: fc.constant({ type: "trigger" } as const) },
      { weight: 1, arbitrary: fc.constant({ type: "suspend" } as const) },
      {
        weight: 1,
        arbitrary: fc.boolean().map((catchUp) => ({ type: "resume", catchUp }) as const),
      },
      {
        weight: 1,
        arbitrary: cronTexts().map((schedule) => ({ type: "edit", schedule }) as const),
      },
    ),
    { maxLength: 40 },
  );
}
