import type { CST, Document, ParsedNode, YAMLError } from "yaml";
import { Composer, isScalar, Lexer, LineCounter, Parser } from "yaml";
import { utf8Length } from "./paths.ts";
import { quoteSchedule, type YamlFinding, type YamlText } from "./yaml-finding.ts";
import { readDocuments } from "./yaml-node.ts";

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 32;
const MAX_LEXEMES = 65_536;

/** What cannot stand in a manifest: controls, line breaks of other readers, and stray marks. */
export const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]|\r(?!\n)|(?<!^)\uFEFF|\p{Surrogate}/u;

/**
 * Reads YAML 1.2 into plain data and refuses what hides or repeats content (R4): directives, tags,
 * anchors, aliases, merge keys, duplicate and non-string keys, control characters, nesting over
 * 32 and texts over 256 KiB. Of syntax faults the first is told; one anchor stands for its aliases.
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

type Composed = Document.Parsed<ParsedNode>;

/** The documents of a text; findings are what stops the reading before nodes are looked at. */
function compose(text: string, lines: LineCounter, findings: YamlFinding[]): readonly Composed[] {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    strict: true,
  });
  const documents: Composed[] = [];
  const take = (tokens: Iterable<CST.Token>) => {
    for (const token of tokens) {
      if (token.type === "directive") findings.push(directive(token));
      documents.push(...composer.next(token));
    }
  };
  lines.addNewLine(0);
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    take(parser.next(lexeme));
    lexemes++;
    const stop = lexemes > MAX_LEXEMES ? tooMany(parser.offset) : tooDeep(parser.stack);
    if (stop !== undefined) {
      findings.push(stop);
      return [];
    }
  }
  take(parser.end());
  documents.push(...composer.end(documents.length === 0, text.length));
  return documents;
}

/**
 * The composer recurses into what the parser nests, and running out of stack there can end the
 * process; so the depth is judged while the parser's stack grows. The root is not counted.
 */
function tooDeep(stack: readonly CST.Token[]): YamlFinding | undefined {
  if (stack.length <= MAX_DEPTH + 1) return undefined;
  const nested = stack.filter(({ type }) => COLLECTIONS.has(type));
  const start = nested[MAX_DEPTH + 1]?.offset;
  if (start === undefined) return undefined;
  return {
    code: "yaml.too-deep",
    message: "maps and lists are nested more than 32 deep",
    help: "no field of a manifest nests so deep: check the brackets",
    start,
    end: start + 1,
  };
}

const COLLECTIONS: ReadonlySet<string> = new Set(["block-map", "block-seq", "flow-collection"]);

function directive({ offset, source }: CST.Token & { source: string }): YamlFinding {
  return {
    code: "yaml.directive",
    message: "a directive changes how YAML is read",
    help: "remove the line that begins with %",
    start: offset,
    end: offset + source.length,
  };
}

/** A manifest of a thousand containers has fewer parts; what reads them costs time for each. */
function tooMany(offset: number): YamlFinding {
  return {
    code: "yaml.too-large",
    message: "a manifest has at most 65536 keys, values and signs",
    help: "split the file",
    start: offset,
    end: offset,
  };
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

function firstSyntaxFault(text: string, documents: readonly Composed[]): YamlFinding | undefined {
  const errors = documents.flatMap((document) => document.errors);
  const [first] = errors.sort((a, b) => a.pos[0] - b.pos[0]);
  return first === undefined ? undefined : syntaxFault(text, first);
}

/** A schedule without quotes, up to a comment or to the next entry of a map in braces. */
const BEFORE_SCHEDULE = /(?:[\s-]*|[^#"']*[{,]\s*)["']?schedule["']?\s*:\s*/;
const AFTER_SCHEDULE = /$|\s#|\}|,\s*["']?[A-Za-z-]+["']?\s*:/;
const STAR_SCHEDULE = new RegExp(
  `^(${BEFORE_SCHEDULE.source})(\\*.*?)\\s*(?:${AFTER_SCHEDULE.source})`,
);

function syntaxFault(text: string, error: YAMLError): YamlFinding {
  const [start, end] = error.pos;
  const place = { start, end: Math.max(end, start + 1) };
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", start);
  const line = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
  const star = STAR_SCHEDULE.exec(line);
  if (star !== null) {
    const [, before = "", value = ""] = star;
    const at = lineStart + star.index + before.length;
    return { ...quoteSchedule(value), code: "yaml.syntax", start: at, end: at + value.length };
  }
  if (error.code === "TAB_AS_INDENT") {
    const message = "a tab cannot indent";
    return { ...place, code: "yaml.tab-indent", message, help: "indent with spaces" };
  }
  const message = error.message.replace(/\s+/g, " ").slice(0, 160);
  return { ...place, code: "yaml.syntax", message, help: syntaxHelp(line) };
}

function syntaxHelp(line: string): string {
  if (/[:-]\s+[@`%&*!|>]/.test(line)) return "quote a value that begins with a special character";
  if (/:.*:\s/.test(line)) return "quote a value that has a colon and a space in it";
  return "mend the syntax here; nothing after it was looked at";
}

function severalDocuments(second: Composed): YamlFinding {
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
