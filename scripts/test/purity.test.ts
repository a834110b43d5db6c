import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPurity, purityProblems } from "../checks/purity.mjs";
import { plant, plantWithTools, root, tool } from "./planted-tree.ts";

const messages = (code: string): string[] =>
  purityProblems("packages/cron/src/planted.ts", code).map(({ message }) => message);

describe("purity of packages", () => {
  it.each([
    ["Date.now()", "reads the clock"],
    ["const now = Date.now;", "reads the clock"],
    ["new Date()", "reads the clock"],
    ["Date()", "reads the clock"],
    ["Math.random()", "throws dice"],
    ["new Date(2026, 9, 13)", "process's own zone"],
    ['new Date("2026-10-13T09:00")', "process's own"],
    ["export const hour = (date: Date) => date.getHours();", "getHours"],
    ["export const day = (date: Date) => date.getDate();", "getDate"],
    ["export const offset = (date: Date) => date.getTimezoneOffset();", "getTimezoneOffset"],
    ["export const text = (date: Date) => date.toLocaleString();", "toLocaleString"],
    ["new Intl.DateTimeFormat()", "timeZone"],
    ['new Intl.DateTimeFormat("en", { hour: "numeric" })', "timeZone"],
    ['Intl.DateTimeFormat("en", options)', "timeZone"],
    ['import { readFileSync } from "node:fs";', "no input or output"],
    ['import { join } from "path";', "no input or output"],
    ["process.env.TZ", "uses process"],
    ["console.log(1)", "uses console"],
    ["setTimeout(() => 1, 1)", "uses setTimeout"],
    ["globalThis.process", "uses globalThis"],
    ['await fetch("http://localhost")', "uses fetch"],
    ["performance.now()", "uses performance"],
    ["crypto.randomUUID()", "uses crypto"],
  ])("%s is refused", (code, part) => {
    expect(messages(code)).toEqual([expect.stringContaining(part)]);
  });

  it.each([
    "new Date(0)",
    'new Date("2026-10-13T09:00Z")',
    'new Date("2026-10-13T09:00+02:00")',
    "export const hour = (date: Date) => date.getUTCHours();",
    'new Intl.DateTimeFormat("en", { timeZone: "UTC" })',
    "export const call = (fetch: () => string) => fetch();",
    "export interface Host { readonly process: string }",
    "export const state = { process: 1 };",
    "export const read = (event: { fetch: string }) => event.fetch;",
  ])("%s is allowed", (code) => {
    expect(messages(code)).toEqual([]);
  });

  it("a finding names its file and line", () => {
    const folder = plant({ "packages/cron/src/clock.ts": "const a = 1;\nDate.now();\n" });
    expect(checkPurity(folder)).toEqual([
      { path: "packages/cron/src/clock.ts", line: 2, message: "reads the clock: time comes in" },
    ]);
  });

  it("tests and apps may read the clock", () => {
    const code = "Date.now();\n";
    const folder = plant({ "packages/cron/test/a.test.ts": code, "apps/cli/src/clock.ts": code });
    expect(checkPurity(folder)).toEqual([]);
  });

  it("[C31-87] no package reads a clock", () => {
    expect(checkPurity(root)).toEqual([]);
  });

  it("the compiler knows nothing of Node.js or a browser in a package's source", () => {
    const folder = plantWithTools({
      "packages/cron/tsconfig.src.json":
        '{ "extends": "../../tsconfig.package.json", "include": ["src"] }',
      "packages/cron/src/index.ts": "console.log(process.pid);\nsetTimeout(() => 1, 1);\n",
    });
    const compile = (): string =>
      execFileSync(tool("tsc"), ["-p", join(folder, "packages/cron/tsconfig.src.json")], {
        encoding: "utf8",
        stdio: "pipe",
      });
    let output = "";
    try {
      output = compile();
    } catch (error) {
      output = (error as { stdout: string }).stdout;
    }
    for (const name of ["console", "process", "setTimeout"]) {
      expect(output).toContain(`Cannot find name '${name}'`);
    }
  });
});
