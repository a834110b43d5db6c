import { defineConfig } from "tsup";
import { appBuild } from "../../../tsup.shared.ts";

export default defineConfig(appBuild(["src/main.ts"]));
