import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { plantWithTools, tool } from "./planted-tree.ts";

const entries = {
  "packages/cron/src/index.ts": "export const cron = 1;\n",
  "packages/cron/src/inner.ts": "export const inner = 1;\n",
  "packages/cron/src/testing.ts": "export const arbitrary = 1;\n",
  "packages/jobs/src/index.ts": "export const jobs = 1;\n",
  "packages/concurrency/src/index.ts": "export const concurrency = 1;\n",
  "packages/declaration/src/index.ts": "export const declaration = 1;\n",
  "apps/server/src/index.ts": "export const server = 1;\n",
  "apps/server/src/store.ts": "export const store = 1;\n",
  "apps/agent/src/index.ts": "export const agent = 1;\n",
};

/** A file, what it imports, and the rule that this breaks. */
const planted = [
  ["packages/cron/src/up.ts", "@mesh/concurrency", "cron-uses-none-of-ours"],
  ["packages/jobs/src/side.ts", "@mesh/cron", "jobs-uses-none-of-ours"],
  ["packages/concurrency/src/side.ts", "@mesh/jobs", "concurrency-uses-only-cron"],
  ["packages/cron/src/app.ts", "../../../apps/server/src/index.ts", "no-package-imports-an-app"],
  ["packages/cron/src/io.ts", "node:fs", "packages-use-nothing-of-node"],
  ["packages/cron/src/library.ts", "valibot", "cron-has-no-libraries"],
  ["packages/declaration/src/other.ts", "pino", "declaration-has-its-libraries-only"],
  ["packages/cron/src/prop.ts", "./testing.ts", "source-does-not-use-the-testing-entry"],
  ["packages/cron/src/tested.ts", "../test/a.test.ts", "source-does-not-use-tests"],
  ["packages/concurrency/src/deep.ts", "../../cron/src/inner.ts", "only-public-entries"],
  ["packages/cron/src/gone.ts", "./nowhere.ts", "every-import-is-found"],
  ["packages/cron/src/circle.ts", "./circle.ts", "no-circles"],
  ["apps/server/src/agent.ts", "@mesh/agent", "apps-do-not-reach-into-each-other"],
  ["apps/cli/src/deep.ts", "../../server/src/store.ts", "cli-and-lab-use-public-entries"],
] as const;

const allowed = [
  ["apps/cli/src/main.ts", "@mesh/server"],
  ["apps/lab/src/main.ts", "@mesh/agent"],
  ["apps/server/src/main.ts", "@mesh/declaration"],
  ["packages/concurrency/src/use.ts", "@mesh/cron"],
  ["packages/declaration/src/use.ts", "valibot"],
  ["packages/cron/test/use.test.ts", "../src/testing.ts"],
] as const;

function cruise(files: readonly (readonly [string, string, ...unknown[]])[]): string {
  const sources = files.map(([path, specifier]) => [path, `import "${specifier}";\n`]);
  const test = { "packages/cron/test/a.test.ts": "export const a = 1;\n" };
  const folder = plantWithTools({ ...entries, ...test, ...Object.fromEntries(sources) });
  const args = ["--config", ".dependency-cruiser.cjs", "packages", "apps"];
  return spawnSync(tool("depcruise"), args, { cwd: folder, encoding: "utf8" }).stdout;
}

it("an import against the arrows breaks the rule for it", { timeout: 60_000 }, () => {
  const lines = cruise(planted).split("\n");
  for (const [path, , rule] of planted) {
    const found = lines.some((line) => line.includes(`error ${rule}`) && line.includes(path));
    expect(found, `${path} breaks ${rule}`).toBe(true);
  }
});

it("an import along the arrows is allowed", { timeout: 60_000 }, () => {
  expect(cruise(allowed)).toContain("no dependency violations found");
});
