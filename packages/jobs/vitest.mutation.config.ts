import { defineConfig } from "vitest/config";

/**
 * For `npm run mutation`, which runs in a copy of this folder alone: the same tests without those
 * that read documents outside it or visit a whole world of states.
 */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      "test/diagram.test.ts",
      "test/docs.test.ts",
      "test/explorer.test.ts",
      "test/safe-lab.test.ts",
    ],
    setupFiles: ["./test/fixed-seed.ts"],
  },
});
