import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);

describe("the examples of the README", () => {
  it.each(examples.map((code, i) => ({ n: i + 1, code })))("example $n runs", async ({ code }) => {
    const folder = mkdtempSync(join(tmpdir(), "readme-"));
    try {
      writeFileSync(join(folder, "example.ts"), code);
      await import(/* @vite-ignore */ join(folder, "example.ts"));
      expect(code).toContain("assert");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("there are three", () => {
    expect(examples).toHaveLength(3);
  });

  it("says what Forbid and Replace do not promise, and points to Queue and Supersede", () => {
    expect(text).toMatch(/\*\*`Forbid` may overlap\.\*\*.*`Queue`/);
    expect(text).toMatch(/\*\*`Replace` does not wait\.\*\*.*`Supersede`/);
  });
});
