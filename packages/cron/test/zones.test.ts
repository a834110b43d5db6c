import { describe, expect, it } from "vitest";
import {
  admitTimeZone,
  engineZones,
  isTimeZone,
  isTimeZoneError,
  localTime,
  nextOccurrence,
  parseCron,
} from "../src/index.ts";

const AT_NINE = parseCron("0 9 * * 1-5");
const AFTER = Date.UTC(2026, 9, 13);

function refusalOf(timeZone: string) {
  try {
    nextOccurrence(AT_NINE, AFTER, { timeZone });
    return undefined;
  } catch (error) {
    return isTimeZoneError(error) ? error : undefined;
  }
}

describe("C7 time zones", () => {
  it("[C31-88] one wall time in two zones is two instants", () => {
    expect(nextOccurrence(AT_NINE, AFTER)).toBe(Date.UTC(2026, 9, 13, 9));
    expect(nextOccurrence(AT_NINE, AFTER, { timeZone: "UTC" })).toBe(Date.UTC(2026, 9, 13, 9));
    expect(nextOccurrence(AT_NINE, AFTER, { timeZone: "Europe/Belgrade" })).toBe(
      Date.UTC(2026, 9, 13, 7),
    );
  });

  it("[C31-66] an unknown zone is refused at the call, with the nearest names", () => {
    expect(refusalOf("Europe/Belgrad")?.suggestions).toContain("Europe/Belgrade");
    expect(refusalOf("Europe/Belgrad")?.timeZone).toBe("Europe/Belgrad");
    expect(refusalOf("Europe/Belgrad")?.diagnostics[0]).toMatchObject({
      code: "timezone.unknown",
      help: expect.stringContaining("Europe/Belgrade"),
    });
    expect(refusalOf("Belgrade")?.suggestions).toContain("Europe/Belgrade");
    expect(refusalOf("New York")?.suggestions).toContain("America/New_York");
    for (const name of ["+02:00", "CEST", "Local", "Europe/Nowhere"]) {
      expect(refusalOf(name)?.name).toBe("TimeZoneError");
    }
  });

  it("[C31-91] admission wants an IANA name as the database spells it", () => {
    expect(isTimeZone("Europe/Belgrade")).toBe(true);
    for (const name of ["Local", "", "EST5", "utc+1", "europe/belgrade"]) {
      expect(isTimeZone(name)).toBe(false);
      expect(admitTimeZone(name)).toMatchObject({
        ok: false,
        diagnostics: [{ code: "timezone.unknown", severity: "error", found: name }],
      });
    }
    expect(admitTimeZone("europe/belgrade")).toMatchObject({
      diagnostics: [{ help: "did you mean Europe/Belgrade?" }],
    });
    for (const name of [
      "UTC",
      "Etc/UTC",
      "US/Pacific",
      "Asia/Kolkata",
      "GB-Eire",
      "NZ-CHAT",
      "EST5EDT",
      "EST",
      "W-SU",
      "America/Port-au-Prince",
      "Etc/GMT+5",
      "Antarctica/DumontDUrville",
      "America/Argentina/Buenos_Aires",
    ]) {
      expect([name, isTimeZone(name)]).toEqual([name, true]);
    }
    for (const name of ["us/pacific", "US/PACIFIC", "asia/Kolkata", "EUROPE/BELGRADE", "utc"]) {
      expect([name, isTimeZone(name)]).toEqual([name, false]);
    }
  });

  it("a call overlooks case, as the engine does", () => {
    const options = { timeZone: "europe/BELGRADE" };
    expect(nextOccurrence(AT_NINE, AFTER, options)).toBe(Date.UTC(2026, 9, 13, 7));
    expect(nextOccurrence(AT_NINE, AFTER, { timeZone: "utc" })).toBe(Date.UTC(2026, 9, 13, 9));
  });

  it("offsets, SystemV and the engine's own three-letter names are refused", () => {
    const refused = [
      "+05:30",
      "-0800",
      "UTC+2",
      "GMT+2",
      "SystemV/PST8PDT",
      "",
      " UTC",
      "UTC ",
      "PST",
      "BST",
      "AST",
      "IST",
      "CST",
      "JST",
      "Z",
      "__proto__",
      "constructor",
    ];
    for (const name of refused) {
      expect([name, refusalOf(name)?.timeZone]).toEqual([name, name]);
    }
    expect(refusalOf("+05:30")?.message).toBe(
      '"+05:30" is an offset, not a time zone\nhelp: use an IANA name such as Europe/Belgrade or UTC',
    );
    expect(() => nextOccurrence(AT_NINE, AFTER, { timeZone: 5 as never })).toThrow(TypeError);
    expect(() => isTimeZone(undefined as never)).toThrow(TypeError);
  });

  it("a refusal reads well as JSON", () => {
    expect(JSON.parse(JSON.stringify(refusalOf("Europe/Belgrad")))).toEqual({
      name: "TimeZoneError",
      message: '"Europe/Belgrad" is not a known time zone\nhelp: did you mean Europe/Belgrade?',
      timeZone: "Europe/Belgrad",
      suggestions: ["Europe/Belgrade"],
      diagnostics: [
        {
          code: "timezone.unknown",
          severity: "error",
          message: '"Europe/Belgrad" is not a known time zone',
          found: "Europe/Belgrad",
          allowed: ["Europe/Belgrade"],
          help: "did you mean Europe/Belgrade?",
        },
      ],
    });
  });

  it("very long names are refused at once", () => {
    const error = refusalOf("Europe/".repeat(20_000));
    expect(error?.suggestions).toEqual([]);
    expect(error?.message.length).toBeLessThan(200);
  });

  it("engineZones tells the release that it is given (C7a)", () => {
    expect(engineZones().version).toBe("engine");
    expect(engineZones({ version: "2025c" }).version).toBe("2025c");
    const zones = engineZones();
    expect(nextOccurrence(AT_NINE, AFTER, { timeZone: "Europe/Belgrade", zones })).toBe(
      Date.UTC(2026, 9, 13, 7),
    );
  });

  it("a source that gives no sensible offset is refused", () => {
    for (const offsetSeconds of [86_400, -86_400, NaN]) {
      const zones = {
        version: "broken",
        zoneNames: () => [],
        findZone: (name: string) => name,
        zoneOffsets: () => [{ at: 0, offsetSeconds }],
      };
      expect(() => nextOccurrence(AT_NINE, AFTER, { timeZone: "Any/Where", zones })).toThrow(
        RangeError,
      );
    }
  });
});

describe("localTime", () => {
  it("[C31-136] tells the two instants of a repeated hour apart", () => {
    const timeZone = "Europe/Belgrade";
    expect(localTime(new Date("2026-10-25T00:30Z"), { timeZone })).toEqual({
      local: "2026-10-25T02:30",
      offset: "+02:00",
      fold: "first",
    });
    expect(localTime(Date.UTC(2026, 9, 25, 1, 30), { timeZone })).toEqual({
      local: "2026-10-25T02:30",
      offset: "+01:00",
      fold: "second",
    });
    expect(localTime(Date.UTC(2026, 9, 25, 2), { timeZone })).toEqual({
      local: "2026-10-25T03:00",
      offset: "+01:00",
    });
  });

  it("writes offsets with seconds, years beyond four digits and the floor of a minute", () => {
    const monrovia = { timeZone: "Africa/Monrovia" };
    expect(localTime(0, monrovia)).toEqual({ local: "1969-12-31T23:15", offset: "-00:44:30" });
    expect(localTime(30_000, monrovia).local).toBe("1969-12-31T23:16");
    const utc = { timeZone: "UTC" };
    expect(localTime(8.64e15, utc)).toEqual({ local: "+275760-09-13T00:00", offset: "+00:00" });
    expect(localTime(-8.64e15, utc).local).toBe("-271821-04-20T00:00");
    expect(localTime(Date.UTC(-1, 0), utc).local).toBe("-000001-01-01T00:00");
    expect(localTime(Date.UTC(9999, 11, 31, 23, 59, 59), utc).local).toBe("9999-12-31T23:59");
    expect(localTime(Date.UTC(4026, 6, 1), { timeZone: "Europe/Belgrade" })).toEqual({
      local: "4026-07-01T02:00",
      offset: "+02:00",
    });
    expect(() => localTime(NaN, utc)).toThrow(RangeError);
    expect(() => localTime(0, { timeZone: "Nope/Nope" })).toThrow(RangeError);
  });
});
