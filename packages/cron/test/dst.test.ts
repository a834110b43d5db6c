import { describe, expect, it } from "vitest";
import {
  matchesCron,
  nextOccurrence,
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

  it("a day that a zone skipped is caught up once, at its end", () => {
    const apia = { timeZone: "Pacific/Apia", dst: "Once" } as const;
    expect(first(2, "0 9 * * *", "2011-12-29T20:00", apia)).toEqual([
      "2011-12-30T10:00",
      "2011-12-30T19:00",
    ]);
  });
});
