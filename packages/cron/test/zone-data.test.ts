import { describe, expect, it } from "vitest";
import { engineZones, nextOccurrence, occurrencesBetween, parseCron } from "../src/index.ts";
import { tzifZones } from "../src/tzif.ts";
import { readRows } from "./support/case-rows.ts";
import { digestBySource, zoneDigests, zoneFiles, zones2026f } from "./support/zone-fixtures.ts";

interface Drift {
  readonly id: string;
  readonly expr: string;
  readonly tz: string;
  readonly after: string;
  readonly limit: number;
  readonly expect_2025b_2025c: readonly string[];
  readonly expect_2026f: readonly string[];
}

const drift = readRows<Drift>("tzdata-drift.jsonl");
const engineRelease = process.versions.tz as string;
const engine = engineZones({ version: engineRelease });

describe("C7a zone data is an input", () => {
  it.each(drift.map((row) => [row.id, row] as const))("%s: new data, new answer", (_, row) => {
    const cron = parseCron(row.expr);
    const window = { after: new Date(row.after), through: new Date("2028-01-01T00:00Z") };
    const answer = (zones: typeof engine) =>
      occurrencesBetween(cron, window, { timeZone: row.tz, zones, limit: row.limit }).map((at) =>
        at.toISOString().replace(".000Z", "Z"),
      );
    expect(answer(zones2026f)).toEqual(row.expect_2026f);
    if (["2025b", "2025c"].includes(engineRelease)) {
      expect(answer(engine)).toEqual(row.expect_2025b_2025c);
    }
  });

  it("compiled files of 2026f say what zdump says, for every zone from 1970 to 2100", () => {
    const digests = zoneDigests("2026f");
    expect(digests.size).toBeGreaterThan(590);
    for (const [name, digest] of digests) {
      expect([name, digestBySource(zones2026f, name)]).toEqual([name, digest]);
    }
  });

  it("the engine says what zdump says of the same release, for every zone from 1970 to 2100", () => {
    const releases = ["2025c", "2026f"].filter((release) => release === engineRelease);
    for (const release of releases) {
      const known = [...zoneDigests(release)].filter(([name]) => engine.findZone(name));
      expect(known.length).toBeGreaterThan(590);
      for (const [name, digest] of known) {
        expect([name, digestBySource(engine, name)]).toEqual([name, digest]);
      }
    }
  }, 120_000);

  it("a whole period of 400 years after 2100 comes out the same shifted", () => {
    const cron = parseCron("30 2 * * 0");
    const period = 146_097 * 86_400_000;
    for (const timeZone of ["Europe/Belgrade", "America/New_York", "Australia/Lord_Howe"]) {
      for (const zones of [engine, zones2026f]) {
        const from = Date.UTC(2350, 0);
        const early = { after: from, through: from + 366 * 86_400_000 };
        const late = { after: early.after + 9 * period, through: early.through + 9 * period };
        const options = { timeZone, zones, limit: Infinity };
        expect(occurrencesBetween(cron, late, options)).toEqual(
          occurrencesBetween(cron, early, options).map((at) => at + 9 * period),
        );
      }
    }
  });

  it("two sources side by side do not mix", () => {
    const cron = parseCron("0 9 * * *");
    const options = { timeZone: "America/Vancouver" };
    const after = Date.UTC(2026, 10, 1, 12);
    const old = nextOccurrence(cron, after, options);
    expect(nextOccurrence(cron, after, { ...options, zones: zones2026f })).toBe(
      Date.UTC(2026, 10, 1, 16),
    );
    expect(nextOccurrence(cron, after, options)).toBe(old);
  });
});

describe("tzifZones", () => {
  const bytes = zoneFiles();
  const paris = bytes["Europe/Paris"] as Uint8Array;
  const zonesOf = (file: Uint8Array) => tzifZones({ "Europe/Paris": file }, { version: "test" });
  const read = (file: Uint8Array) =>
    zonesOf(file).zoneOffsets("Europe/Paris", { from: 0, through: 1e12 });

  it("reads a file when its zone is first used, and once", () => {
    let reads = 0;
    const zones = tzifZones(
      {
        "Europe/Paris": () => {
          reads++;
          return paris;
        },
      },
      { version: "test" },
    );
    expect(reads).toBe(0);
    expect(zones.findZone("europe/PARIS")).toBe("Europe/Paris");
    expect(zones.findZone("Europe/London")).toBeUndefined();
    expect(zones.zoneNames()).toEqual(["Europe/Paris"]);
    expect(zones.version).toBe("test");
    for (let time = 0; time < 3; time++) zones.zoneOffsets("Europe/Paris", { from: 0, through: 1 });
    expect(reads).toBe(1);
  });

  it("knows UTC even without a file of that name", () => {
    const zones = tzifZones({}, { version: "test" });
    const at = Date.UTC(2026, 0);
    expect(nextOccurrence(parseCron("0 9 * * *"), at, { zones })).toBe(Date.UTC(2026, 0, 1, 9));
    expect(() =>
      nextOccurrence(parseCron("0 9 * * *"), at, { zones, timeZone: "Europe/Paris" }),
    ).toThrow('"Europe/Paris" is not a known time zone');
  });

  it("reads version 1, which has 32-bit times and no rule for what comes after", () => {
    const file = new DataView(new ArrayBuffer(44 + 2 * 5 + 2 * 6 + 1));
    for (const [at, value] of [
      [0, 0x545a6966],
      [32, 2],
      [36, 2],
      [40, 1],
      [44, 1000],
      [48, 2000],
      [54, 3600],
      [60, 7200],
    ] as const) {
      file.setUint32(at, value);
    }
    file.setUint8(52, 1);
    expect(read(new Uint8Array(file.buffer))).toEqual([
      { at: 0, offsetSeconds: 3600 },
      { at: 1_000_000, offsetSeconds: 7200 },
      { at: 2_000_000, offsetSeconds: 3600 },
    ]);
    file.setUint32(28, 1);
    expect(() => read(new Uint8Array(file.buffer))).toThrow("it counts leap seconds");
  });

  it("refuses what is no such file, whole or cut anywhere", () => {
    expect(() => read(new Uint8Array(0))).toThrow("the file of zone Europe/Paris cannot be used");
    expect(() => read(new TextEncoder().encode("x".repeat(200)))).toThrow("begin with TZif");
    for (let length = 4; length < paris.length; length++) {
      expect(() => read(paris.slice(0, length))).toThrow(RangeError);
    }
  });

  it("refuses a file with a byte changed, or reads offsets that are whole numbers", () => {
    for (let at = 0; at < paris.length; at++) {
      const changed = paris.slice();
      changed[at] = (changed[at] as number) ^ 0x55;
      try {
        for (const { offsetSeconds } of read(changed)) {
          expect(Number.isInteger(offsetSeconds)).toBe(true);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });
});
