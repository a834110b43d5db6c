import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkBound, emptyAppliedState, planApply, renderDeclaration } from "../src/index.ts";
import { parseManifestYaml } from "../src/yaml.ts";
import { readCase } from "./case-files.ts";
import { BOUND } from "./host-bound.ts";

const LIBRARIES = [
  "@mesh/cron",
  "@mesh/jobs",
  "@mesh/concurrency",
  "@noble/hashes/sha2",
  "@noble/hashes/utils",
  "valibot",
  "yaml",
];

describe("the safe lab", () => {
  it("[C31-139] from text to plan needs no network, timer or clock (J11)", () => {
    const ambient = ["fetch", "setTimeout", "setInterval", "WebSocket"] as const;
    const kept = ambient.map((name) => [name, globalThis[name]] as const);
    const realNow = Date.now;
    const realRandom = Math.random;
    const fail = (): never => {
      throw new Error("something ambient was used");
    };
    try {
      for (const name of ambient) Object.assign(globalThis, { [name]: fail });
      Date.now = fail;
      Math.random = fail;
      const { manifest } = parseManifestYaml(readCase("manifests-good/scheduled.yaml"));
      if (manifest?.kind !== "Module") throw new Error("it is a module");
      const declaration = renderDeclaration([manifest], { node: "ams-1", generation: 1 });
      expect(checkBound(declaration, BOUND)).toEqual([]);
      expect(planApply(declaration, emptyAppliedState()).steps).toHaveLength(2);
      expect(parseManifestYaml("module: [").manifest).toBeUndefined();
    } finally {
      for (const [name, value] of kept) Object.assign(globalThis, { [name]: value });
      Date.now = realNow;
      Math.random = realRandom;
    }
  });

  it("[C31-139] the sources import nothing but one another and pure libraries (J11)", () => {
    const folder = new URL("../src/", import.meta.url);
    for (const file of readdirSync(folder).filter((name) => name !== "testing.ts")) {
      const text = readFileSync(new URL(file, folder), "utf8");
      const imports = [...text.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => name);
      const foreign = imports.filter((name) => !name.startsWith("./"));
      expect(foreign.filter((name) => !LIBRARIES.includes(name))).toEqual([]);
    }
  });
});
