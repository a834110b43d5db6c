import { fileURLToPath } from "node:url";
import type { ViteUserConfig } from "vitest/config";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Workspace names resolve to sources, so that a test sees the code as it stands, not a build. */
const alias = [
  {
    find: /^@mesh\/(cron|jobs|concurrency|declaration)\/([a-z-]+)$/,
    replacement: at("./packages/$1/src/$2.ts"),
  },
  {
    find: /^@mesh\/(cron|jobs|concurrency|declaration|placement|protocol|kubernetes)$/,
    replacement: at("./packages/$1/src/index.ts"),
  },
  { find: /^@mesh\/(server|agent)$/, replacement: at("./apps/$1/src/index.ts") },
];

/** What every workspace's unit and property tests share; results go where `npm run claims` reads. */
export function testOptions(name: string): ViteUserConfig {
  return {
    resolve: { alias },
    test: {
      name,
      include: ["test/**/*.test.ts"],
      setupFiles: [at("./vitest.setup.ts")],
      reporters: ["default", "json"],
      outputFile: { json: ".results/test.json" },
      testTimeout: 20_000,
    },
  };
}

/** Tests that need a real service; they start it themselves and run one file after another. */
export function systemTestOptions(name: string): ViteUserConfig {
  const options = testOptions(name);
  return {
    ...options,
    test: {
      ...options.test,
      include: ["system/**/*.test.ts"],
      outputFile: { json: ".results/system.json" },
      fileParallelism: false,
      testTimeout: 240_000,
      hookTimeout: 240_000,
    },
  };
}
