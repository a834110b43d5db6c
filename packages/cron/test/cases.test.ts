import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nextOccurrence, occurrencesBetween, parseCron } from "../src/index.ts";
import { answer, type Row, readRows } from "./support/case-rows.ts";

const rows = readRows<Row>("cron.jsonl");
const machineZone = process.env.TZ;

/** Offset of 1 October 2026 on the process's own clock: shows that the zone really is another. */
const PROCESS_ZONES = [
  ["UTC", 0],
  ["America/New_York", 240],
  ["Australia/Lord_Howe", -630],
  ["Asia/Kolkata", -330],
] as const;

describe.each(PROCESS_ZONES)("published cases with the process in %s", (zone, minutesWest) => {
  beforeAll(() => {
    process.env.TZ = zone;
    expect(new Date(Date.UTC(2026, 8, 1)).getTimezoneOffset()).toBe(minutesWest);
  });
  afterAll(() => {
    if (machineZone === undefined) delete process.env.TZ;
    else process.env.TZ = machineZone;
  });

  it.each(rows.map((row) => [row.id, row] as const))("%s", (_, row) => {
    expect(answer(row)).toEqual(row.expect);
  });

  it("[C31-90] the process's own zone plays no part (C7)", () => {
    const timeZone = "Europe/Belgrade";
    const weekdays = parseCron("0 9 * * 1-5");
    const after = Date.UTC(2026, 9, 13);
    expect(nextOccurrence(weekdays, after)).toBe(Date.UTC(2026, 9, 13, 9));
    expect(nextOccurrence(weekdays, after, { timeZone })).toBe(Date.UTC(2026, 9, 13, 7));
    const window = { after: new Date("2026-03-28T12:00Z"), through: new Date("2026-03-31T00:30Z") };
    expect(occurrencesBetween(parseCron("30 2 * * *"), window, { timeZone })).toEqual([
      new Date("2026-03-30T00:30Z"),
      new Date("2026-03-31T00:30Z"),
    ]);
  });
});

describe("rows that made other libraries hang", () => {
  it.each(rows.filter((row) => row.kind === "hang").map((row) => [row.id, row] as const))(
    "%s reads the zone data at most once",
    (_, row) => {
      let reads = 0;
      const zones = {
        version: "counted",
        zoneNames: () => [],
        findZone: (name: string) => name,
        zoneOffsets: (_name: string, window: { from: number }) => {
          reads++;
          return [{ at: window.from, offsetSeconds: 0 }];
        },
      };
      answer(row, zones);
      expect(reads).toBeLessThanOrEqual(3);
      answer(row, zones);
      expect(reads).toBeLessThanOrEqual(3);
    },
  );
});
