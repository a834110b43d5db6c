import { checkPlain } from "./check-manifest.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { quote } from "./finding.ts";
import type { Manifest } from "./manifest.ts";
import { readYaml } from "./yaml-document.ts";
import type { YamlDocument, YamlText } from "./yaml-finding.ts";
import { fromYaml, type Source, withRange } from "./yaml-location.ts";

/** A diagnostic with the name of the file it is about, where the caller gave one. */
export interface SourceDiagnostic extends Diagnostic {
  readonly file?: string;
}

/** What the caller knows about a text. */
export interface YamlOptions {
  /** The name that diagnostics carry. */
  readonly file?: string | undefined;
}

/** One manifest, or none when a diagnostic is an error; warnings are among the diagnostics. */
export interface ParsedYaml {
  readonly manifest?: Manifest;
  readonly diagnostics: readonly SourceDiagnostic[];
}

/** The manifests of a file, or none when a diagnostic is an error. */
export interface ParsedYamls {
  readonly manifests: readonly Manifest[];
  readonly diagnostics: readonly SourceDiagnostic[];
}

/**
 * Reads one manifest from YAML (or JSON) text, with the line and column of every diagnostic (R4).
 * Layers are YAML, shape, meaning; a layer runs when the one before is clean and tells all of its
 * problems. Anchors, aliases, tags, directives, merge keys, duplicate and non-string keys, several
 * documents, nesting over 32 and texts over 256 KiB are refused.
 */
export function parseManifestYaml(text: string, options: YamlOptions = {}): ParsedYaml {
  const yaml = readYaml(text, { many: false });
  const { manifests, diagnostics } = parseDocuments(text, yaml, options);
  const [manifest] = manifests;
  return manifest === undefined ? { diagnostics } : { manifest, diagnostics };
}

/** As `parseManifestYaml`, for a text of several documents: it is taken whole or refused whole. */
export function parseManifestsYaml(text: string, options: YamlOptions = {}): ParsedYamls {
  return parseDocuments(text, readYaml(text, { many: true }), options);
}

function parseDocuments(text: string, yaml: YamlText, { file }: YamlOptions): ParsedYamls {
  const source: Source = { text, lines: yaml.lines };
  const diagnostics = yaml.findings.map((finding) => fromYaml(source, finding));
  const manifests: Manifest[] = [];
  const names = new Set<string>();
  for (const document of yaml.documents) {
    const { manifest, findings } = checkPlain(document.value);
    diagnostics.push(...findings.map((finding) => withRange(source, document.root, finding)));
    if (manifest === undefined) continue;
    const repeated = checkRepeated(source, document, manifest, names);
    if (repeated !== undefined) diagnostics.push(repeated);
    manifests.push(manifest);
  }
  diagnostics.sort((a, b) => startOf(a) - startOf(b));
  const clean = diagnostics.every(({ severity }) => severity === "warning");
  const named = file === undefined ? diagnostics : diagnostics.map((one) => ({ ...one, file }));
  return { manifests: clean ? manifests : [], diagnostics: named };
}

function startOf({ range }: Diagnostic): number {
  return range?.start.offset ?? 0;
}

/** One file says one thing about each name. */
function checkRepeated(
  source: Source,
  document: YamlDocument,
  manifest: Manifest,
  names: Set<string>,
): Diagnostic | undefined {
  const field = manifest.kind === "Module" ? "module" : "name";
  const name = manifest.kind === "Module" ? manifest.module : manifest.name;
  const id = `${manifest.kind} ${name}`;
  if (!names.has(id)) {
    names.add(id);
    return undefined;
  }
  return withRange(source, document.root, {
    code: "manifest.duplicate",
    path: [field],
    message: `this file holds two manifests of the ${id}`,
    found: quote(name),
    help: "remove one of the two, or rename it",
  });
}
