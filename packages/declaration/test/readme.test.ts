import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import * as root from "../src/index.ts";
import * as yaml from "../src/yaml.ts";

const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...text.matchAll(/```ts\n(.*?)```\n\n```text\n(.*?)```/gs)].map(
  ([, code = "", output = ""], index) => ({ index, code, output }),
);
const modules: Readonly<Record<string, unknown>> = {
  "@mesh/declaration": root,
  "@mesh/declaration/yaml": yaml,
};

/** Runs TypeScript of the README with the packages it imports, and answers what it printed. */
function run(code: string): string {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const plain = ts.transpileModule(code, { compilerOptions }).outputText;
  const printed: string[] = [];
  const log = (...values: readonly unknown[]) =>
    printed.push(values.map((one) => (typeof one === "string" ? one : inspect(one))).join(" "));
  const body = new Function("require", "console", "exports", plain);
  body((name: string) => modules[name], { log }, {});
  return `${printed.join("\n")}\n`;
}

describe("README", () => {
  it("every block of TypeScript has its output beside it", () => {
    expect(examples.length).toBe([...text.matchAll(/```ts\n/g)].length);
    expect(examples.length).toBeGreaterThan(3);
  });

  it.each(examples)("example $index prints what it says", ({ code, output }) => {
    expect(run(code)).toBe(output);
  });
});
