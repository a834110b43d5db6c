import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("./cases/", import.meta.url);

/** The text of a case file. */
export function readCase(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

/** The rows of a `.jsonl` case file. */
export function readRows<T>(name: string): readonly T[] {
  return readCase(name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** The names of the files in a folder of cases. */
export function listCases(name: string): readonly string[] {
  return readdirSync(new URL(name, folder)).filter((file) => file.endsWith(".yaml"));
}
