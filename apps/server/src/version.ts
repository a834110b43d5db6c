import { readFileSync } from "node:fs";

/** The version of this package, as its manifest has it. */
export const serverVersion: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;
