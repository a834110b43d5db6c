import { describe, expect, it } from "vitest";
import {
  type CronSyntaxError,
  isCronSyntaxError,
  isTimeZoneError,
  parseCron,
  safeParseCron,
  TimeZoneError,
} from "../src/index.ts";
import { readRows } from "./support/case-rows.ts";

/** A text at fault, its code and field, and the message line by line: what, where, help. */
interface FaultRow {
  readonly text: string;
  readonly code: string;
  readonly field: string | null;
  readonly lines: readonly string[];
}

const FAULTS = readRows<FaultRow>("faults.jsonl");

function errorOf(text: string): CronSyntaxError {
  try {
    parseCron(text);
  } catch (error) {
    if (isCronSyntaxError(error)) return error;
  }
  throw new Error(`accepted: ${text}`);
}

describe("the text of each fault", () => {
  it.each(FAULTS)("$text is $code", ({ text, code, field, lines }) => {
    const error = errorOf(text);
    expect(error.message.split("\n")).toEqual(lines);
    expect(error.code).toBe(code);
    expect(error.field ?? null).toBe(field);
    expect(error.diagnostics).toHaveLength(1);
    expect(error.diagnostics[0]).toMatchObject({
      code,
      severity: "error",
      message: lines[0],
      help: lines[3]?.replace("help: ", ""),
    });
  });

  it("a text of the greatest length is read, and its fault told", () => {
    expect(errorOf(`99${" ".repeat(247)}* * * *`).code).toBe("cron.range");
    expect(errorOf(`99${" ".repeat(248)}* * * *`).code).toBe("cron.too-long");
  });

  it("the number of fields is told as found and allowed", () => {
    expect(errorOf("1 2 3").diagnostics[0]).toMatchObject({ found: "3", allowed: ["5"] });
  });

  it("a text that is too long is shown from close before its end", () => {
    const error = errorOf(`0${" ".repeat(260)}9 * * *`);
    expect(error.code).toBe("cron.too-long");
    expect(error.message.split("\n")).toEqual([
      "the text has 268 characters",
      `${" ".repeat(37)}9 * * *`,
      `${" ".repeat(32)}${"^".repeat(12)} the limit is 256`,
      "help: use ranges and steps, or several schedules",
    ]);
  });

  it("the caret stands under the fault, however long the text", () => {
    for (let count = 1; count < 80; count++) {
      const text = `${"5,".repeat(count)}77 * * * *`;
      const [, shown, mark] = errorOf(text).message.split("\n") as [string, string, string];
      const caret = mark.indexOf("^");
      expect(shown.slice(caret, caret + 2)).toBe("77");
      expect(mark.slice(caret, caret + 3)).toBe("^^ ");
    }
  });
});

describe("the span of a fault", () => {
  const spanOf = (text: string) => {
    const result = safeParseCron(text);
    if (result.ok) throw new Error(`accepted: ${text}`);
    return result.diagnostics[0];
  };

  it("counts offsets from 0, lines and columns from 1, end exclusive", () => {
    expect(spanOf("  0 24 * * *")).toMatchObject({
      range: {
        start: { offset: 4, line: 1, column: 5 },
        end: { offset: 6, line: 1, column: 7 },
      },
      found: "24",
      allowed: ["0-23"],
    });
    expect(spanOf("\n\n0 24 * * *")?.range?.start).toEqual({ offset: 4, line: 3, column: 3 });
  });

  it("is exactly what was found, for each fault in one place", () => {
    for (const { text } of FAULTS) {
      const diagnostic = spanOf(text);
      const range = diagnostic?.range;
      if (range === undefined || diagnostic?.code === "cron.fields") continue;
      expect(text.slice(range.start.offset, range.end.offset)).toBe(diagnostic?.found);
    }
  });
});

describe("the error classes", () => {
  it("are known by a brand, so that another copy of the package does too", () => {
    const error = errorOf("0 24 * * *");
    expect(error).toBeInstanceOf(SyntaxError);
    expect(isCronSyntaxError(error)).toBe(true);
    expect(isTimeZoneError(error)).toBe(false);
    const twin = Object.defineProperty({}, Symbol.for("@mesh/cron/CronSyntaxError"), {
      value: true,
    });
    expect(isCronSyntaxError(twin)).toBe(true);
    const zone = new TimeZoneError("X/Y", [], { code: "c", severity: "error", message: "m" });
    expect(isTimeZoneError(zone)).toBe(true);
    expect(isCronSyntaxError(zone)).toBe(false);
    expect(zone).toBeInstanceOf(RangeError);
    expect(zone.message).toBe("m");
    for (const other of [null, undefined, "x", 5, {}, new SyntaxError("x")]) {
      expect(isCronSyntaxError(other)).toBe(false);
      expect(isTimeZoneError(other)).toBe(false);
    }
  });

  it("go through JSON", () => {
    const error = errorOf("0 24 * * *");
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "CronSyntaxError",
      message: error.message,
      diagnostics: error.diagnostics,
    });
    expect(error.name).toBe("CronSyntaxError");
    expect(Object.keys(error)).not.toContain("message");
  });
});
