import { describe, expect, it } from "vitest";
import { checkTidy, codeProblems } from "../checks/tidy.mjs";
import { plant } from "./planted-tree.ts";

const source = "packages/cron/src/planted.ts";
const test = "packages/cron/test/planted.test.ts";
const messages = (path: string, code: string): string[] =>
  codeProblems(path, code).map(({ message }) => message);
const lines = (count: number): string => "const a = 1;\n".repeat(count);

describe("names of files", () => {
  it.each([
    ["packages/cron/src/nextOccurrence.ts", "kebab-case"],
    ["packages/cron/src/next_occurrence.ts", "kebab-case"],
    ["packages/cron/src/Next/next.ts", "kebab-case"],
    ["packages/cron/src/utils.ts", "utils says nothing"],
    ["packages/cron/src/helpers/dates.ts", "helpers says nothing"],
    ["apps/cli/src/common.ts", "common says nothing"],
    ["apps/cli/src/types.ts", "types says nothing"],
    ["packages/cron/test/misc.test.ts", "misc says nothing"],
  ])("%s is refused", (path, part) => {
    const problems = checkTidy(plant({ [path]: "" }));
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(part)]);
  });

  it.each([
    "packages/cron/src/next-occurrence.ts",
    "packages/cron/test/next-occurrence.prop.test.ts",
    "packages/cron/README.md",
    "packages/cron/test/cases/Any_Name.yaml",
    "docs/decisions/0001-toolchain.md",
  ])("%s is allowed", (path) => {
    expect(checkTidy(plant({ [path]: "" }))).toEqual([]);
  });
});

describe("sizes", () => {
  it("a file has at most 300 lines", () => {
    expect(messages(source, lines(300))).toEqual([]);
    expect(messages(source, lines(301))).toEqual(["301 lines; at most 300"]);
  });

  it("a test file has at most 400 lines, and may pin a longer line", () => {
    expect(messages(test, lines(400))).toEqual([]);
    expect(messages(test, lines(401))).toEqual(["401 lines; at most 400"]);
    expect(messages(test, `// ${"a".repeat(98)}`)).toEqual([]);
  });

  it("the main file of an app has at most 80 lines", () => {
    expect(messages("apps/server/src/main.ts", lines(81))).toEqual(["81 lines; at most 80"]);
  });

  it("a function has at most 70 lines", () => {
    const body = (count: number): string => `export function f() {\n${lines(count)}}\n`;
    expect(messages(source, body(68))).toEqual([]);
    expect(messages(source, body(69))).toEqual(["a function of 71 lines; at most 70"]);
  });

  it("a group of tests may be longer, a test may not", () => {
    const test70 = `it("a", () => {\n${lines(70)}});\n`;
    const tests = `${lines(80)}it("b", () => {});\n`;
    expect(messages(test, `describe("a", () => {\n${tests}});\n`)).toEqual([]);
    expect(messages(test, `export function contract() {\n${tests}}\n`)).toEqual([]);
    expect(messages(test, test70)).toEqual(["a function of 72 lines; at most 70"]);
  });

  it("a line has at most 100 columns", () => {
    expect(messages(source, `// ${"a".repeat(97)}`)).toEqual([]);
    expect(messages(source, `// ${"a".repeat(98)}`)).toEqual(["101 columns; at most 100"]);
  });

  it("a docstring has at most 12 lines", () => {
    const doc = (count: number): string => `/**\n${" * a\n".repeat(count)} */\nconst a = 1;\n`;
    expect(messages(source, doc(12))).toEqual([]);
    expect(messages(source, doc(13))).toEqual(["a comment of 13 lines; at most 12"]);
  });
});

describe("forms", () => {
  it.each([
    [source, 'export * from "./a.ts";', "export *"],
    [source, "export default 1;", "default export"],
    [source, "export default function f() {}", "default export"],
    [source, "enum Color { Red }", "enum"],
    [source, "namespace A {}", "namespace"],
    [source, "class Runner {}", "class that is no error"],
    [source, "class Runner extends Base {}", "class that is no error"],
    [source, `// ${"TO"}DO later`, "unfinished work"],
    [source, `const a = 1; // ${"FIX"}ME`, "unfinished work"],
    [source, `/* ${"HA"}CK */`, "unfinished work"],
    [test, 'it.only("a", () => {});', "every test runs"],
    [test, 'describe.skip("a", () => {});', "every test runs"],
    [test, 'vi.mock("./a.ts");', "mock"],
  ])("in %s: %s is refused", (path, code, part) => {
    expect(messages(path, code)).toEqual([expect.stringContaining(part)]);
  });

  it.each([
    [source, 'export { a } from "./a.ts";'],
    [source, "export class CronSyntaxError extends SyntaxError {}"],
    ["packages/cron/vitest.config.ts", "export default {};"],
    [test, 'it.skipIf(!socket)("a", () => {});'],
    [test, 'it.todo("a");'],
  ])("in %s: %s is allowed", (path, code) => {
    expect(messages(path, code)).toEqual([]);
  });
});
