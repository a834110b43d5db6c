import { describe, expect, it } from "vitest";
import { parsePosixRule, ruleChanges } from "../src/posix-rule.ts";

function changesIn(text: string, year: number): readonly string[] {
  const [first, last] = [Date.UTC(year, 0) / 1000, Date.UTC(year + 1, 0) / 1000];
  return ruleChanges(parsePosixRule(text), first, last)
    .filter(({ second }) => second >= first && second < last)
    .map(({ second, offsetSeconds }) => {
      const at = new Date(second * 1000).toISOString().slice(0, 16);
      return `${at} ${offsetSeconds / 60}`;
    });
}

describe("the rule of a compiled file's footer (RFC 8536)", () => {
  it("weeks of months, counted from the first or the last", () => {
    expect(changesIn("CET-1CEST,M3.5.0,M10.5.0/3", 2026)).toEqual([
      "2026-03-29T01:00 120",
      "2026-10-25T01:00 60",
    ]);
    expect(changesIn("NZST-12NZDT,M9.5.0,M4.1.0/3", 2026)).toEqual([
      "2026-04-04T14:00 720",
      "2026-09-26T14:00 780",
    ]);
  });

  it("offsets with minutes, names in brackets, daylight time of half an hour", () => {
    expect(changesIn("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026)).toEqual([
      "2026-04-04T15:00 630",
      "2026-10-03T15:30 660",
    ]);
  });

  it("hours before midnight and past the next day", () => {
    expect(changesIn("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026)).toEqual([
      "2026-03-29T01:00 -60",
      "2026-10-25T01:00 -120",
    ]);
    expect(changesIn("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026)).toEqual([
      "2026-03-28T00:00 180",
      "2026-10-23T23:00 120",
    ]);
  });

  it("daylight time that lies behind standard time (Dublin)", () => {
    expect(changesIn("IST-1GMT0,M10.5.0,M3.5.0/1", 2026)).toEqual([
      "2026-03-29T01:00 60",
      "2026-10-25T01:00 0",
    ]);
  });

  it("days of the year, with and without 29 February", () => {
    expect(changesIn("AAA3BBB,J60/0,J300", 2028)).toEqual([
      "2028-03-01T03:00 -120",
      "2028-10-27T04:00 -180",
    ]);
    expect(changesIn("AAA3BBB,59/0,299", 2028)).toEqual([
      "2028-02-29T03:00 -120",
      "2028-10-26T04:00 -180",
    ]);
    expect(changesIn("AAA3BBB,59/0,299", 2027)[0]).toBe("2027-03-01T03:00 -120");
    expect(changesIn("AAA3BBB,J59/0,J300", 2028)[0]).toBe("2028-02-28T03:00 -120");
  });

  it("a rule without daylight time has one offset", () => {
    expect(parsePosixRule("<+0545>-5:45")).toEqual({
      standardSeconds: 20_700,
      daylight: undefined,
    });
    expect(parsePosixRule("AAA+1:02:03").standardSeconds).toBe(-3723);
  });

  it("a text that is no rule is refused", () => {
    for (const text of [
      "",
      "CET",
      "CET-1CEST",
      "1CET",
      "CET-1CEST,M3.5.0",
      "CET-1CEST,M13.5.0,M10.5.0",
      "CET-1CEST,M0.5.0,M10.5.0",
      "CET-1CEST,M3.6.0,M10.5.0",
      "CET-1CEST,M3.0.0,M10.5.0",
      "CET-1CEST,M3.5.7,M10.5.0",
      "CET-1CEST,M3.5.0,M10.5.0 ",
    ]) {
      expect(() => parsePosixRule(text)).toThrow(RangeError);
    }
  });
});
