import {
  type CronExpression,
  nextOccurrence,
  occurrencesBetween,
  parseCron,
  previousOccurrence,
  type ZoneSource,
} from "@mesh/cron";
import { type Instant, isInstant, MINUTE } from "./instant.ts";
import { type DaylightSaving, limitOf, type ScheduleSpec } from "./schedule-spec.ts";

/** A row of occurrences: first and last included; the count may have stopped at the limit (D8). */
export interface Interval {
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly count: number;
  readonly countIsExact: boolean;
}

/** A schedule's occurrences, those decided before left out; each answer is found by jumps. */
export interface Window {
  readonly cron: CronExpression;
  /** How many occurrences one decision looks at. */
  readonly limit: number;
  /** What `@mesh/cron` wants to know; one object for every call, since decisions are frequent. */
  readonly options: {
    readonly timeZone: string;
    readonly dst: DaylightSaving;
    readonly zones: ZoneSource | undefined;
    readonly limit: number;
    readonly horizonMinutes: number;
  };
  /** What was decided before: closed ranges in order, none overlapping the next. */
  readonly decided: readonly (readonly [Instant, Instant])[];
}

export function openWindow(
  spec: ScheduleSpec,
  zones: ZoneSource | undefined,
  decided: readonly (Instant | Interval)[] = [],
): Window {
  const limit = limitOf(spec);
  return {
    cron: parseCron(spec.schedule),
    limit,
    options: {
      timeZone: spec.timezone ?? "UTC",
      dst: spec.dst ?? "Literal",
      zones,
      // One more than the limit tells whether it cuts anything off.
      limit: limit + 1,
      horizonMinutes: Number.POSITIVE_INFINITY,
    },
    decided: decided.length === 0 ? [] : mergeDecided(decided),
  };
}

/** The earliest occurrences in (after, through]: at most one more than the limit. */
export function earliest(window: Window, after: Instant, through: Instant): readonly Instant[] {
  const { cron, options, decided } = window;
  if (decided.length === 0) {
    return after < through ? occurrencesBetween(cron, { after, through }, options) : [];
  }
  const found: Instant[] = [];
  let from = after;
  for (const [first, final] of [...decided, [through + 1, through + 1] as const]) {
    const until = Math.min(first - 1, through);
    const limit = options.limit - found.length;
    if (from < until && limit > 0) {
      found.push(
        ...occurrencesBetween(cron, { after: from, through: until }, { ...options, limit }),
      );
    }
    from = Math.max(from, final);
  }
  return found;
}

/** The newest occurrence in (after, through]. */
export function newest(window: Window, after: Instant, through: Instant): Instant | undefined {
  const { cron, options, decided } = window;
  let before = through + 1;
  let last = decided.length - 1;
  while (before > after + 1) {
    // The search is bounded by the window, not by a horizon of its own.
    const horizonMinutes = Math.ceil((before - after) / MINUTE) + 1;
    const at = previousOccurrence(cron, before, { ...options, horizonMinutes });
    if (at === undefined || at <= after) return undefined;
    // Answers come ever earlier, so what lies after one is never looked at again.
    while (last >= 0 && (decided[last] as readonly [Instant, Instant])[0] > at) last--;
    const range = decided[last];
    if (range === undefined || range[1] < at) return at;
    before = range[0];
  }
  return undefined;
}

/** The first occurrence after an instant, however far: within the years of an `Instant`. */
export function following(window: Window, after: Instant): Instant | undefined {
  const { cron, options, decided } = window;
  let at = nextOccurrence(cron, after, options);
  for (const [first, final] of decided) {
    if (at !== undefined && first <= at && at <= final) at = nextOccurrence(cron, final, options);
  }
  return isInstant(at) ? at : undefined;
}

/** The occurrences in (after, through] as one interval; counting stops at the limit. */
export function intervalOf(window: Window, after: Instant, through: Instant): Interval | undefined {
  const { limit } = window;
  const found = earliest(window, after, through);
  const firstAt = found[0];
  if (firstAt === undefined) return undefined;
  const countIsExact = found.length <= limit;
  const lastAt = countIsExact ? found[found.length - 1] : newest(window, after, through);
  return {
    firstAt,
    lastAt: lastAt as Instant,
    count: countIsExact ? found.length : limit,
    countIsExact,
  };
}

function mergeDecided(
  decided: readonly (Instant | Interval)[],
): readonly (readonly [Instant, Instant])[] {
  const ranges = decided
    .map((entry): [Instant, Instant] =>
      typeof entry === "number" ? [entry, entry] : [entry.firstAt, entry.lastAt],
    )
    .sort((a, b) => a[0] - b[0]);
  const merged: [Instant, Instant][] = [];
  for (const range of ranges) {
    const previous = merged.at(-1);
    if (previous !== undefined && range[0] <= previous[1]) {
      previous[1] = Math.max(previous[1], range[1]);
    } else merged.push(range);
  }
  return merged;
}
