import { defineConfig } from "vitest/config";

/** The tests that a mutant must get past: those that are quick and read nothing outside. */
export default defineConfig({
  test: {
    include: [
      "test/{calendar,parse,errors,occurrences,dst,mistakes,zones,posix-rule}.test.ts",
      "test/{laws,parse}.prop.test.ts",
      "test/zone-table.test.ts",
    ],
    setupFiles: ["test/support/mutation-setup.ts"],
    env: { FC_RUNS: "100" },
    testTimeout: 10_000,
  },
});
