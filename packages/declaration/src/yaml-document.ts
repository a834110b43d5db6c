import type { Document, Node, ParsedNode, Scalar, YAMLError, YAMLMap } from "yaml";
import { Composer, isAlias, isMap, isScalar, isSeq, LineCounter, Parser } from "yaml";
import { utf8Length } from "./paths.ts";

/** A fault of the YAML layer, or a doubt about it, at offsets of the text. */
export interface YamlFinding {
  readonly code: string;
  readonly severity?: "warning";
  readonly message: string;
  readonly help: string;
  readonly start: number;
  readonly end: number;
}

/** One document: its plain value, and its nodes, which know where they stand. */
export interface YamlDocument {
  readonly value: unknown;
  readonly root: Node;
}

/** What a text holds; `documents` is empty when a finding is an error. */
export interface YamlText {
  readonly documents: readonly YamlDocument[];
  readonly findings: readonly YamlFinding[];
  readonly lines: LineCounter;
}

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 32;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]|(?<!^)\uFEFF|\p{Surrogate}/u;

/** Plain scalars that YAML 1.2 reads as strings and older readers as booleans or numbers. */
const AMBIGUOUS =
  /^(?:y|yes|n|no|on|off|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[-+]?0b[01_]+|[-+]?[0-9]+_[0-9_]*)$/i;

/**
 * Reads YAML 1.2 into plain data and refuses what hides or repeats content (R4): directives, tags,
 * anchors, aliases, merge keys, duplicate and non-string keys, control characters, nesting over
 * 32 and texts over 256 KiB. Only the first syntax fault is told; one anchor stands for its aliases.
 */
export function readYaml(text: string, { many }: { many: boolean }): YamlText {
  const lines = new LineCounter();
  const early = tooLarge(text) ?? controlCharacter(text, lines);
  if (early !== undefined) return { documents: [], findings: [early], lines };
  const findings: YamlFinding[] = [];
  const composed = compose(text, lines, findings);
  const syntax = firstSyntaxFault(text, composed);
  if (syntax !== undefined) findings.unshift(syntax);
  if (findings.length > 0) return { documents: [], findings: findings.slice(0, 1), lines };
  const [first, second] = composed;
  if (!many && second !== undefined) {
    return { documents: [], findings: [severalDocuments(second)], lines };
  }
  const filled = composed.filter(({ contents }) => !isEmptyNode(contents));
  if (filled.length === 0) {
    return { documents: [], findings: [emptyText(first?.contents)], lines };
  }
  return { ...readDocuments(filled), lines };
}

function compose(text: string, lines: LineCounter, findings: YamlFinding[]) {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    strict: true,
  });
  const documents: Document.Parsed<ParsedNode>[] = [];
  for (const token of parser.parse(text)) {
    if (token.type === "directive") {
      findings.push({
        code: "yaml.directive",
        message: "a directive changes how YAML is read",
        help: "remove the line that begins with %",
        start: token.offset,
        end: token.offset + token.source.length,
      });
    }
    documents.push(...composer.next(token));
  }
  documents.push(...composer.end(documents.length === 0, text.length));
  return documents;
}

function tooLarge(text: string): YamlFinding | undefined {
  if (text.length * 3 <= MAX_BYTES || utf8Length(text) <= MAX_BYTES) return undefined;
  return {
    code: "yaml.too-large",
    message: "a manifest has at most 256 KiB",
    help: "put large content into the image, or split the file",
    start: 0,
    end: 0,
  };
}

function controlCharacter(text: string, lines: LineCounter): YamlFinding | undefined {
  const match = CONTROL.exec(text);
  if (match === null) return undefined;
  lines.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0 && at < match.index; at = text.indexOf("\n", at + 1)) {
    lines.addNewLine(at + 1);
  }
  const unit = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return {
    code: "yaml.control-char",
    message: `the character U+${unit} cannot stand in a manifest`,
    help: 'remove it; in a string in double quotes an escape such as "\\u0007" can say it',
    start: match.index,
    end: match.index + 1,
  };
}

function firstSyntaxFault(
  text: string,
  documents: readonly Document.Parsed<ParsedNode>[],
): YamlFinding | undefined {
  const errors = documents.flatMap((document) => document.errors);
  const [first] = errors.sort((a, b) => a.pos[0] - b.pos[0]);
  return first === undefined ? undefined : syntaxFault(text, first);
}

function syntaxFault(text: string, error: YAMLError): YamlFinding {
  const [start, end] = error.pos;
  const place = { start, end: Math.max(end, start + 1) };
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", start);
  const line = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
  const star = /^([\s-]*["']?schedule["']?\s*:\s*)(\*.*?)\s*$/.exec(line);
  if (star !== null) {
    const [, before = "", value = ""] = star;
    const at = lineStart + before.length;
    return { ...quoteSchedule(value), code: "yaml.syntax", start: at, end: at + value.length };
  }
  if (error.code === "TAB_AS_INDENT") {
    const message = "a tab cannot indent";
    return { ...place, code: "yaml.tab-indent", message, help: "indent with spaces" };
  }
  if (error.code === "RESOURCE_EXHAUSTION") return { ...place, ...TOO_DEEP };
  const message = error.message.replace(/\s+/g, " ").slice(0, 160);
  return { ...place, code: "yaml.syntax", message, help: syntaxHelp(line) };
}

function syntaxHelp(line: string): string {
  if (/[:-]\s+[@`%&*!|>]/.test(line)) return "quote a value that begins with a special character";
  if (/:.*:\s/.test(line)) return "quote a value that has a colon and a space in it";
  return "mend the syntax here; nothing after it was looked at";
}

/** The most frequent mistake of all: a cron expression that begins with `*`, without quotes. */
function quoteSchedule(value: string): { message: string; help: string } {
  return {
    message: "a schedule that begins with * needs quotes: without them * refers to an anchor",
    help: `write schedule: "${value}"`,
  };
}

const TOO_DEEP = {
  code: "yaml.too-deep",
  message: "maps and lists are nested more than 32 deep",
  help: "no field of a manifest nests so deep: check the brackets",
} as const;

function severalDocuments(second: Document.Parsed<ParsedNode>): YamlFinding {
  const start = second.contents?.range[0] ?? second.range[0];
  return {
    code: "yaml.documents",
    message: "this text holds several documents",
    help: "keep one, or apply the file with a command that takes several",
    start,
    end: start + 1,
  };
}

function emptyText(contents: ParsedNode | null | undefined): YamlFinding {
  const start = contents?.range[0] ?? 0;
  return {
    code: "yaml.empty",
    message: "the text holds no manifest",
    help: "begin with module: for a module, or name: for a Job or CronJob",
    start,
    end: start,
  };
}

function isEmptyNode(node: ParsedNode | null): boolean {
  return (
    node === null ||
    (isScalar(node) && node.value === null && node.anchor === undefined && node.tag === undefined)
  );
}

function readDocuments(documents: readonly Document.Parsed<ParsedNode>[]) {
  const reader: Reader = { errors: [], warnings: [], anchored: false, deep: false };
  const read: YamlDocument[] = [];
  for (const { contents } of documents) {
    if (contents !== null) read.push({ value: readNode(reader, contents, 0), root: contents });
  }
  if (reader.errors.length === 0) return { documents: read, findings: reader.warnings };
  const visible = reader.errors.filter(({ code }) => !(reader.anchored && code === "yaml.alias"));
  return { documents: [], findings: visible };
}

interface Reader {
  readonly errors: YamlFinding[];
  readonly warnings: YamlFinding[];
  anchored: boolean;
  deep: boolean;
}

type Refusal = Pick<YamlFinding, "code" | "message" | "help">;

function refuse(reader: Reader, node: Node, refusal: Refusal): void {
  const [start, end] = node.range ?? [0, 0];
  reader.errors.push({ ...refusal, start, end: Math.max(start, end) });
}

function readNode(reader: Reader, node: Node | null, depth: number): unknown {
  if (node === null) return null;
  if (isAlias(node)) return readAlias(reader, node, undefined);
  checkProperties(reader, node);
  if (isScalar(node)) {
    warnAmbiguous(reader, node);
    return node.value;
  }
  if (depth > MAX_DEPTH) {
    if (!reader.deep) refuse(reader, node, TOO_DEEP);
    reader.deep = true;
    return null;
  }
  if (isMap(node)) return readMap(reader, node, depth);
  if (isSeq(node)) return node.items.map((item) => readNode(reader, item as Node, depth + 1));
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

function readMap(reader: Reader, map: YAMLMap, depth: number): object {
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
    const read = isAlias(node) ? readAlias(reader, node, name) : readNode(reader, node, depth + 1);
    if (name === undefined) continue;
    if (name === "__proto__") {
      Object.defineProperty(result, name, { value: read, enumerable: true });
    } else {
      result[name] = read;
    }
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
