import { describe, expect, it } from "vitest";
import { createSchedule, type ScheduleSpec, ScheduleSpecError } from "../src/index.ts";

const good = { name: "report", schedule: "0 9 * * 1-5" } as const;

function refusal(spec: unknown): ScheduleSpecError {
  try {
    createSchedule(spec as ScheduleSpec, { uid: "s1", now: 0 });
  } catch (error) {
    if (error instanceof ScheduleSpecError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("specs (D1)", () => {
  it("every default that a decision reads is written out", () => {
    expect(createSchedule(good, { uid: "s1", now: 0 })).toEqual({
      v: 1,
      uid: "s1",
      spec: {
        name: "report",
        schedule: "0 9 * * 1-5",
        timezone: "UTC",
        dst: "Literal",
        concurrencyPolicy: "Allow",
        missed: "All",
        missedScheduleLimit: 100,
        suspended: false,
      },
      generation: 1,
      createdAt: 0,
    });
  });

  it("every field that is given arrives unchanged, `undefined` is as absent", () => {
    const spec: Required<ScheduleSpec> = {
      name: "report",
      schedule: " 0 9 * * 1-5 ",
      timezone: "Europe/Belgrade",
      dst: "Once",
      concurrencyPolicy: "Queue",
      missed: "Latest",
      missedScheduleLimit: 0,
      startingDeadlineSeconds: 600,
      suspended: true,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    };
    expect(createSchedule(spec, { uid: "s1", now: 0 }).spec).toEqual(spec);
    const absent = Object.fromEntries(Object.keys(spec).map((key) => [key, undefined]));
    expect(createSchedule({ ...absent, ...good }, { uid: "s1", now: 0 }).spec).toStrictEqual(
      createSchedule(good, { uid: "s1", now: 0 }).spec,
    );
  });

  it("all problems at once, each with its pointer", () => {
    const error = refusal({
      name: "Report",
      schedule: "0 24 * * *",
      timezone: "Europe/Belgrad",
      timeZone: "UTC",
      concurrencyPolicy: "allow",
      missed: 1,
      missedScheduleLimit: 2.5,
      startingDeadlineSeconds: -1,
      suspended: "no",
    });
    expect(error.diagnostics.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      "shape.unknown-key /timeZone",
      "name.invalid /name",
      "shape.enum /concurrencyPolicy",
      "shape.type /missed",
      "limit.range /missedScheduleLimit",
      "limit.range /startingDeadlineSeconds",
      "shape.type /suspended",
      "cron.range /schedule",
      "timezone.unknown /timezone",
    ]);
  });

  it.each([
    [null, "shape.type", "", "found null, expected an object"],
    [[], "shape.type", "", "found a list, expected an object"],
    [undefined, "shape.type", "", "found undefined, expected an object"],
    [{ name: "a" }, "shape.missing", "/schedule", "schedule is missing"],
    [{ schedule: "* * * * *" }, "shape.missing", "/name", "name is missing"],
    [{ ...good, name: "" }, "shape.empty", "/name", "the text is empty"],
    [{ ...good, name: 7 }, "shape.type", "/name", "found 7, expected text"],
    [{ ...good, schedule: "" }, "shape.empty", "/schedule", "the text is empty"],
    [{ ...good, schedule: ["*"] }, "shape.type", "/schedule", "found a list, expected text"],
    [{ ...good, timezone: "" }, "shape.empty", "/timezone", "the text is empty"],
    [
      { ...good, name: "x".repeat(41) },
      "name.invalid",
      "/name",
      `"${"x".repeat(41)}" cannot name a schedule`,
    ],
    [{ ...good, name: "-a" }, "name.invalid", "/name", '"-a" cannot name a schedule'],
    [{ ...good, name: "a-" }, "name.invalid", "/name", '"a-" cannot name a schedule'],
    [{ ...good, name: "a_b" }, "name.invalid", "/name", '"a_b" cannot name a schedule'],
    [{ ...good, suspend: true }, "shape.unknown-key", "/suspend", 'there is no field "suspend"'],
    [{ ...good, "a/b~c": 1 }, "shape.unknown-key", "/a~1b~0c", 'there is no field "a/b~c"'],
    [{ ...good, dst: "once" }, "shape.enum", "/dst", '"once" is not allowed: use Literal, Once'],
    [
      { ...good, missed: "Newest" },
      "shape.enum",
      "/missed",
      '"Newest" is not allowed: use All, Latest, None',
    ],
    [
      { ...good, concurrencyPolicy: null },
      "shape.type",
      "/concurrencyPolicy",
      "found null, expected Allow, Forbid, Replace, Skip, Queue, Supersede",
    ],
    [
      { ...good, missedScheduleLimit: 10_001 },
      "limit.range",
      "/missedScheduleLimit",
      "10001 is not a whole number from -1000000000 to 10000",
    ],
    [
      { ...good, missedScheduleLimit: "2" },
      "shape.type",
      "/missedScheduleLimit",
      'found "2", expected a whole number',
    ],
    [
      { ...good, startingDeadlineSeconds: Number.NaN },
      "limit.range",
      "/startingDeadlineSeconds",
      "NaN is not a whole number from 0 to 1000000000",
    ],
  ])("%j is refused", (spec, code, pointer, message) => {
    expect(refusal(spec).diagnostics).toMatchObject([
      { code, pointer, message, severity: "error" },
    ]);
  });

  it("[C31-63] unknown policies are refused with the allowed ones", () => {
    for (const concurrencyPolicy of ["allow", "Never"]) {
      expect(refusal({ ...good, concurrencyPolicy }).diagnostics).toMatchObject([
        {
          code: "shape.enum",
          pointer: "/concurrencyPolicy",
          found: concurrencyPolicy,
          allowed: ["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"],
        },
      ]);
    }
  });

  it("a slip of the pen is answered with the nearest name", () => {
    const helpFor = (extra: object): string | undefined =>
      refusal({ ...good, ...extra }).diagnostics[0]?.help;
    expect(helpFor({ suspend: true })).toBe("use suspended");
    expect(helpFor({ timeZone: "UTC" })).toBe("use timezone");
    expect(helpFor({ missedschedulelimit: 2 })).toBe("use missedScheduleLimit");
    expect(helpFor({ concurrencyPolicy: "forbid" })).toBe("use Forbid");
    expect(helpFor({ jobTemplate: {} })).toBeUndefined();
    expect(helpFor({ [`x${"y".repeat(5000)}`]: 1 })).toBeUndefined();
  });

  it("the error's text lists where, what and help", () => {
    expect(refusal({ ...good, suspend: true, dst: 1 }).message).toBe(
      [
        "this schedule cannot be accepted",
        '  /suspend: there is no field "suspend"',
        "    help: use suspended",
        "  /dst: found 1, expected Literal, Once",
      ].join("\n"),
    );
  });

  it("an expression that no date can match is refused (C12)", () => {
    expect(refusal({ ...good, schedule: "0 0 30 2 *" }).diagnostics).toMatchObject([
      { code: "cron.never", pointer: "/schedule" },
    ]);
  });

  it("a zone is refused unless spelled as the database has it (C7)", () => {
    for (const timezone of ["Local", "EST5", "utc+1", "europe/belgrade", "CEST", "+02:00"]) {
      expect(refusal({ ...good, timezone }).diagnostics).toMatchObject([
        { code: "timezone.unknown", pointer: "/timezone" },
      ]);
    }
  });

  it.each([
    [{ uid: "", now: 0 }, TypeError, "uid must be a text that is not empty"],
    [{ uid: "s1", now: "0" }, TypeError, "now must be a number of milliseconds"],
    [{ uid: "s1", now: Number.NaN }, RangeError, "now must be whole milliseconds"],
    [{ uid: "s1", now: 0.5 }, RangeError, "now must be whole milliseconds"],
    [{ uid: "s1", now: 253_402_300_800_000 }, RangeError, "years 0000 to 9999"],
    [{ uid: "s1", now: -62_167_219_200_001 }, RangeError, "years 0000 to 9999"],
  ])("a programming mistake is named: %j", (options, type, message) => {
    const create = (): unknown => createSchedule(good, options as { uid: string; now: number });
    expect(create).toThrow(type);
    expect(create).toThrow(message);
  });

  it("the error is plain data as JSON, and known across copies by its brand", () => {
    const error = refusal({ ...good, dst: "once" });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "ScheduleSpecError",
      message: error.message,
      diagnostics: error.diagnostics,
    });
  });
});
