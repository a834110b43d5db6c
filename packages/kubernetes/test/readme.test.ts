import { readFileSync } from "node:fs";
import * as declaration from "@mesh/declaration";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import * as kubernetes from "../src/index.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

const modules: Readonly<Record<string, unknown>> = {
  "@mesh/declaration": declaration,
  "@mesh/kubernetes": kubernetes,
};

/** Runs TypeScript with the packages it imports, and answers what it printed. */
function run(code: string): string {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const plain = ts.transpileModule(code, { compilerOptions }).outputText;
  const printed: string[] = [];
  const log = (...values: readonly unknown[]) => printed.push(values.join(" "));
  new Function("require", "console", "exports", plain)(
    (name: string) => modules[name],
    { log },
    {},
  );
  return `${printed.join("\n")}\n`;
}

describe("documents", () => {
  it("the README's example prints what it says", () => {
    const [, code = "", output = ""] =
      /```ts\n(.*?)```\n\n```text\n(.*?)```/s.exec(read("../README.md")) ?? [];
    expect(output).not.toBe("");
    expect(run(code)).toBe(output);
  });

  it("docs/reference/kubernetes.md has a row for every code", () => {
    const codes = read("../src/reporter.ts").match(/kubernetes\.[a-z-]+/g) ?? [];
    const table = read("../../../docs/reference/kubernetes.md");
    expect(codes.length).toBeGreaterThan(15);
    expect(codes.filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
  });
});
