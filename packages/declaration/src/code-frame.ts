import type { Diagnostic } from "./diagnostic.ts";
import type { SourceDiagnostic } from "./yaml-manifest.ts";

type Range = NonNullable<Diagnostic["range"]>;

interface Mark {
  readonly range: Range;
  readonly sign: "^" | "-";
  readonly label: string;
}

const WIDTH = 100;

/**
 * A diagnostic as text for people: what, where with the source and a caret, and how to mend it.
 * `source` is the text that was parsed; `file` names it. Control characters are shown as `�`, and
 * long lines are cut around the mark.
 */
export function formatDiagnostic(
  diagnostic: SourceDiagnostic,
  source: string | { readonly text: string; readonly file?: string | undefined },
): string {
  const { text, file = diagnostic.file } = typeof source === "string" ? { text: source } : source;
  const { severity, code, message, range, pointer, help, found, allowed } = diagnostic;
  const lines = [`${severity}[${code}]: ${visible(message)}`];
  if (range !== undefined) {
    const { line, column } = range.start;
    const place = pointer === undefined || pointer === "" ? "" : ` at ${visible(pointer)}`;
    lines.push(`  --> ${file === undefined ? "" : `${file}:`}${line}:${column}${place}`);
    lines.push(...frame(diagnostic, range, text));
  } else if (pointer !== undefined && pointer !== "") {
    lines.push(`  at ${visible(pointer)}`);
  }
  if (found !== undefined) lines.push(`   = found: ${visible(found)}`);
  if (allowed !== undefined && allowed.length > 0 && allowed.length <= 12) {
    lines.push(`   = allowed: ${visible(allowed.join(", "))}`);
  }
  if (help !== undefined) lines.push(`   = help: ${visible(help)}`);
  return lines.join("\n");
}

function frame(diagnostic: Diagnostic, range: Range, text: string): readonly string[] {
  const marks: Mark[] = [{ range, sign: "^", label: "" }];
  for (const place of diagnostic.related ?? []) {
    if (place.range !== undefined) {
      marks.push({ range: place.range, sign: "-", label: place.message });
    }
  }
  marks.sort((a, b) => a.range.start.line - b.range.start.line || (a.sign === "^" ? -1 : 1));
  const gutter = String(marks.at(-1)?.range.start.line ?? 1).length;
  const blank = `${" ".repeat(gutter + 1)} |`;
  const source = text.split(/\r\n|\r|\n/);
  const output = [blank];
  let shown = 0;
  for (const mark of marks) {
    const { line } = mark.range.start;
    const content = source[line - 1] ?? "";
    const from = Math.max(0, Math.min(mark.range.start.column - 41, content.length - WIDTH));
    if (line !== shown) {
      if (shown !== 0 && line > shown + 1) output.push(`${" ".repeat(gutter + 1)}...`);
      output.push(` ${String(line).padStart(gutter)} | ${window(content, from)}`);
    }
    shown = line;
    output.push(`${blank} ${underline(mark, content, from)}`.trimEnd());
  }
  return output;
}

function window(content: string, from: number): string {
  const part = visible(content.slice(from, from + WIDTH));
  const before = from > 0 ? "..." : "";
  return before + part + (content.length > from + WIDTH ? "..." : "");
}

function underline(mark: Mark, content: string, from: number): string {
  const { start, end } = mark.range;
  const last = end.line === start.line ? end.column : content.length + 1;
  const visibleEnd = Math.min(last, from + WIDTH + 1);
  const length = Math.max(1, visibleEnd - start.column);
  const indent = start.column - 1 - from + (from > 0 ? 3 : 0);
  return `${" ".repeat(Math.max(0, indent))}${mark.sign.repeat(length)} ${visible(mark.label)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
const UNSAFE = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Nothing from a file reaches a terminal as a control sequence. */
function visible(text: string): string {
  return text.replaceAll("\t", " ").replace(UNSAFE, "\ufffd");
}
