import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backfillName, occurrenceName, scheduleOfRun, triggerName } from "../src/index.ts";
import { at } from "./seed-schedule.ts";

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

describe("names of runs (D10)", () => {
  it("an occurrence's run, a triggered run, a backfilled run", () => {
    expect(occurrenceName("report", at("09:05"))).toBe("report-202610130905");
    expect(triggerName("report", "now-1")).toBe("report-tnow-1");
    expect(backfillName("report", "b7", at("09:05"))).toBe("report-bb7-202610130905");
  });

  it("the stamp is the UTC date and time of any instant in four-digit years", () => {
    const year0 = -62_167_219_200_000;
    const year9999 = 253_402_300_799_999;
    fc.assert(
      fc.property(fc.integer({ min: year0, max: year9999 }), (instant) => {
        const stamp = new Date(instant).toISOString().replace(/\D/g, "").slice(0, 12);
        expect(occurrenceName("a", instant)).toBe(`a-${stamp}`);
      }),
      {
        examples: [[year0], [year9999], [-1], [0], [Date.UTC(2028, 1, 29)], [Date.UTC(2100, 2, 1)]],
      },
    );
  });

  it("an occurrence's run tells its schedule, and no triggered run or other Job does", () => {
    expect(scheduleOfRun(occurrenceName("a-b", at("09:05")))).toBe("a-b");
    expect(scheduleOfRun(triggerName("report", "12345678"))).toBeUndefined();
    for (const name of ["report", "report-20261013090", "report-2026101309050", "202610130905"]) {
      expect(scheduleOfRun(name)).toBeUndefined();
    }
  });

  it("every name is a DNS-1123 label, also of the longest schedule with the longest id", () => {
    const name = "s".repeat(40);
    expect(backfillName(name, "12345678", at("09:05"))).toHaveLength(63);
    for (const run of [
      occurrenceName(name, at("09:05")),
      triggerName(name, "12345678"),
      backfillName(name, "12345678", at("09:05")),
    ]) {
      expect(run).toMatch(LABEL);
    }
  });

  it.each(["", "123456789", "A", "a_b", "-a", "a-", "a b", "ü"])("the id %j is refused", (id) => {
    const message = "id must be 1 to 8 lower-case letters, digits or inner hyphens";
    expect(() => triggerName("report", id)).toThrow(message);
    expect(() => backfillName("report", id, 0)).toThrow(message);
  });

  it.each([[Number.NaN], [1.5], [253_402_300_800_000], ["0"], [new Date(0)]])(
    "the instant %j is refused",
    (instant) => {
      expect(() => occurrenceName("report", instant as number)).toThrow(/^at must be/);
      expect(() => backfillName("report", "a", instant as number)).toThrow(/^at must be/);
    },
  );
});
