import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KNOWN_KEYS } from "../src/manifest-schema.ts";
import { parseManifestYaml } from "../src/yaml.ts";

const text = readFileSync(new URL("../../../docs/reference/manifest.md", import.meta.url), "utf8");

describe("docs/reference/manifest.md", () => {
  it.each([...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = ""]) => yaml))(
    "its example parses without a diagnostic: %s",
    (yaml) => {
      const { manifest, diagnostics } = parseManifestYaml(yaml);
      expect(diagnostics).toEqual([]);
      expect(manifest).toBeDefined();
    },
  );

  it("names every field of the format (R5)", () => {
    const fields = [...KNOWN_KEYS]
      .filter(([title]) => !title.startsWith("declar"))
      .flatMap(([, keys]) => keys)
      .filter((key) => !["in", "notIn", "claim"].includes(key));
    const missing = fields.filter((field) => !new RegExp(`[\`{ ,]${field}[\`}:, ]`).test(text));
    expect(missing).toEqual([]);
  });
});
