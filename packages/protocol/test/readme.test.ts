import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);

describe("the README", () => {
  it("shows one example, and it runs", async () => {
    expect(examples).toHaveLength(1);
    const folder = mkdtempSync(join(tmpdir(), "readme-"));
    try {
      const file = join(folder, "example.ts");
      writeFileSync(file, examples[0] as string);
      await import(/* @vite-ignore */ file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
