import { readFileSync, writeFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { generateSchemas, type Schema } from "../schema/generate.ts";
import { WORDS } from "../schema/words.ts";
import { KNOWN_KEYS } from "../src/manifest-schema.ts";
import { parseManifestYaml } from "../src/yaml.ts";
import { listCases, readCase } from "./case-files.ts";
import { accepts } from "./schema-check.ts";

const schemas = generateSchemas();

function properties(schema: unknown, path = ""): readonly (readonly [string, Schema])[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    const nested = properties(value, `${path}/${key}`);
    if (key !== "properties" || path.endsWith("/if")) return nested;
    const named = Object.entries(value as Record<string, Schema>);
    return [...named.map(([name, property]) => [`${path}/${name}`, property] as const), ...nested];
  });
}

describe("JSON Schema", () => {
  it.each(Object.keys(schemas))("schema/%s is what the parser's own schema says (R6)", (name) => {
    const file = new URL(`../schema/${name}`, import.meta.url);
    if (process.env.UPDATE_SCHEMA) writeFileSync(file, JSON.stringify(schemas[name]));
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(schemas[name]);
  });

  it.each(["module.json", "job.json", "cronjob.json"])(
    "every field of %s has a description and examples (R6)",
    (name) => {
      const lacking = properties(schemas[name]).filter(
        ([, { description, examples }]) => !description || !Array.isArray(examples),
      );
      expect(lacking.map(([path]) => path)).toEqual([]);
    },
  );

  it("every word about a field is about a field that there is (R6)", () => {
    for (const [title, words] of Object.entries(WORDS)) {
      expect(Object.keys(words).filter((key) => !KNOWN_KEYS.get(title)?.includes(key))).toEqual([]);
    }
  });

  it("examples of fields satisfy the fields' own schemas (R6)", () => {
    const ajv = new Ajv({ strict: false });
    for (const [path, property] of properties(schemas["module.json"]).concat(
      properties(schemas["job.json"]),
      properties(schemas["cronjob.json"]),
    )) {
      const validate = ajv.compile({ ...property, definitions: {} });
      const bad = (property.examples as unknown[]).filter((example) => !validate(example));
      expect({ path, bad }).toEqual({ path, bad: [] });
    }
  });

  it("[A53-11] a resource has one of three types; only schedule marks scheduled work (R1, R6)", () => {
    const items = schemas["module.json"]?.properties?.resources?.items as Schema;
    expect(items.properties?.type?.enum).toEqual(["directory", "file", "container"]);
    const branches = items.allOf as { then: Schema }[];
    const container = branches.map(({ then }) => then).find((one) => one.properties?.image);
    expect(Object.keys(container?.properties ?? {})).toEqual([
      "type",
      "name",
      "image",
      "command",
      "environment",
      "volumes",
      "resources",
      "run-once",
      "schedule",
    ]);
  });

  it.each(listCases("manifests-good"))("%s is accepted (R6)", (file) => {
    const text = readCase(`manifests-good/${file}`);
    const kind = parseManifestYaml(text).manifest?.kind.toLowerCase();
    expect(accepts(`${kind}.json`)(parse(text))).toBe(true);
    expect(accepts("manifest.json")(parse(text))).toBe(true);
  });

  it("most bad manifests are refused by the schema alone (R6)", () => {
    const validate = accepts("manifest.json");
    const files = listCases("manifests-bad").filter((file) => !file.startsWith("yaml-"));
    const missed = files.filter((file) => validate(parse(readCase(`manifests-bad/${file}`))));
    expect(files.length).toBeGreaterThan(130);
    expect(missed.length).toBeLessThan(40);
  });
});
