import { defineConfig, mergeConfig } from "vitest/config";
import { systemTestOptions } from "../../vitest.shared.ts";

/** Scenarios wait for minutes to begin; they do so side by side, each with a server of its own. */
const sideBySide = { test: { fileParallelism: true, maxWorkers: 6 } };

export default defineConfig(mergeConfig(systemTestOptions("lab"), sideBySide));
