import { describe, expect, it } from "vitest";
import {
  engineZones,
  localTime,
  nextOccurrence,
  occurrencesBetween,
  parseCron,
  previousOccurrence,
  type ZoneOffset,
  type ZoneSource,
} from "../src/index.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A made-up zone with given changes; counts how often and for what windows it is asked. */
function sourceOf(first: number, changes: readonly (readonly [at: number, offset: number])[]) {
  const windows: { from: number; through: number }[] = [];
  const source: ZoneSource = {
    version: "made up",
    zoneNames: () => ["Made/Up"],
    findZone: (name) => (name.toLowerCase() === "made/up" ? "Made/Up" : undefined),
    zoneOffsets: (_, { from, through }) => {
      windows.push({ from, through });
      let offsetSeconds = first;
      const within: ZoneOffset[] = [];
      for (const [at, offset] of changes) {
        if (at <= from) offsetSeconds = offset;
        else if (at <= through) within.push({ at, offsetSeconds: offset });
      }
      return [{ at: from, offsetSeconds }, ...within];
    },
  };
  return { source, windows, options: { timeZone: "Made/Up", zones: source } };
}

const START = Date.UTC(2026, 5, 1);
const everyMinute = parseCron("* * * * *");

describe("the table of a zone", () => {
  it("is read once for each block of 2^20 minutes, and blocks meet without a hole", () => {
    const { windows, options } = sourceOf(0, []);
    const cron = parseCron("0 0 1 1 *");
    const window = { after: START, through: Date.UTC(2046, 0) };
    expect(occurrencesBetween(cron, window, options)).toHaveLength(20);
    const reads = windows.length;
    expect(occurrencesBetween(cron, window, options)).toHaveLength(20);
    expect(windows).toHaveLength(reads);
    const sorted = [...windows].sort((a, b) => a.from - b.from);
    for (const [index, { from, through }] of sorted.entries()) {
      expect(from % (2 ** 20 * 60_000)).toBe(0);
      expect(through - from).toBe(2 ** 20 * 60_000 - 1);
      if (index > 0) expect(from).toBe((sorted[index - 1]?.through as number) + 1);
    }
  });

  it("is shared by all spellings of a name", () => {
    const { source, windows } = sourceOf(3600, []);
    for (const timeZone of ["Made/Up", "made/up", "MADE/UP", "Made/Up"]) {
      expect(nextOccurrence(parseCron("0 9 * * *"), START, { timeZone, zones: source })).toBe(
        START + 8 * HOUR,
      );
    }
    expect(windows).toHaveLength(1);
  });

  it("reads nothing before 1798, and no year after 2500 that it has not read 400 years earlier", () => {
    const { windows, options } = sourceOf(0, []);
    for (const year of [-200_000, 1, 1700, 1790, 2600, 3000, 9999, 200_000]) {
      const at = new Date(0).setUTCFullYear(year);
      expect(nextOccurrence(everyMinute, at, options)).toBe(at + 60_000);
      expect(previousOccurrence(everyMinute, at, options)).toBe(at - 60_000);
      expect(localTime(at, options).offset).toBe("+00:00");
    }
    for (const { from, through } of windows) {
      expect(from).toBeGreaterThanOrEqual(Date.UTC(1798, 0));
      expect(through).toBeLessThan(Date.UTC(2503, 0));
    }
  });

  it("forgets names when it has met over a thousand, not before", () => {
    let looked = 0;
    const zones: ZoneSource = {
      ...sourceOf(0, []).source,
      findZone: (name) => {
        looked++;
        return name;
      },
    };
    const cron = parseCron("0 9 * * *");
    const ask = (index: number) =>
      nextOccurrence(cron, START, { timeZone: `Made/Up${index}`, zones });
    for (let index = 0; index < 1000; index++) ask(index);
    expect(looked).toBe(1000);
    for (let index = 0; index < 1000; index++) ask(index);
    expect(looked).toBe(1000);
    for (let index = 1000; index < 1100; index++) ask(index);
    expect(looked).toBe(1100);
    ask(0);
    ask(1099);
    expect(looked).toBe(1101);
  });

  it("refuses a source without a valid offset, saying of which zone", () => {
    const broken = (offsets: readonly number[]) => ({
      timeZone: "Made/Up",
      zones: {
        ...sourceOf(0, []).source,
        zoneOffsets: (_: string, { from }: { from: number }) =>
          offsets.map((offsetSeconds, index) => ({ at: from + index, offsetSeconds })),
      },
    });
    for (const offsets of [[], [86_400], [0, 86_400], [86_400, 0], [-86_400], [Number.NaN]]) {
      expect(() => nextOccurrence(everyMinute, START, broken(offsets))).toThrow(
        new RangeError("zones gives no valid offset for Made/Up"),
      );
    }
    expect(() => nextOccurrence(everyMinute, START, { timeZone: 5 as never })).toThrow(
      new TypeError("timeZone must be a string"),
    );
  });

  it.each<[string, (from: number, through: number) => readonly unknown[]]>([
    ["no number as its start", () => [[Number.NaN, 0]]],
    ["a text as its start", (from) => [[String(from), 0]]],
    ["a late start", (from) => [[from + HOUR, 0]]],
    ["an early start", (from) => [[from - HOUR, 0]]],
    [
      "a change at no instant",
      (from) => [
        [from, 0],
        [Number.NaN, 3600],
      ],
    ],
    [
      "changes out of order",
      (from) => [
        [from, 0],
        [from + DAY, 3600],
        [from + HOUR, 0],
      ],
    ],
    [
      "two changes at once",
      (from) => [
        [from, 0],
        [from + DAY, 3600],
        [from + DAY, 0],
      ],
    ],
    [
      "a change after the window",
      (from, through) => [
        [from, 0],
        [through + 1, 3600],
      ],
    ],
    ["an offset as text", (from) => [[from, "3600"]]],
    ["half a second of offset", (from) => [[from, 3600.5]]],
  ])("refuses a source that gives %s, whatever is asked of it", (_, changes) => {
    const zones: ZoneSource = {
      ...sourceOf(0, []).source,
      zoneOffsets: (_name, { from, through }) =>
        (changes(from, through) as [number, number][]).map(([at, offsetSeconds]) => ({
          at,
          offsetSeconds,
        })),
    };
    const refusal = new RangeError("zones gives no valid offset for Made/Up");
    const daily = parseCron("30 2 * * *");
    for (const dst of ["Literal", "Once"] as const) {
      const options = { timeZone: "Made/Up", zones, dst };
      expect(() => nextOccurrence(daily, START, options)).toThrow(refusal);
      expect(() => previousOccurrence(daily, START, options)).toThrow(refusal);
    }
    expect(() => localTime(START, { timeZone: "Made/Up", zones })).toThrow(refusal);
  });

  it("is the same whole periods later, also to the second", () => {
    const timeZone = "Europe/Belgrade";
    const period = 146_097 * DAY;
    for (const month of [0, 3, 6, 10]) {
      for (const year of [2101, 2200, 2350, 2499]) {
        const at = Date.UTC(year, month, 15);
        for (const periods of [1, 2, 5, 600]) {
          const later = at + periods * period;
          expect(localTime(later, { timeZone }).offset).toBe(localTime(at, { timeZone }).offset);
          expect(nextOccurrence(parseCron("0 9 * * *"), later, { timeZone })).toBe(
            (nextOccurrence(parseCron("0 9 * * *"), at, { timeZone }) as number) + periods * period,
          );
        }
      }
    }
  });

  it("changes at the very second of a change", () => {
    const change = Date.UTC(2026, 2, 29, 1);
    const timeZone = "Europe/Belgrade";
    expect(localTime(change - 1, { timeZone })).toEqual({
      local: "2026-03-29T01:59",
      offset: "+01:00",
    });
    expect(localTime(change, { timeZone })).toEqual({
      local: "2026-03-29T03:00",
      offset: "+02:00",
    });
  });

  it("asks no source about UTC", () => {
    const { source, windows } = sourceOf(3600, []);
    expect(localTime(START, { timeZone: "UTC", zones: source }).offset).toBe("+00:00");
    expect(nextOccurrence(everyMinute, START, { zones: source })).toBe(START + 60_000);
    expect(windows).toEqual([]);
  });

  it("floors offsets with seconds, and starts a change at its first whole minute", () => {
    const at = START + 30_500;
    const { options } = sourceOf(90, [[at, 3630]]);
    const shown = (minutes: number) => localTime(START + minutes * 60_000, options);
    expect(shown(0)).toEqual({ local: "2026-06-01T00:01", offset: "+00:01:30" });
    expect(shown(1)).toEqual({ local: "2026-06-01T01:01", offset: "+01:00:30" });
    const cron = parseCron("1 0,1 1 6 *");
    expect(occurrencesBetween(cron, { after: START - 1, through: START + HOUR }, options)).toEqual([
      START,
      START + 60_000,
    ]);
  });

  it("knows offsets of nearly a day either way, and a day lost or doubled", () => {
    for (const [first, second] of [
      [-86_340, 86_340],
      [86_340, -86_340],
    ] as const) {
      const { options } = sourceOf(first, [[START, second]]);
      const daily = parseCron("30 12 * * *");
      const window = { after: START - 4 * DAY, through: START + 4 * DAY };
      const found = occurrencesBetween(daily, window, options);
      for (const at of found) expect(localTime(at, options).local.slice(11)).toBe("12:30");
      expect(found).toHaveLength(8);
      const back: number[] = [];
      let at: number | undefined = window.through + 1;
      for (;;) {
        at = previousOccurrence(daily, at, options);
        if (at === undefined || at <= window.after) break;
        back.unshift(at);
      }
      expect(back).toEqual(found);
    }
  });

  it("finds what is shown again by a second change soon after the first", () => {
    const { options } = sourceOf(0, [
      [START, 7200],
      [START + HOUR, 0],
      [START + 2 * HOUR, -7200],
    ]);
    const cron = parseCron("30 * * * *");
    const window = { after: START - HOUR, through: START + 3 * HOUR };
    const half = (hours: number) => START + (hours + 0.5) * HOUR;
    expect(occurrencesBetween(cron, window, options)).toEqual([-1, 0, 1, 2].map(half));
    // The wall clock shows 02, 01, 00, and then 01 and 02 again.
    const fixed = parseCron("30 0,1,2 1 6 *");
    const long = { after: START, through: START + 6 * HOUR };
    expect(occurrencesBetween(fixed, long, options)).toEqual([0, 1, 2, 3, 4].map(half));
    const once = { ...options, dst: "Once" } as const;
    expect(occurrencesBetween(fixed, long, once)).toEqual([0, 1, 2].map(half));
  });
});

describe("C9 in a zone that shows a part of the gap after all", () => {
  it("what is shown later occurs then, what is never shown occurs at the gap's end", () => {
    const { options } = sourceOf(0, [
      [START, 7200],
      [START + HOUR, 0],
    ]);
    // The wall clock goes from 00:00 to 02:00, and an hour later from 03:00 back to 01:00.
    const once = { ...options, dst: "Once" } as const;
    const window = { after: START - HOUR, through: START + 5 * HOUR };
    const find = (text: string) => occurrencesBetween(parseCron(text), window, once);
    expect(find("30 1 1 6 *")).toEqual([START + 1.5 * HOUR]);
    expect(find("30 0 1 6 *")).toEqual([START]);
    expect(find("30 2 1 6 *")).toEqual([START + 0.5 * HOUR]);
  });
});

describe("the engine's offsets", () => {
  const zones = engineZones();

  it("gives the offset at the start of the window and each change in it, to the second", () => {
    expect(
      zones.zoneOffsets("Europe/Belgrade", { from: Date.UTC(2026, 0), through: Date.UTC(2027, 0) }),
    ).toEqual([
      { at: Date.UTC(2026, 0), offsetSeconds: 3600 },
      { at: Date.UTC(2026, 2, 29, 1), offsetSeconds: 7200 },
      { at: Date.UTC(2026, 9, 25, 1), offsetSeconds: 3600 },
    ]);
    expect(
      zones.zoneOffsets("America/St_Johns", {
        from: Date.UTC(2006, 0),
        through: Date.UTC(2007, 0),
      }),
    ).toEqual([
      { at: Date.UTC(2006, 0), offsetSeconds: -12_600 },
      { at: Date.UTC(2006, 3, 2, 3, 31), offsetSeconds: -9000 },
      { at: Date.UTC(2006, 9, 29, 2, 31), offsetSeconds: -12_600 },
    ]);
    expect(zones.zoneOffsets("Africa/Monrovia", { from: 0, through: Date.UTC(1980, 0) })).toEqual([
      { at: 0, offsetSeconds: -2670 },
      { at: Date.UTC(1972, 0, 7, 0, 44, 30), offsetSeconds: 0 },
    ]);
  });

  it("includes a change at the end of the window, and one at its start only as the offset there", () => {
    const change = Date.UTC(2026, 2, 29, 1);
    const of = (from: number, through: number) =>
      zones.zoneOffsets("Europe/Belgrade", { from, through }).map(({ at }) => at);
    expect(of(change - DAY, change)).toEqual([change - DAY, change]);
    expect(of(change - DAY, change - 1)).toEqual([change - DAY]);
    expect(of(change, change + DAY)).toEqual([change]);
    expect(of(change, change)).toEqual([change]);
  });

  it("misses no week of another offset", () => {
    const offsets = zones.zoneOffsets("America/Noronha", {
      from: Date.UTC(2000, 0),
      through: Date.UTC(2001, 0),
    });
    expect(offsets.map(({ offsetSeconds }) => offsetSeconds / 3600)).toEqual([-1, -2, -1, -2]);
  });

  it("finds names whatever their case, as the engine spells them where it tells", () => {
    expect(zones.findZone("europe/BELGRADE")).toBe("Europe/Belgrade");
    expect(zones.findZone("US/Pacific")).toBe("US/Pacific");
    expect(zones.findZone("Nope/Nope")).toBeUndefined();
    expect(zones.zoneNames()).toContain("Europe/Belgrade");
  });

  it("reads an offset of nothing, before and after others", () => {
    const window = { from: Date.UTC(2026, 0), through: Date.UTC(2027, 0) };
    expect(
      zones.zoneOffsets("Europe/London", window).map((change) => change.offsetSeconds),
    ).toEqual([0, 3600, 0]);
    expect(zones.zoneOffsets("Etc/GMT", window)).toEqual([{ at: window.from, offsetSeconds: 0 }]);
  });

  it("keeps the last sixteen formatters, and makes another only for data not yet read", () => {
    const real = Intl.DateTimeFormat;
    let made = 0;
    Intl.DateTimeFormat = new Proxy(real, {
      construct: (target, args) => {
        made++;
        return Reflect.construct(target, args) as object;
      },
    });
    try {
      const names = zones.zoneNames().slice(100, 140);
      const cron = parseCron("0 9 * * *");
      const ask = (timeZone: string | undefined, at: number, source: ZoneSource) =>
        nextOccurrence(cron, at, { timeZone, zones: source });
      const fresh = engineZones();
      for (const name of names) ask(name, START, fresh);
      expect(made).toBe(40);
      for (const name of names) ask(name, START, fresh);
      expect(made).toBe(40);
      const later = START + 4000 * DAY;
      for (const name of names.slice(-16)) ask(name, later, fresh);
      expect(made).toBe(40);
      ask(names[0], later, fresh);
      expect(made).toBe(41);
    } finally {
      Intl.DateTimeFormat = real;
    }
  });
});
