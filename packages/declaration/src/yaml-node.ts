import type { Document, Node, ParsedNode, Scalar, YAMLMap } from "yaml";
import { isAlias, isMap, isScalar, isSeq } from "yaml";
import { capped, setOwn } from "./finding.ts";
import {
  quoteSchedule,
  type YamlDocument,
  type YamlFinding,
  type YamlText,
} from "./yaml-finding.ts";

const OLDER_WORDS = "y|yes|n|no|on|off";
const OLDER_NUMBERS =
  "[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\\.[0-9_]*)?|[-+]?0b[01_]+|[-+]?[0-9]+_[0-9_]*";

/** Plain scalars that YAML 1.2 reads as strings and older readers as booleans or numbers. */
export const AMBIGUOUS = new RegExp(`^(?:${OLDER_WORDS}|${OLDER_NUMBERS})$`, "i");

/** The plain values of documents, or what their nodes hide or repeat. */
export function readDocuments(
  documents: readonly Document.Parsed<ParsedNode>[],
): Pick<YamlText, "documents" | "findings"> {
  const reader: Reader = { errors: [], warnings: [], anchored: false };
  const read: YamlDocument[] = [];
  for (const { contents } of documents) {
    if (contents !== null) read.push({ value: readNode(reader, contents), root: contents });
  }
  if (reader.errors.length === 0) return { documents: read, findings: reader.warnings };
  const visible = reader.errors.filter(({ code }) => !(reader.anchored && code === "yaml.alias"));
  return { documents: [], findings: capped(visible) };
}

interface Reader {
  readonly errors: YamlFinding[];
  readonly warnings: YamlFinding[];
  anchored: boolean;
}

type Refusal = Pick<YamlFinding, "code" | "message" | "help">;

function refuse(reader: Reader, node: Node, refusal: Refusal): void {
  const [start, end] = node.range ?? [0, 0];
  reader.errors.push({ ...refusal, start, end: Math.max(start, end) });
}

function readNode(reader: Reader, node: Node | null): unknown {
  if (node === null) return null;
  if (isAlias(node)) return readAlias(reader, node, undefined);
  checkProperties(reader, node);
  if (isScalar(node)) {
    warnAmbiguous(reader, node);
    return node.value;
  }
  if (isMap(node)) return readMap(reader, node);
  if (isSeq(node)) return node.items.map((item) => readNode(reader, item as Node));
  return null;
}

function readAlias(reader: Reader, node: Node & { source: string }, key: unknown): null {
  const schedule = key === "schedule" ? quoteSchedule(`*${node.source}`) : undefined;
  refuse(reader, node, {
    code: "yaml.alias",
    message: schedule?.message ?? "an alias cannot stand in a manifest",
    help:
      schedule?.help ?? "write the value out where it is used, or quote a text that begins with *",
  });
  return null;
}

/** One anchor stands for all: what refers to it is refused with it. */
function checkProperties(reader: Reader, node: Node & { anchor?: string; tag?: string }): void {
  if (node.anchor !== undefined && !reader.anchored) {
    reader.anchored = true;
    refuse(reader, node, {
      code: "yaml.anchor",
      message: "an anchor cannot stand in a manifest: what is shared is hidden where it is used",
      help: "write the value out where it is used",
    });
  }
  if (node.tag !== undefined) {
    refuse(reader, node, {
      code: "yaml.tag",
      message: `the tag ${node.tag.slice(0, 60)} cannot stand in a manifest`,
      help: "remove the tag, and quote the value if it is a text",
    });
  }
}

function readMap(reader: Reader, map: YAMLMap): object {
  const result: Record<string, unknown> = {};
  for (const { key, value } of map.items) {
    const name = readKey(reader, map, key as Node | null);
    if (name !== undefined && Object.hasOwn(result, name)) {
      refuse(reader, key as Node, {
        code: "yaml.duplicate-key",
        message: `the key ${JSON.stringify(name.slice(0, 60))} stands twice in one map`,
        help: "remove one of the two",
      });
    }
    const node = value as Node | null;
    const read = isAlias(node) ? readAlias(reader, node, name) : readNode(reader, node);
    if (name === undefined) continue;
    setOwn(result, name, read);
  }
  return result;
}

function readKey(reader: Reader, map: YAMLMap, key: Node | null): string | undefined {
  if (key !== null && isScalar(key) && typeof key.value === "string") {
    if (key.value === "<<" && key.type === "PLAIN") {
      refuse(reader, key, {
        code: "yaml.merge-key",
        message: "a merge key cannot stand in a manifest",
        help: "write the fields out",
      });
      return undefined;
    }
    checkProperties(reader, key);
    warnAmbiguous(reader, key);
    return key.value;
  }
  const help = "quote it if it is a name";
  refuse(reader, key ?? map, { code: "yaml.key-type", message: "a key must be a string", help });
  return undefined;
}

function warnAmbiguous(reader: Reader, node: Scalar): void {
  const { value, type } = node;
  if (type !== "PLAIN" || typeof value !== "string" || !AMBIGUOUS.test(value)) return;
  const [start, end] = node.range ?? [0, 0];
  reader.warnings.push({
    code: "yaml.ambiguous-scalar",
    severity: "warning",
    message: `${value} is a string here, but a boolean or a number for older YAML readers`,
    help: `quote it: "${value}"`,
    start,
    end,
  });
}
