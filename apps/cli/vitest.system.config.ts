import { defineConfig } from "vitest/config";
import { systemTestOptions } from "../../vitest.shared.ts";

export default defineConfig(systemTestOptions("cli"));
