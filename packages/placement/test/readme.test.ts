import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const readme = read("README.md");
const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? "");

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the README", () => {
  it.each(examples)("example %# prints what its comments say", async (code) => {
    const printed: string[] = [];
    vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
      printed.push(values.join(" "));
    });
    const folder = new URL("../.results/", import.meta.url);
    mkdirSync(folder, { recursive: true });
    const file = new URL(`readme-${examples.indexOf(code)}.ts`, folder);
    writeFileSync(file, code);
    await import(/* @vite-ignore */ file.href);
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);
    expect(expected.length).toBeGreaterThan(0);
    expect(printed).toEqual(expected);
  });

  it("links each guarantee to a property that exists, by its very name", () => {
    const properties = read("test/place.prop.test.ts");
    const named = readme.matchAll(/\[([^\]]+)\]\(test\/place\.prop\.test\.ts\)/g);
    for (const [, sentence = ""] of named) expect(properties).toContain(`it("${sentence}`);
  });
});
