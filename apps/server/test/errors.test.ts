import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

/** Codes that the source spells out: two words at least, joined by a dot, or the two plain ones. */
function codesInSource(): Set<string> {
  const codes = new Set<string>();
  const files = [
    "refusal",
    "start-error",
    "config",
    "data-folder",
    "start-server",
    "store/sqlite",
    "store/job-rows",
  ]
    .map((name) => `../src/${name}.ts`)
    .concat(sourcesOf("operations"), sourcesOf("http"));
  for (const file of files) {
    const source = read(file);
    for (const pattern of [
      /code: "([a-z]+[.a-z-]*)"/g,
      /refusal\(\s*[0-9]{3},\s*"([a-z.-]+)"/g,
      /new StartError\(\s*"([a-z.-]+)"/g,
      /isUnknown \? "([a-z.-]+)" : "([a-z.-]+)"/g,
    ]) {
      for (const [, ...found] of source.matchAll(pattern))
        for (const code of found) codes.add(code);
    }
  }
  return codes;
}

function sourcesOf(folder: string): string[] {
  const root = new URL(`../src/${folder}/`, import.meta.url).pathname;
  return readdirSync(root).map((name) => `../src/${folder}/${name}`);
}

describe("the page of errors", () => {
  it("has a row for every code of the source, and no other", () => {
    const page = read("../../../docs/reference/errors-server.md");
    const rows = new Set(Array.from(page.matchAll(/^\| `([a-z.-]+)`/gm), ([, code]) => code));
    // A diagnostic's own code where the input is not valid, and words that are no codes.
    const source = codesInSource();
    expect([...source].filter((code) => !rows.has(code))).toEqual([]);
    expect([...rows].filter((code) => !source.has(code as string))).toEqual([]);
  });
});
