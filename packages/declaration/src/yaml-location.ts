import type { LineCounter, Node, Pair } from "yaml";
import { isMap, isScalar, isSeq } from "yaml";
import type { Diagnostic, Position } from "./diagnostic.ts";
import {
  type Anchor,
  type Finding,
  type Inner,
  type Path,
  pointerTo,
  toDiagnostic,
} from "./finding.ts";
import type { YamlFinding } from "./yaml-finding.ts";

type Range = NonNullable<Diagnostic["range"]>;

/** Where things stand in one YAML text. */
export interface Source {
  readonly text: string;
  readonly lines: LineCounter;
}

/** A finding of the YAML layer as public data; it speaks of the whole document. */
export function fromYaml(source: Source, finding: YamlFinding): Diagnostic {
  const { code, severity = "error", message, help, start, end } = finding;
  return { code, severity, message, pointer: "", range: rangeOf(source, start, end), help };
}

/** A finding of a later layer, with the range of what it points at. */
export function withRange(source: Source, root: Node, finding: Finding): Diagnostic {
  const { code, severity = "error", inner, related = [] } = finding;
  const base = toDiagnostic(finding);
  const node = finding.anchor === undefined ? nodeAt(root, finding.path) : null;
  const within = inner === undefined ? undefined : innerRange(source, node, inner);
  const places: Diagnostic[] = related.map(({ message, path, anchor }) => ({
    code,
    severity,
    message,
    pointer: pointerTo(path),
    range: locate(source, root, path, anchor ?? "value"),
  }));
  if (inner !== undefined && within !== undefined) {
    places.push({
      code,
      severity,
      pointer: base.pointer ?? "",
      message: inner.message,
      range: within,
    });
  }
  return {
    ...base,
    range: locate(source, root, finding.path, finding.anchor ?? "value"),
    ...(places.length === 0 ? {} : { related: places }),
  };
}

function locate(source: Source, root: Node, path: Path, anchor: Anchor): Range {
  if (anchor === "start") return startOf(source, nodeAt(root, path.slice(0, -1)) ?? root);
  const pair = pairAt(root, path);
  if (anchor === "key" && pair !== undefined) return nodeRange(source, pair.key as Node);
  const node = nodeAt(root, path);
  if (node !== null) return nodeRange(source, node);
  return nodeRange(source, (pair?.key as Node | undefined) ?? root);
}

/** Where a map begins: its first key, so that a mark stays on one line. */
function startOf(source: Source, node: Node): Range {
  const first = isMap(node) ? (node.items[0]?.key as Node | undefined) : undefined;
  const [start] = node.range ?? [0, 0];
  const [, end] = first?.range ?? [start, start + 1];
  return rangeOf(source, start, Math.max(start, end));
}

/** The node at a path; `null` where the path leads to nothing. */
function nodeAt(root: Node, path: Path): Node | null {
  let node: Node | null = root;
  for (const part of path) {
    if (isSeq(node)) node = (node.items[Number(part)] as Node | undefined) ?? null;
    else node = (pairIn(node, part)?.value as Node | null | undefined) ?? null;
  }
  return node;
}

function pairAt(root: Node, path: Path): Pair | undefined {
  const last = path.at(-1);
  return last === undefined ? undefined : pairIn(nodeAt(root, path.slice(0, -1)), last);
}

function pairIn(node: Node | null, key: string | number): Pair | undefined {
  if (!isMap(node)) return undefined;
  return node.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function nodeRange(source: Source, node: Node): Range {
  const [start, end] = node.range ?? [0, 0];
  return rangeOf(source, start, end);
}

/** A stretch of a string's value, where the string stands in the text as it is. */
function innerRange(source: Source, node: Node | null, inner: Inner): Range | undefined {
  if (!isScalar(node) || typeof node.value !== "string" || !node.range) return undefined;
  const [start, end] = node.range;
  const quotes = node.type === "PLAIN" ? 0 : 1;
  if (source.text.slice(start + quotes, end - quotes) !== node.value) return undefined;
  return rangeOf(source, start + quotes + inner.start, start + quotes + inner.end);
}

export function rangeOf(source: Source, start: number, end: number): Range {
  return { start: positionOf(source, start), end: positionOf(source, end) };
}

function positionOf({ lines }: Source, offset: number): Position {
  if (lines.lineStarts.length === 0) return { offset, line: 1, column: offset + 1 };
  const { line, col } = lines.linePos(offset);
  return line === 0 ? { offset, line: 1, column: offset + 1 } : { offset, line, column: col };
}
