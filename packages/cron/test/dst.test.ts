import { describe, expect, it } from "vitest";
import {
  matchesCron,
  nextOccurrence,
  occurrencesBetween,
  parseCron,
  previousOccurrence,
  type Zoned,
} from "../src/index.ts";
import { onceByDefinition } from "./support/stepping.ts";
import { ODD_TRANSITIONS } from "./support/transitions.ts";

const MINUTE = 60_000;

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

describe("C8 daylight saving, Literal", () => {
  it("[C31-92] over the change of offset 09:00 keeps its wall time", () => {
    expect(first(2, "0 9 * * *", "2026-03-28T00:00", BELGRADE)).toEqual([
      "2026-03-28T08:00",
      "2026-03-29T07:00",
    ]);
    expect(first(2, "0 9 * * *", "2026-10-24T00:00", BELGRADE)).toEqual([
      "2026-10-24T07:00",
      "2026-10-25T08:00",
    ]);
  });

  it("[C31-93] a wall time that is absent does not occur", () => {
    expect(first(2, "30 2 * * *", "2026-03-28T12:00", BELGRADE)).toEqual([
      "2026-03-30T00:30",
      "2026-03-31T00:30",
    ]);
  });

  it("[C31-94] a wall time that repeats occurs twice", () => {
    expect(first(3, "30 2 * * *", "2026-10-24T12:00", BELGRADE)).toEqual([
      "2026-10-25T00:30",
      "2026-10-25T01:30",
      "2026-10-26T01:30",
    ]);
  });

  it("the first minute of a gap is no occurrence, the first after it is one", () => {
    expect(first(1, "0 2 * * *", "2026-03-28T12:00", BELGRADE)).toEqual(["2026-03-30T00:00"]);
    expect(first(1, "0 3 * * *", "2026-03-28T12:00", BELGRADE)).toEqual(["2026-03-29T01:00"]);
    const before = utc("2026-03-29T02:00");
    expect(previousOccurrence(parseCron("0 3 * * *"), before, BELGRADE)).toEqual(
      utc("2026-03-29T01:00"),
    );
    expect(previousOccurrence(parseCron("0 2 * * *"), before, BELGRADE)).toEqual(
      utc("2026-03-28T01:00"),
    );
  });

  it("[C31-95] hour by hour it goes straight through", () => {
    const hours = (day: string) => [0, 1, 2, 3].map((hour) => `${day}T0${hour}:00`);
    expect(first(4, "0 * * * *", "2026-03-28T23:30", BELGRADE)).toEqual(hours("2026-03-29"));
    expect(first(4, "0 * * * *", "2026-10-24T23:30", BELGRADE)).toEqual(hours("2026-10-25"));
  });
});

describe("C9 daylight saving, Once", () => {
  it("[C31-96] a fixed time in a gap comes at its end, a repeated one comes once", () => {
    const once = { ...BELGRADE, dst: "Once" } as const;
    expect(first(2, "30 2 * * *", "2026-03-28T12:00", once)).toEqual([
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    expect(first(2, "30 2 * * *", "2026-10-24T12:00", once)).toEqual([
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
  });

  it("several times in one gap are one occurrence", () => {
    const once = { ...BELGRADE, dst: "Once" } as const;
    expect(first(3, "0,15,30 2,3 * * *", "2026-03-29T00:00", once)).toEqual([
      "2026-03-29T01:00",
      "2026-03-29T01:15",
      "2026-03-29T01:30",
    ]);
  });

  it("in the second of two equal hours it goes on with the first time not yet shown", () => {
    const once = { ...BELGRADE, dst: "Once" } as const;
    expect(first(2, "0,59 2,3 * * *", "2026-10-25T00:58", once)).toEqual([
      "2026-10-25T00:59",
      "2026-10-25T02:00",
    ]);
    expect(previousOccurrence(parseCron("0,59 2,3 * * *"), utc("2026-10-25T02:00"), once)).toEqual(
      utc("2026-10-25T00:59"),
    );
    expect(matchesCron(parseCron("0 2 * * *"), utc("2026-10-25T01:00"), once)).toBe(false);
    expect(matchesCron(parseCron("0 2 * * *"), utc("2026-10-25T00:00"), once)).toBe(true);
    expect(matchesCron(parseCron("30 2 * * *"), utc("2026-03-29T01:00"), once)).toBe(true);
  });

  it("a star in minute or hour alone makes it Literal", () => {
    const once = { ...BELGRADE, dst: "Once" } as const;
    for (const text of ["*/30 2 * * *", "0,*/30 2 * * *", "0,30 * * * *", "0,30 2,*/2 * * *"]) {
      const cron = parseCron(text);
      expect(matchesCron(cron, utc("2026-10-25T00:30"), once)).toBe(true);
      expect(matchesCron(cron, utc("2026-10-25T01:30"), once)).toBe(true);
    }
    expect(matchesCron(parseCron("0,30 2 * * *"), utc("2026-10-25T01:30"), once)).toBe(false);
  });

  it("a day that a zone skipped is caught up once, at its end", () => {
    const apia = { timeZone: "Pacific/Apia", dst: "Once" } as const;
    expect(first(2, "0 9 * * *", "2011-12-29T20:00", apia)).toEqual([
      "2011-12-30T10:00",
      "2011-12-30T19:00",
    ]);
  });
});

describe("C9 around odd changes of offset, word for word", () => {
  const DENSE = "0,1,10,29,30,31,59 0,1,2,3,21,22,23 * * *";

  it.each(ODD_TRANSITIONS)("%s at %s, forwards, backwards and minute by minute", (timeZone, at) => {
    const cron = parseCron(DENSE);
    const middle = Math.floor(Date.parse(at) / MINUTE);
    const [from, through] = [middle - 300, middle + 1800];
    const wanted = onceByDefinition(cron, { from, through }, timeZone);
    const options = { timeZone, dst: "Once", limit: Infinity } as const;
    const window = { after: (from - 1) * MINUTE, through: through * MINUTE };
    const found = occurrencesBetween(cron, window, options).map((instant) => instant / MINUTE);
    expect(found).toEqual(wanted);
    const back: number[] = [];
    let before = through + 1;
    for (;;) {
      const horizonMinutes = before - from;
      const previous = previousOccurrence(cron, before * MINUTE, { ...options, horizonMinutes });
      if (previous === undefined) break;
      before = previous / MINUTE;
      back.unshift(before);
    }
    expect(back).toEqual(wanted);
    const matching: number[] = [];
    for (let minute = from; minute <= through; minute++) {
      if (matchesCron(cron, minute * MINUTE, options)) matching.push(minute);
    }
    expect(matching).toEqual(wanted);
    for (const minute of wanted) {
      const exact = { ...options, horizonMinutes: 1 };
      expect(nextOccurrence(cron, (minute - 1) * MINUTE, exact)).toBe(minute * MINUTE);
      expect(previousOccurrence(cron, (minute + 1) * MINUTE, exact)).toBe(minute * MINUTE);
    }
  });

  it("matching does not depend on what was asked before", () => {
    const options = { timeZone: "Europe/Belgrade" };
    const cron = parseCron("30 2 * * *");
    const winter = Date.UTC(2026, 0, 10, 1, 30);
    const summer = Date.UTC(2026, 6, 10, 0, 30);
    for (const at of [winter, summer, winter, summer, summer, winter]) {
      expect(matchesCron(cron, at, options)).toBe(true);
      expect(matchesCron(cron, at + 3_600_000, options)).toBe(false);
      expect(matchesCron(cron, at - 3_600_000, options)).toBe(false);
    }
    const spring = Date.UTC(2026, 2, 29, 1);
    const everyHour = parseCron("0 1,3 29 3 *");
    for (const [at, matches] of [
      [spring, true],
      [spring - 60_000, false],
      [spring - 3_600_000, true],
      [spring, true],
    ] as const) {
      expect(matchesCron(everyHour, at, options)).toBe(matches);
    }
  });

  it("is found far away, forwards and backwards, in a zone that changes twice a year", () => {
    const options = { timeZone: "Europe/Belgrade", horizonMinutes: 12 * 527_040 };
    const leap = parseCron("30 2 29 2 *");
    expect(nextOccurrence(leap, Date.UTC(2096, 5, 1), options)).toBe(Date.UTC(2104, 1, 29, 1, 30));
    expect(previousOccurrence(leap, Date.UTC(2103, 5, 1), options)).toBe(
      Date.UTC(2096, 1, 29, 1, 30),
    );
    const inTheFold = parseCron("30 2 25-31 10 0");
    expect(previousOccurrence(inTheFold, Date.UTC(2026, 5, 1), options)).toBe(
      Date.UTC(2025, 9, 26, 1, 30),
    );
    expect(previousOccurrence(inTheFold, Date.UTC(2025, 9, 26, 1, 30), options)).toBe(
      Date.UTC(2025, 9, 26, 0, 30),
    );
  });
});
