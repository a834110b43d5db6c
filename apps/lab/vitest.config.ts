import { defineConfig } from "vitest/config";
import { testOptions } from "../../vitest.shared.ts";

export default defineConfig(testOptions("lab"));
