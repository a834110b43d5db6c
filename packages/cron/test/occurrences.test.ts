import { describe, expect, it } from "vitest";
import {
  admitCron,
  isSatisfiable,
  matchesCron,
  nextOccurrence,
  occurrences,
  occurrencesBetween,
  parseCron,
  previousOccurrence,
  type Zoned,
} from "../src/index.ts";

const BELGRADE = { timeZone: "Europe/Belgrade" };
const utc = (text: string): Date => new Date(`${text}Z`);

/** The first `count` occurrences, each found from the one before. */
function first(count: number, text: string, after: string, options: Zoned = {}): string[] {
  const found: string[] = [];
  const cron = parseCron(text);
  let at: Date | undefined = utc(after);
  while (found.length < count) {
    at = nextOccurrence(cron, at, options);
    if (at === undefined) break;
    found.push(at.toISOString().slice(0, 16));
  }
  return found;
}

describe("C3 and C4: all five fields match", () => {
  it("[C31-81] changing any one field stops the match", () => {
    const at = utc("2026-10-13T09:00");
    expect(matchesCron(parseCron("0 9 13 10 2"), at)).toBe(true);
    for (const text of ["1 9 13 10 2", "0 8 13 10 2", "0 9 14 10 2", "0 9 13 9 2", "0 9 13 10 3"]) {
      expect(matchesCron(parseCron(text), at)).toBe(false);
    }
  });

  it("[C31-82] both day fields must match", () => {
    const at = utc("2026-10-13T09:00");
    expect(matchesCron(parseCron("0 9 13 * 1"), at)).toBe(false);
    expect(matchesCron(parseCron("0 9 14 * 2"), at)).toBe(false);
    expect(matchesCron(parseCron("0 9 13 * 2"), at)).toBe(true);
    expect(first(3, "0 0 13 * 5", "2026-01-01T00:00")).toEqual([
      "2026-02-13T00:00",
      "2026-03-13T00:00",
      "2026-11-13T00:00",
    ]);
  });

  it("[A53-59] Friday the 13th after 1 October 2026 is in November, and parsing warns", () => {
    expect(first(1, "0 0 13 * 5", "2026-10-01T00:00")).toEqual(["2026-11-13T00:00"]);
    expect(admitCron("0 0 13 * 5")).toMatchObject({
      ok: true,
      warnings: [{ code: "cron.both-day-fields" }],
    });
  });

  it("seconds of the instant are ignored (C4)", () => {
    const cron = parseCron("0 9 * * *");
    expect(matchesCron(cron, utc("2026-10-13T09:00:59.999"))).toBe(true);
    expect(matchesCron(cron, utc("2026-10-13T08:59:59.999"))).toBe(false);
    expect(matchesCron(cron, utc("2026-10-13T09:01"))).toBe(false);
  });
});

describe("C5 nextOccurrence", () => {
  it("[C31-83] truncates to the minute, then starts at the following one", () => {
    expect(first(1, "*/5 * * * *", "2026-10-13T09:00:59.999")).toEqual(["2026-10-13T09:05"]);
    expect(first(1, "*/5 * * * *", "2026-10-13T09:05:00")).toEqual(["2026-10-13T09:10"]);
    expect(first(1, "* * * * *", "2026-10-13T09:00:30")).toEqual(["2026-10-13T09:01"]);
  });

  it("[C31-84] looks at 527 040 minutes, the last one included", () => {
    expect(first(1, "0 0 29 2 *", "2027-02-27T23:59")).toEqual([]);
    expect(first(1, "0 0 29 2 *", "2027-02-28T00:00")).toEqual(["2028-02-29T00:00"]);
  });

  it("[C31-85] nothing within the horizon is undefined, not an error", () => {
    const at = utc("2026-10-13T00:00");
    expect(nextOccurrence(parseCron("0 0 29 2 *"), at)).toBeUndefined();
    for (const year of [1, 1970, 2026, 2400, 200_000]) {
      const from = new Date(0).setUTCFullYear(year);
      expect(nextOccurrence(parseCron("0 0 30 2 *"), from)).toBeUndefined();
      expect(
        nextOccurrence(parseCron("0 0 30 2 *"), from, { horizonMinutes: Infinity }),
      ).toBeUndefined();
    }
  });

  it("[C31-73] Sunday is 0", () => {
    expect(first(1, "0 0 * * 0", "2026-10-13T00:00")).toEqual(["2026-10-18T00:00"]);
    expect(() => parseCron("0 0 * * 7")).toThrow("weekday value 7 is out of range");
  });

  it("the horizon is counted in minutes, and can be without bound", () => {
    const cron = parseCron("0 9 * * *");
    const at = Date.UTC(2026, 9, 13, 8, 50);
    expect(nextOccurrence(cron, at, { horizonMinutes: 9 })).toBeUndefined();
    expect(nextOccurrence(cron, at, { horizonMinutes: 10 })).toBe(Date.UTC(2026, 9, 13, 9));
    expect(nextOccurrence(cron, at, { horizonMinutes: 0 })).toBeUndefined();
    const leap = parseCron("0 0 29 2 1");
    const from = Date.UTC(2096, 2, 1);
    const options = { horizonMinutes: Infinity };
    expect(nextOccurrence(parseCron("0 0 29 2 *"), from, options)).toBe(Date.UTC(2104, 1, 29));
    expect(nextOccurrence(leap, Date.UTC(2072, 2, 1), options)).toBe(Date.UTC(2112, 1, 29));
    expect(nextOccurrence(leap, Date.UTC(2072, 2, 1), { horizonMinutes: 40 * 527_040 })).toBe(
      Date.UTC(2112, 1, 29),
    );
  });

  it("a date that always falls in a gap has no answer, however far one looks", () => {
    const cron = parseCron("30 2 25-31 3 0");
    const after = Date.UTC(2026, 0);
    expect(nextOccurrence(cron, after, { ...BELGRADE, horizonMinutes: Infinity })).toBeUndefined();
    expect(nextOccurrence(cron, after, { horizonMinutes: Infinity })).toBe(
      Date.UTC(2026, 2, 29, 2, 30),
    );
  });

  it("answers up to the ends of time that a Date can hold, and not past them", () => {
    const every = parseCron("* * * * *");
    const end = 8.64e15;
    expect(nextOccurrence(every, end)).toBeUndefined();
    expect(nextOccurrence(every, end - 1)).toBe(end);
    expect(nextOccurrence(every, end - 1, BELGRADE)).toBe(end);
    expect(nextOccurrence(every, -end)).toBe(-end + 60_000);
    expect(previousOccurrence(every, -end + 1)).toBe(-end);
    expect(previousOccurrence(every, -end)).toBeUndefined();
    expect(previousOccurrence(every, -end, { horizonMinutes: Infinity })).toBeUndefined();
    expect(
      nextOccurrence(parseCron("0 0 1 1 *"), end, { horizonMinutes: Infinity }),
    ).toBeUndefined();
  });

  it("gives back the kind that it was given", () => {
    const cron = parseCron("0 9 * * *");
    const date: Date | undefined = nextOccurrence(cron, utc("2026-10-13T00:00"));
    const number: number | undefined = nextOccurrence(cron, Date.UTC(2026, 9, 13));
    expect(date?.getTime()).toBe(number);
    const either = Date.UTC(2026, 9, 13) as Date | number;
    expect(nextOccurrence(cron, either)).toBe(number);
    expect(previousOccurrence(cron, either)).toBe(Date.UTC(2026, 9, 12, 9));
    expect(previousOccurrence(cron, new Date(either))).toEqual(utc("2026-10-12T09:00"));
  });
});

describe("C6 occurrencesBetween", () => {
  const minutely = parseCron("* * * * *");

  it("[C31-99] after the base, through now", () => {
    const after = utc("2026-10-13T12:01");
    expect(occurrencesBetween(minutely, { after, through: utc("2026-10-13T12:02") })).toEqual([
      utc("2026-10-13T12:02"),
    ]);
    const through = utc("2026-10-13T12:01:59.999");
    expect(occurrencesBetween(minutely, { after, through })).toEqual([]);
  });

  it("[C31-100] a limit that is absent, 0 or negative is 100", () => {
    const window = { after: utc("2026-10-13T12:00"), through: utc("2026-10-13T14:00") };
    for (const options of [undefined, {}, { limit: undefined }, { limit: 0 }, { limit: -5 }]) {
      const found = occurrencesBetween(minutely, window, options);
      expect(found).toHaveLength(100);
      expect(found[0]).toEqual(utc("2026-10-13T12:01"));
      expect(found[99]).toEqual(utc("2026-10-13T13:40"));
    }
    const rest = { after: utc("2026-10-13T13:40"), through: window.through };
    expect(occurrencesBetween(minutely, rest)).toHaveLength(20);
    expect(occurrencesBetween(minutely, window, { limit: Infinity })).toHaveLength(120);
    expect(occurrencesBetween(minutely, window, { limit: 7 })).toHaveLength(7);
  });

  it("looks past the horizon, and at nothing in an empty window", () => {
    const leap = parseCron("0 0 29 2 *");
    const window = { after: Date.UTC(2001, 0), through: Date.UTC(2013, 0) };
    expect(occurrencesBetween(leap, window)).toEqual([
      Date.UTC(2004, 1, 29),
      Date.UTC(2008, 1, 29),
      Date.UTC(2012, 1, 29),
    ]);
    expect(occurrencesBetween(leap, { after: window.through, through: window.after })).toEqual([]);
  });
});

describe("C10 previousOccurrence and occurrences", () => {
  it("previous is strictly before, to the millisecond", () => {
    const cron = parseCron("0 9 * * *");
    const nine = Date.UTC(2026, 9, 13, 9);
    expect(previousOccurrence(cron, nine)).toBe(nine - 86_400_000);
    expect(previousOccurrence(cron, nine + 1)).toBe(nine);
    expect(previousOccurrence(cron, nine + 60_000)).toBe(nine);
    expect(previousOccurrence(cron, nine, { horizonMinutes: 1439 })).toBeUndefined();
    expect(previousOccurrence(cron, nine, { horizonMinutes: 1440 })).toBe(nine - 86_400_000);
    expect(previousOccurrence(parseCron("0 0 30 2 *"), nine)).toBeUndefined();
    const far = { ...BELGRADE, horizonMinutes: Infinity };
    expect(previousOccurrence(parseCron("0 0 29 2 1"), Date.UTC(2026, 0), far)).toBe(
      Date.UTC(2016, 1, 28, 23),
    );
  });

  it("occurrences iterates lazily, up to `through` or for ever", () => {
    const window = { after: Date.UTC(2026, 0), through: Date.UTC(2026, 0, 1, 3) };
    expect([...occurrences(parseCron("0 * * * *"), window)]).toEqual(
      [1, 2, 3].map((hour) => Date.UTC(2026, 0, 1, hour)),
    );
    const leaps: number[] = [];
    for (const at of occurrences(parseCron("0 0 29 2 *"), { after: utc("2090-01-01T00:00") })) {
      leaps.push(at.getUTCFullYear());
      if (leaps.length === 4) break;
    }
    expect(leaps).toEqual([2092, 2096, 2104, 2108]);
    expect([...occurrences(parseCron("0 0 30 2 *"), { after: 0 })]).toEqual([]);
  });
});

describe("C12 isSatisfiable", () => {
  it("is false exactly for days that none of the months has", () => {
    for (const text of ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 30,31 2 *", "0 0 31 4 1"]) {
      expect(isSatisfiable(parseCron(text))).toBe(false);
      expect(admitCron(text)).toMatchObject({ ok: false, diagnostics: [{ code: "cron.never" }] });
    }
    for (const text of [
      "0 0 29 2 *",
      "0 0 29 2 1",
      "0 0 31 2,3 *",
      "0 0 30 2,4 *",
      "0 0 29,30 2 *",
    ]) {
      expect(isSatisfiable(parseCron(text))).toBe(true);
      expect(admitCron(text).ok).toBe(true);
    }
    expect(admitCron("0 24 * * *")).toMatchObject({
      ok: false,
      diagnostics: [{ code: "cron.range" }],
    });
  });
});
