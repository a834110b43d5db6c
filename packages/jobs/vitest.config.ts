import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { testOptions } from "../../vitest.shared.ts";

const shared = testOptions("jobs");
const cutNetwork = fileURLToPath(new URL("./test/cut-network.ts", import.meta.url));

export default defineConfig({
  ...shared,
  test: { ...shared.test, setupFiles: [shared.test?.setupFiles ?? [], cutNetwork].flat() },
});
