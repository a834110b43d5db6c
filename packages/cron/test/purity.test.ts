import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const folder = new URL("../src/", import.meta.url);
const sources = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(new URL(name, folder), "utf8").replace(/\/\*[\s\S]*?\*\//g, ""),
}));

describe("the sources", () => {
  it("[C31-87] read no clock, no random source and no timer", () => {
    for (const { name, text } of sources) {
      expect([
        name,
        text.match(/Date\.now|new Date\(\)|Math\.random|setTimeout|performance\./),
      ]).toEqual([name, null]);
    }
  });

  it("[C31-139] import nothing but one another, so nothing outside can be needed", () => {
    for (const { name, text } of sources) {
      const imported = [...text.matchAll(/from "([^"]+)"/g)].map((match) => match[1] as string);
      const foreign = imported.filter((path) => !path.startsWith("./"));
      expect([name, foreign]).toEqual([name, name === "testing.ts" ? ["fast-check"] : []]);
      expect([name, text.match(/\bimport\(|\brequire\(|fetch\(|process\./)]).toEqual([name, null]);
    }
  });
});
