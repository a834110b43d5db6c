import { describe, expect, it } from "vitest";
import {
  type CronExpression,
  matchesCron,
  nextOccurrence,
  occurrences,
  occurrencesBetween,
  parseCron,
  previousOccurrence,
} from "../src/index.ts";

describe("copies and mistakes", () => {
  it("a copy works in an expression's place, and only its source is trusted", () => {
    const cron = parseCron("0 9 * * 1-5");
    const at = Date.UTC(2026, 9, 13);
    const want = nextOccurrence(cron, at);
    for (const copy of [
      { ...cron },
      structuredClone(cron),
      JSON.parse(JSON.stringify(cron)) as CronExpression,
    ]) {
      expect(nextOccurrence(copy, at)).toBe(want);
      expect(nextOccurrence(Object.freeze(copy), at)).toBe(want);
    }
    const changed = { ...cron, hour: [3], source: "30 8 * * *" };
    expect(nextOccurrence(changed, at)).toBe(Date.UTC(2026, 9, 13, 8, 30));
    changed.source = "45 7 * * *";
    expect(nextOccurrence(changed, at)).toBe(Date.UTC(2026, 9, 13, 7, 45));
    changed.source = "no cron";
    expect(() => nextOccurrence(changed, at)).toThrow(SyntaxError);
  });

  it("what is no expression is a TypeError", () => {
    for (const value of ["0 9 * * *", undefined, null, {}, { source: 5 }, 7]) {
      expect(() => nextOccurrence(value as never, 0)).toThrow(TypeError);
    }
  });

  it("an invalid instant is a RangeError, what is no instant a TypeError, each naming it", () => {
    const cron = parseCron("* * * * *");
    for (const value of [NaN, Infinity, -Infinity, 8.64e15 + 1, new Date(NaN)]) {
      expect(() => nextOccurrence(cron, value)).toThrow(
        new RangeError("after is not a valid instant"),
      );
      expect(() => matchesCron(cron, value)).toThrow(new RangeError("at is not a valid instant"));
      expect(() => previousOccurrence(cron, value)).toThrow("before is not a valid instant");
      expect(() => occurrencesBetween(cron, { after: 0, through: value as number })).toThrow(
        "through is not a valid instant",
      );
    }
    for (const value of ["2026-10-13", undefined, null, {}, 5n, "0"]) {
      expect(() => nextOccurrence(cron, value as never)).toThrow(
        new TypeError("after must be a Date or a number of milliseconds"),
      );
    }
  });

  it("options out of their range are RangeErrors, mixed kinds a TypeError", () => {
    const cron = parseCron("0 9 * * *");
    for (const horizonMinutes of [-1, 1.5, NaN, -Infinity]) {
      expect(() => nextOccurrence(cron, 0, { horizonMinutes })).toThrow(RangeError);
      expect(() => previousOccurrence(cron, 0, { horizonMinutes })).toThrow(RangeError);
    }
    expect(() => nextOccurrence(cron, 0, { dst: "once" as never })).toThrow(RangeError);
    const mixed = { after: 0, through: new Date(0) } as never;
    expect(() => occurrencesBetween(cron, mixed)).toThrow(TypeError);
    expect(() => occurrences(cron, mixed)).toThrow(TypeError);
    expect(
      nextOccurrence(cron, 0, {
        timeZone: undefined,
        dst: undefined,
        zones: undefined,
        horizonMinutes: undefined,
      }),
    ).toBe(Date.UTC(1970, 0, 1, 9));
  });
});
