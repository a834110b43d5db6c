import { describe, expect, it } from "vitest";
import { planApply, safeParseManifest } from "../src/index.ts";
import { parseManifestYaml } from "../src/yaml.ts";
import { container, IMAGE } from "./manifests.ts";

const module = (...resources: readonly object[]) => ({ module: "kometa", version: 1, resources });

function faults(value: unknown): readonly string[] {
  const result = safeParseManifest(value);
  return result.ok ? [] : result.diagnostics.map(({ code, pointer }) => `${code} ${pointer}`);
}

function helpOf(value: unknown): string | undefined {
  const result = safeParseManifest(value);
  return result.ok ? undefined : result.diagnostics[0]?.help;
}

describe("neighbours of known mistakes (R4, R7)", () => {
  it.each(["capAdd", "cap-add", "Privileged", "envFile", "volumesFrom", "on_schedule", "USER"])(
    "%s names a power in the spelling of another system",
    (word) => {
      expect(faults(module(container({ [word]: "x" })))).toEqual([
        `bound.option /resources/0/${word}`,
      ]);
    },
  );

  it("no help proposes a name that is refused as well", () => {
    expect(helpOf({ ...module(), module: "mesh_x" })).toBe("use a DNS label, such as report-2");
    expect(helpOf({ ...module(), module: "Root" })).toBe("use a DNS label, such as report-2");
    expect(helpOf({ name: "My-202601010000", image: IMAGE })).not.toContain("202601010000");
  });

  it.each(["/run/secrets", "/run/secrets/token"])(
    "a volume at %s is refused in a Job with secrets, which are files there (S6)",
    (target) => {
      const claims = { image: IMAGE, volumeClaims: [{ claim: "data", target }] };
      const jobTemplate = { ...claims, secrets: [{ name: "token" }] };
      expect(faults({ name: "a", ...jobTemplate })).toEqual([
        "volume.target /volumeClaims/0/target",
      ]);
      expect(faults({ name: "a", schedule: "0 3 * * *", jobTemplate })).toEqual([
        "volume.target /jobTemplate/volumeClaims/0/target",
      ]);
      expect(faults({ name: "a", ...claims })).toEqual([]);
    },
  );

  it("an empty list is no map, wherever a map may be empty (R6)", () => {
    const lists = { image: IMAGE, environment: [], resources: [] };
    const cronJob = { name: "a", schedule: "0 3 * * *", jobTemplate: lists };
    expect(faults(cronJob)).toEqual([
      "shape.type /jobTemplate/environment",
      "shape.type /jobTemplate/resources",
    ]);
    expect(faults(module(container({ environment: [], resources: [] })))).toEqual([
      "shape.type /resources/0/environment",
      "shape.type /resources/0/resources",
    ]);
    const rules = [{ action: "Fail", onExitCodes: [] }];
    expect(faults({ name: "a", image: IMAGE, failurePolicy: { rules } })).toEqual([
      "shape.type /failurePolicy/rules/0/onExitCodes",
    ]);
  });

  it("a resource that was recorded twice is removed once (A1)", () => {
    const record = { module: "gone", key: "file:/etc/mesh/gone/a" };
    const resources = [
      { ...record, hash: "1" },
      { ...record, hash: "2" },
    ];
    const declaration = { v: 1, node: "ams-1", generation: 1, modules: [] } as const;
    const { steps } = planApply(declaration, { v: 1, generation: 0, resources });
    expect(steps).toMatchObject([{ action: "remove", previous: { hash: "2" } }]);
  });

  it("nothing lies below a file, in whatever order the two stand (R8)", () => {
    const file = { type: "file", path: "/etc/mesh/kometa/a", content: "" };
    const below = { type: "directory", path: "/etc/mesh/kometa/a/b/c" };
    const beside = { type: "directory", path: "/etc/mesh/kometa/ab" };
    expect(faults(module(file, below))).toEqual(["path.below-file /resources/1/path"]);
    expect(faults(module(below, file))).toEqual(["path.below-file /resources/0/path"]);
    expect(faults(module(file, beside))).toEqual([]);
  });
});

describe("neighbours of known mistakes in YAML (R4)", () => {
  const first = (text: string) => parseManifestYaml(text).diagnostics[0];

  it.each([
    ["a comment after it", "name: a\nschedule: */5 * * * * # often\n", "2:11", "2:22"],
    ["braces around it", "{name: a, schedule: */5 * * * *, dst: Once}", "1:21", "1:32"],
    ["lists in it", "name: a\nschedule: */5,1 * * * *\n", "2:11", "2:24"],
  ])("an unquoted schedule with %s is named alone", (_, text, start, end) => {
    const { code, help, range } = first(text) ?? {};
    const value = text.match(/\*\/[^#}]*\*/)?.[0];
    expect([code, help]).toEqual(["yaml.syntax", `write schedule: "${value}"`]);
    const places = [range?.start, range?.end].map((at) => `${at?.line}:${at?.column}`);
    expect(places).toEqual([start, end]);
  });

  it("a carriage return alone is a line break to some readers only, and is refused", () => {
    expect(first(`name: a\nimage: ${IMAGE}\ncommand: ["a\rb"]\n`)).toMatchObject({
      code: "yaml.control-char",
      range: { start: { line: 3, column: 13 } },
    });
    expect(parseManifestYaml(`name: a\r\nimage: ${IMAGE}\r\n`).diagnostics).toEqual([]);
  });
});
