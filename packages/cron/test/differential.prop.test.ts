import { CronExpressionParser } from "cron-parser";
import { Cron as Croner } from "croner";
import { formatInTimeZone, fromZonedTime } from "date-fns-tz";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localTime, nextOccurrence, parseCron } from "../src/index.ts";
import { cronCase, timeZoneName } from "../src/testing.ts";
import { wallClock } from "./support/stepping.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/**
 * Expressions that all dialects read alike: plain lists of values, no field twice the same (both
 * others refuse repeats or long steps), and at most one day field restricted.
 */
const shared = cronCase().map(({ minute, hour, dayOfMonth, month, dayOfWeek }) => {
  const field = (values: readonly number[], size: number) =>
    values.length === size ? "*" : values.join(",");
  const weekday = dayOfMonth.length === 31 ? field(dayOfWeek, 7) : "*";
  const date = `${field(dayOfMonth, 31)} ${field(month, 12)} ${weekday}`;
  return `${field(minute, 60)} ${field(hour, 24)} ${date}`;
});

const instants = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2036, 0) });

function offsetAt(instant: number, timeZone: string): number {
  const minute = Math.floor(instant / MINUTE);
  return wallClock(minute, timeZone).local - minute;
}

/** Whether the offset is one and the same from a day before to a day after. */
function isQuiet(from: number, through: number, timeZone: string): boolean {
  const offset = offsetAt(from - DAY, timeZone);
  for (let at = from; at <= through + DAY; at += DAY) {
    if (offsetAt(at, timeZone) !== offset) return false;
  }
  return true;
}

/** Ours and theirs, for random cases whose answer lies within a month and near no change. */
function compare(theirs: (text: string, after: number, timeZone: string) => number | undefined) {
  let compared = 0;
  fc.assert(
    fc.property(shared, timeZoneName(), instants, (text, timeZone, after) => {
      const horizonMinutes = 31 * 1440;
      const ours = nextOccurrence(parseCron(text), after, { timeZone, horizonMinutes });
      if (ours === undefined || !isQuiet(after, ours, timeZone)) return;
      compared++;
      expect([text, timeZone, after, theirs(text, after, timeZone)]).toEqual([
        text,
        timeZone,
        after,
        ours,
      ]);
    }),
    { numRuns: 300 },
  );
  expect(compared).toBeGreaterThan(40);
}

describe("beside other libraries, where the rules are the same", () => {
  it("croner finds the same next occurrence", () => {
    compare((text, after, timezone) =>
      new Croner(text, { timezone, paused: true }).nextRun(new Date(after))?.getTime(),
    );
  });

  it("cron-parser finds the same next occurrence", () => {
    compare((text, after, tz) =>
      CronExpressionParser.parse(text, { tz, currentDate: new Date(after) })
        .next()
        .toDate()
        .getTime(),
    );
  });

  it("date-fns-tz shows the same offset, and reads the wall time back to the same instant", () => {
    fc.assert(
      fc.property(timeZoneName(), instants, (timeZone, instant) => {
        const minute = Math.floor(instant / MINUTE) * MINUTE;
        const shown = localTime(minute, { timeZone });
        expect(formatInTimeZone(minute, timeZone, "xxx")).toBe(shown.offset);
        if (shown.fold === undefined) {
          expect(fromZonedTime(`${shown.local}:00`, timeZone).getTime()).toBe(minute);
        }
      }),
    );
  });
});

/** Where the rules differ: text, instant asked from, what the other library answers, and what ours. */
const DIFFERENCES = [
  ["croner", "30 2 * * *", "2026-03-28T12:00Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"],
  ["cron-parser", "30 2 * * *", "2026-03-28T12:00Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"],
  ["croner", "30 2 * * *", "2026-10-25T00:30Z", "2026-10-26T01:30Z", "2026-10-25T01:30Z"],
  ["cron-parser", "30 2 * * *", "2026-10-25T00:30Z", "2026-10-26T01:30Z", "2026-10-25T01:30Z"],
  ["croner", "0 0 13 * 5", "2026-01-01T12:00Z", "2026-01-01T23:00Z", "2026-02-12T23:00Z"],
  ["cron-parser", "0 0 13 * 5", "2026-01-01T12:00Z", "2026-01-01T23:00Z", "2026-02-12T23:00Z"],
] as const;

describe("beside other libraries, where the rules differ (docs/reference/cron-differences.md)", () => {
  it.each(DIFFERENCES)("%s reads %s from %s as %s", (library, text, after, theirs, ours) => {
    const timeZone = "Europe/Belgrade";
    const at = new Date(after);
    const found =
      library === "croner"
        ? new Croner(text, { timezone: timeZone, paused: true }).nextRun(at)
        : CronExpressionParser.parse(text, { tz: timeZone, currentDate: at }).next().toDate();
    expect(found).toEqual(new Date(theirs));
    expect(nextOccurrence(parseCron(text), at, { timeZone })).toEqual(new Date(ours));
  });
});
