import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { contentHash } from "../src/content-hash.ts";
import { checkBound, type Diagnostic, renderDeclaration, safeParseManifest } from "../src/index.ts";
import { parseManifestsYaml, parseManifestYaml } from "../src/yaml.ts";
import { MANIFEST_EXAMPLES } from "./error-examples.ts";
import { BOUND } from "./host-bound.ts";
import { container, DIRECTORY, IMAGE, parsedModule } from "./manifests.ts";

const DOCUMENT = new URL("../../../docs/reference/errors-declaration.md", import.meta.url);

const rendered = renderDeclaration(
  [parsedModule(DIRECTORY, container({ schedule: "0 3 * * *" }))],
  { node: "ams-1", generation: 1 },
);

/** The declaration with its container changed, and hashed anew. */
function sent(fields: object): unknown {
  const modules = rendered.modules.map((module) => ({
    ...module,
    resources: module.resources.map(({ hash: _, ...resource }) => {
      const content = resource.type === "container" ? { ...resource, ...fields } : resource;
      return { ...content, hash: contentHash(content) };
    }),
  }));
  return { ...rendered, modules };
}

const none = { ...BOUND, maximum: { ...BOUND.maximum, schedules: 0 } };
const small = { ...BOUND, maximum: { ...BOUND.maximum, memory: 1024 } };

/** What a host says of a declaration, for each code that only a host gives. */
const HOST_EXAMPLES: Readonly<Record<string, readonly Diagnostic[]>> = {
  "bound.change": checkBound({ ...rendered, roots: ["/"] }, BOUND),
  "bound.maximum": checkBound(sent({ resources: { memory: "1Gi" } }), small),
  "declaration.format": checkBound({ ...rendered, v: 2 }, BOUND),
  "declaration.hash": checkBound(
    JSON.parse(JSON.stringify(rendered).replace("0 3 * * *", "0 4 * * *")),
    BOUND,
  ),
  "declaration.wrong-host": checkBound(rendered, { ...BOUND, node: "fra-1" }),
  "image.registry-not-allowed": checkBound(
    sent({ image: IMAGE.replace("ghcr.io", "example.com") }),
    BOUND,
  ),
  "image.unqualified": checkBound(sent({ image: IMAGE.replace("ghcr.io/acme/", "") }), BOUND),
  "schedule.flood": checkBound(rendered, none),
  "volume.outside-root": checkBound(
    sent({ volumes: [{ source: "/etc", target: "/c", readOnly: false }] }),
    BOUND,
  ),
};

const cycle: Record<string, unknown> = { name: "report", image: IMAGE };
cycle.environment = cycle;
const cyclic = safeParseManifest(cycle);

const crowded = safeParseManifest({ name: "report", command: new Array(1_048_577).fill([]) });

/** What plain data gives that no YAML text can. */
const DATA_EXAMPLES = {
  "shape.too-deep": cyclic.ok ? [] : cyclic.diagnostics,
  "shape.too-large": crowded.ok ? [] : crowded.diagnostics,
};

function diagnosticsOf(code: string, text: string): readonly Diagnostic[] {
  return (code === "manifest.duplicate" ? parseManifestsYaml : parseManifestYaml)(text).diagnostics;
}

const EXAMPLES: readonly (readonly [string, readonly Diagnostic[]])[] = Object.entries({
  ...Object.fromEntries(
    Object.entries(MANIFEST_EXAMPLES).map(([code, text]) => [code, diagnosticsOf(code, text)]),
  ),
  ...HOST_EXAMPLES,
  ...DATA_EXAMPLES,
}).sort(([a], [b]) => (a < b ? -1 : 1));

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/\s+/g, " ");
}

const tagged = safeParseManifest({ name: "report", image: "busybox:1.36" });

/** A Job may be unpinned, with a warning: the same code as a module's error. */
const WARNINGS: typeof EXAMPLES = [["image.not-pinned", tagged.ok ? tagged.warnings : []]];

function documentOf(severity: Diagnostic["severity"]): string {
  const rows = [...WARNINGS, ...EXAMPLES].flatMap(([code, diagnostics]) =>
    diagnostics
      .filter((one) => one.code === code && one.severity === severity)
      .slice(0, 1)
      .map(({ message, help }) => `| \`${code}\` | ${cell(message)} | ${cell(help ?? "")} |`),
  );
  return ["| code | text | help |", "| --- | --- | --- |", ...rows, ""].join("\n");
}

const TEXT = `# Errors and warnings of manifests and declarations

A code is part of the interface and does not change its meaning; the wording may change.
The texts are those of one example for each code; names and values in them vary.
A diagnostic also carries the JSON pointer of the value, what was found, what is allowed, and, for YAML, the line and column.

## Errors

${documentOf("error")}
## Warnings

${documentOf("warning")}`;

describe("errors", () => {
  it.each(EXAMPLES)("%s has an example that gives it alone (R4)", (code, diagnostics) => {
    expect(diagnostics.map((one) => one.code)).toEqual([code]);
    expect(diagnostics[0]?.help).toMatch(/./);
  });

  it("every code in the sources has an example (R4)", () => {
    const folder = new URL("../src/", import.meta.url);
    const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
    const codes = [...sources.join("\n").matchAll(/"([a-z]+\.[a-z][a-zA-Z0-9-]+)"/g)]
      .map(([, code]) => code ?? "")
      .filter((code) => !/\.(json|ts|md|mesh|io|DeclarationError)$/.test(code));
    const known = new Set(EXAMPLES.map(([code]) => code));
    expect(codes.length).toBeGreaterThan(80);
    expect([...new Set(codes)].filter((code) => !known.has(code))).toEqual([]);
  });

  it("docs/reference/errors-declaration.md holds every code with its text", () => {
    if (process.env.UPDATE_DOCS) writeFileSync(DOCUMENT, TEXT);
    expect(readFileSync(DOCUMENT, "utf8")).toBe(TEXT);
  });
});
