import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles } from "../checks/source-tree.mjs";
import { plant, root } from "./planted-tree.ts";

/** The TypeScript that a document shows, block by block. */
function examplesOf(path: string): string[] {
  const text = readFileSync(join(root, path), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);
}

async function run(code: string): Promise<void> {
  const folder = plant({ "example.ts": code });
  await import(/* @vite-ignore */ join(folder, "example.ts"));
}

const documents: string[] = listFiles(root).filter((path) =>
  /^(README\.md|docs\/.*\.md)$/.test(path),
);
const examples = documents.flatMap((path) =>
  examplesOf(path).map((code, index) => ({ name: `${path} ${index + 1}`, code })),
);

describe("examples in documents", () => {
  it.each(examples.filter(({ name }) => !name.includes("try-the-rules")))(
    "$name runs",
    ({ code }) => run(code),
  );

  it("[C31-140] success, bounded failure, two earliest minutes, two instants by zone", async () => {
    const [code, ...others] = examplesOf("docs/how-to/try-the-rules.md");
    expect(others).toEqual([]);
    expect(code?.match(/assert\./g)?.length).toBeGreaterThanOrEqual(7);
    await run(code as string);
  });

  it("an example that is wrong fails", async () => {
    await expect(run('import assert from "node:assert"; assert.equal(1, 2);')).rejects.toThrow();
  });
});
