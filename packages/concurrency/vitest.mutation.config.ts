import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/**
 * For `npm run mutation`: the same tests, without those that visit millions of states or compare
 * documents, so that each mutant is judged in a moment. It runs in a copy of this folder at another
 * depth, so it finds the other packages by looking upwards.
 */
const here = dirname(fileURLToPath(import.meta.url));
let root = here;
while (!existsSync(join(root, "packages/cron/src/index.ts"))) root = dirname(root);

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@mesh\/(cron|jobs)$/, replacement: join(root, "packages/$1/src/index.ts") },
      { find: /^@mesh\/concurrency$/, replacement: join(here, "src/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/*-document.test.ts", "test/{explorer,readme,simulate}.test.ts"],
    setupFiles: [join(root, "vitest.setup.ts")],
    env: { FC_RUNS: "25" },
    testTimeout: 20_000,
  },
});
