import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import * as cron from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);

/** A value as the README writes it: dates without quotes, all else as JSON. */
function written(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  return JSON.stringify(value) ?? String(value);
}

/** Each statement that a comment follows is run; what it gives must be what the comment says. */
function run(example: string): (readonly [found: string, said: string])[] {
  const names = Object.keys(cron).join(", ");
  const body = example
    .replace(/^import .*$/gm, "")
    .replace(
      /^( *)([^\s/].*?|\);) \/\/ (.*)$/gm,
      (line, indent: string, code: string, said: string) =>
        code.startsWith("const ") ? line : `${indent}${code}//=${said}`,
    );
  const statements = body.replace(
    /^ *(?!const|try|import)([a-zA-Z][^;]*);\/\/=(.*)$/gm,
    (_, code: string, said: string) => `note((${code}), ${JSON.stringify(said)});`,
  );
  const script = ts.transpile(`const { ${names} } = cron;\n${statements}`, {
    target: ts.ScriptTarget.ES2022,
  });
  const noted: [string, string][] = [];
  const note = (value: unknown, said: string) => noted.push([written(value), said]);
  new Function("cron", "note", script)(cron, note);
  return noted;
}

describe("the README", () => {
  it("has examples", () => {
    expect(examples.length).toBeGreaterThan(4);
  });

  it.each(examples.map((example, index) => [index + 1, example] as const))(
    "example %i gives what its comments say",
    (_, example) => {
      const noted = run(example);
      expect(noted.length).toBeGreaterThan(0);
      for (const [found, said] of noted) expect(found).toBe(said);
      const comments = example.match(/^(?! *const ).*\/\/ /gm) ?? [];
      expect(noted).toHaveLength(comments.length);
    },
  );

  it("names every function of the package, and no other", () => {
    const table = readme.slice(readme.indexOf("## Functions"), readme.indexOf("## Guarantees"));
    const named = [...table.matchAll(/`([a-zA-Z]+)\(/g)].map((match) => match[1] as string);
    const functions = Object.keys(cron).filter((name) => !/^is.*Error$|Error$/.test(name));
    expect([...new Set(named)].sort()).toEqual(functions.sort());
  });
});
