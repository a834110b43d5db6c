import { describe, expect, it } from "vitest";
import { formatCron, isCronSyntaxError, parseCron, safeParseCron } from "../src/index.ts";

function codeOf(text: string): string | undefined {
  const result = safeParseCron(text);
  return result.ok ? undefined : result.diagnostics[0]?.code;
}

describe("C1 five fields", () => {
  it("[C31-70] four, six and seven fields are refused and counted; blanks are free", () => {
    for (const [text, count] of [
      ["* * * *", "4"],
      ["* * * * * *", "6"],
      ["* * * * * * *", "7"],
      ["", "0"],
      [" \t\r\n", "0"],
    ] as const) {
      const result = safeParseCron(text);
      expect(result.ok).toBe(false);
      if (result.ok) continue;
      expect(result.diagnostics[0]).toMatchObject({ code: "cron.fields", found: count });
      expect(result.diagnostics[0]?.message).toBe(`expected 5 fields, found ${count}`);
    }
    expect(parseCron("\r\n 0 \t 9   *\t*  1-5 \n").hour).toEqual([9]);
  });

  it("[C31-71] the order is minute, hour, day of month, month, weekday", () => {
    expect(parseCron("1 2 3 4 5")).toEqual({
      source: "1 2 3 4 5",
      minute: [1],
      hour: [2],
      dayOfMonth: [3],
      month: [4],
      dayOfWeek: [5],
    });
  });

  it("[C31-72] bounds are 0-59, 0-23, 1-31, 1-12 and 0-6, each field by itself", () => {
    const bounds = [
      [0, 59],
      [0, 23],
      [1, 31],
      [1, 12],
      [0, 6],
    ] as const;
    for (const [index, [min, max]] of bounds.entries()) {
      const withValue = (value: number | string) =>
        ["*", "*", "*", "*", "*"].map((star, at) => (at === index ? value : star)).join(" ");
      expect(codeOf(withValue(min))).toBeUndefined();
      expect(codeOf(withValue(max))).toBeUndefined();
      expect(codeOf(withValue(`${min}-${max}`))).toBeUndefined();
      expect(codeOf(withValue(max + 1))).toBe("cron.range");
      expect(codeOf(withValue(`${min}-${max + 1}`))).toBe("cron.range");
      expect(codeOf(withValue(9999))).toBe("cron.range");
      if (min === 1) expect(codeOf(withValue(0))).toBe("cron.range");
    }
  });

  it("[C31-78] there are no seconds and no year", () => {
    expect(codeOf("0 0 9 * * *")).toBe("cron.fields");
    expect(codeOf("0 0 9 * * * 2026")).toBe("cron.fields");
  });
});

describe("C2 grammar", () => {
  it("[C31-74] lists, ranges and steps on ranges are sets", () => {
    expect(parseCron("0,15-16,30-50/10 8 * * *").minute).toEqual([0, 15, 16, 30, 40, 50]);
    expect(parseCron("5-5,5,1 8 * * *").minute).toEqual([1, 5]);
    expect(parseCron("*,5 8 * * *").minute).toHaveLength(60);
  });

  it("[C31-75] steps count from the first value; one larger than the field leaves that value", () => {
    expect(parseCron("*/15 * * * *").minute).toEqual([0, 15, 30, 45]);
    expect(parseCron("5-59/20 * * * *").minute).toEqual([5, 25, 45]);
    expect(parseCron("*/90 * * * *").minute).toEqual([0]);
    expect(parseCron("* * */9999 * *").dayOfMonth).toEqual([1]);
  });

  it("[C31-76] a step is positive", () => {
    expect(codeOf("*/0 * * * *")).toBe("cron.step");
    expect(codeOf("1-5/0 * * * *")).toBe("cron.step");
    expect(codeOf("1-5/00 * * * *")).toBe("cron.step");
    expect(codeOf("*/-1 * * * *")).toBe("cron.syntax");
  });

  it("[C31-77] a step on a single value is refused, with both readings offered", () => {
    const result = safeParseCron("5/15 * * * *");
    expect(result).toMatchObject({ ok: false, diagnostics: [{ code: "cron.step-on-value" }] });
    if (result.ok) return;
    expect(result.diagnostics[0]?.help).toBe(
      "write 5 for that value alone, or 5-59/15 for a step from it",
    );
  });

  it("[C31-79] there are no names", () => {
    expect(codeOf("0 9 * * MON")).toBe("cron.name");
    expect(codeOf("0 9 * JAN *")).toBe("cron.name");
    expect(codeOf("0 9 * * mon-fri")).toBe("cron.name");
    expect(codeOf("0 9 * * Monday")).toBe("cron.name");
  });

  it("[C31-80] what other dialects have is refused with its own code", () => {
    expect(codeOf("0 0 ? * 1")).toBe("cron.extension");
    expect(codeOf("0 0 L * *")).toBe("cron.extension");
    expect(codeOf("0 0 L-3 * *")).toBe("cron.extension");
    expect(codeOf("0 0 15W * *")).toBe("cron.extension");
    expect(codeOf("0 0 LW * *")).toBe("cron.extension");
    expect(codeOf("0 0 * * 5L")).toBe("cron.extension");
    expect(codeOf("0 0 * * 1#2")).toBe("cron.extension");
    expect(codeOf("H H * * *")).toBe("cron.extension");
    expect(codeOf("0~30 * * * *")).toBe("cron.extension");
    expect(codeOf("@daily")).toBe("cron.macro");
    expect(codeOf("@every 5m")).toBe("cron.macro");
    expect(codeOf("@reboot")).toBe("cron.macro");
    expect(codeOf("TZ=UTC 0 9 * * *")).toBe("cron.timezone-prefix");
    expect(codeOf("CRON_TZ=Europe/Paris 0 9 * * *")).toBe("cron.timezone-prefix");
  });

  it("up to four digits are a number, leading zeros too; five are not", () => {
    expect(parseCron("0005 007 01 001 00").minute).toEqual([5]);
    expect(parseCron("0001-0005/0002 * * * *").minute).toEqual([1, 3, 5]);
    expect(codeOf("00005 * * * *")).toBe("cron.syntax");
    expect(codeOf("0-00005 * * * *")).toBe("cron.syntax");
    expect(codeOf("*/00005 * * * *")).toBe("cron.syntax");
    expect(codeOf("99999 * * * *")).toBe("cron.syntax");
  });

  it("256 characters are read, 257 are not", () => {
    const padded = (length: number) => `0${" ".repeat(length - 8)}9 * * *`;
    expect(codeOf(padded(256))).toBeUndefined();
    expect(padded(257)).toHaveLength(257);
    expect(codeOf(padded(257))).toBe("cron.too-long");
    expect(codeOf("1,".repeat(50_000))).toBe("cron.too-long");
  });

  it("the order of refusals is length, foreign character, macro, zone, count, leftmost fault", () => {
    expect(codeOf(`@daily é${"x".repeat(260)}`)).toBe("cron.too-long");
    expect(codeOf("@daily é")).toBe("cron.syntax");
    expect(codeOf("@daily TZ=UTC")).toBe("cron.macro");
    expect(codeOf("TZ=UTC 99 9 * *")).toBe("cron.timezone-prefix");
    expect(codeOf("99 MON * *")).toBe("cron.fields");
    expect(codeOf("9-3 99 * * MON")).toBe("cron.range-order");
    expect(codeOf("99,x 99 * * MON")).toBe("cron.range");
    expect(codeOf("70-5 * * * *")).toBe("cron.range");
    expect(codeOf("9-70/0 * * * *")).toBe("cron.range");
    expect(codeOf("9-3/0 * * * *")).toBe("cron.range-order");
    expect(codeOf("70/5 * * * *")).toBe("cron.range");
    expect(codeOf("5/0 * * * *")).toBe("cron.step-on-value");
  });

  it("nothing outside printable ASCII is a blank or a digit", () => {
    for (const character of [
      "\u00a0",
      "\u2003",
      "\ufeff",
      "\v",
      "\f",
      "\n",
      "\r",
      "\0",
      "\u007f",
    ]) {
      expect(codeOf(`0${character}9 * * 1`)).toBe("cron.syntax");
    }
    expect(codeOf("٣ * * * *")).toBe("cron.syntax");
    expect(codeOf("５ * * * *")).toBe("cron.syntax");
    expect(codeOf("1–5 * * * *")).toBe("cron.syntax");
  });

  it("what is no text is a TypeError", () => {
    for (const value of [undefined, null, 5, {}, ["0 9 * * *"]]) {
      expect(() => parseCron(value as never)).toThrow(
        new TypeError("a cron expression must be a string"),
      );
      expect(() => safeParseCron(value as never)).toThrow(TypeError);
    }
  });
});

describe("the expression", () => {
  it("is frozen plain data, and so are its fields", () => {
    const cron = parseCron("0 9 13 * 5");
    expect(Object.isFrozen(cron)).toBe(true);
    expect(Object.values(cron).every((field) => Object.isFrozen(field))).toBe(true);
    expect(Object.getPrototypeOf(cron)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(cron))).toStrictEqual(cron);
    expect(structuredClone(cron)).toStrictEqual(cron);
    expect(Reflect.ownKeys(cron)).toHaveLength(6);
  });

  it("keeps its source to the letter", () => {
    expect(parseCron(" 00  9 * * 01\n").source).toBe(" 00  9 * * 01\n");
  });
});

describe("safeParseCron", () => {
  it("warns where both day fields are restricted (C3)", () => {
    const result = safeParseCron("0 0 13 * 5");
    expect(result).toMatchObject({
      ok: true,
      warnings: [{ code: "cron.both-day-fields", severity: "warning" }],
    });
    for (const text of ["0 0 13 * *", "0 0 * * 5", "0 0 1-31 * 5", "0 0 13 * 0-6", "* * * * *"]) {
      expect(safeParseCron(text)).toMatchObject({ ok: true, warnings: [] });
    }
    expect(safeParseCron("0 0 */2 * 1")).toMatchObject({ ok: true, warnings: [{}] });
  });

  it("says the same as the error that parseCron throws", () => {
    for (const text of ["0 24 * * *", "@daily", "", "a b c d e", "1 2 3 4 5 6"]) {
      const result = safeParseCron(text);
      try {
        parseCron(text);
        expect.unreachable();
      } catch (error) {
        expect(isCronSyntaxError(error)).toBe(true);
        if (isCronSyntaxError(error) && !result.ok) {
          expect(error.diagnostics).toEqual(result.diagnostics);
        }
      }
    }
  });
});

describe("formatCron", () => {
  it("writes the plainest form, and a star as written (C9)", () => {
    const rows = [
      ["00  9,8,10 * * 01-05", "0 8-10 * * 1-5"],
      [" 5,5,1 0-1 * * * ", "1,5 0,1 * * *"],
      ["*/15 * * * *", "*/15 * * * *"],
      ["*/15,07,*/15 * * * *", "*/15,7 * * * *"],
      ["*,5 */1 * * *", "* * * * *"],
      ["0-59 0-23 1-31 1-12 0-6", "0-59 0-23 1-31 1-12 0-6"],
      ["0-59/20 1-20/5 * * *", "0,20,40 1,6,11,16 * * *"],
    ] as const;
    for (const [text, plain] of rows) expect(formatCron(parseCron(text))).toBe(plain);
  });
});
