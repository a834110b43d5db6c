import type { Diagnostic } from "./diagnostic.ts";

/** The keys and indexes that lead from the top of a document to a value. */
export type Path = readonly (string | number)[];

/** Which part of the source a finding points at: the value, its key, or where its map begins. */
export type Anchor = "value" | "key" | "start";

/** A stretch inside a string value, in UTF-16 units of that string. */
export interface Inner {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

/** A diagnostic before its path is turned into a pointer and, for YAML, into a source range. */
export interface Finding {
  readonly code: string;
  readonly severity?: "warning";
  readonly path: Path;
  readonly anchor?: Anchor;
  readonly message: string;
  readonly found?: string;
  readonly allowed?: readonly string[];
  readonly help?: string;
  readonly related?: readonly { message: string; path: Path; anchor?: Anchor }[];
  readonly inner?: Inner;
}

/** A finding about one value, whose path the caller knows and adds. */
export type Fault = Omit<Finding, "path" | "related">;

/** Collects findings: `add` takes what a check of the value at `path` answered, if anything. */
export interface Findings {
  readonly all: Finding[];
  add(path: Path, fault: Fault | undefined): boolean;
}

/** An empty collection. */
export function collectFindings(): Findings {
  const all: Finding[] = [];
  return {
    all,
    add(path, fault) {
      if (fault !== undefined) all.push({ ...fault, path });
      return fault !== undefined;
    },
  };
}

/** RFC 6901: `~` and `/` in a key are written `~0` and `~1`. */
export function pointerTo(path: Path): string {
  let pointer = "";
  for (const part of path) {
    pointer += `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
}

/** The finding as public data, without a source range. */
export function toDiagnostic(finding: Finding): Diagnostic {
  const { code, severity = "error", message, found, allowed, help, related = [] } = finding;
  return {
    code,
    severity,
    message,
    pointer: pointerTo(finding.path),
    ...(found === undefined ? {} : { found }),
    ...(allowed === undefined ? {} : { allowed }),
    ...(help === undefined ? {} : { help }),
    ...(related.length === 0
      ? {}
      : {
          related: related.map((place) => ({
            code,
            severity,
            message: place.message,
            pointer: pointerTo(place.path),
          })),
        }),
  };
}

const MAX_FINDINGS = 1000;

/** At most a thousand findings, the last of which tells how many more there were. */
export function capped<T extends { readonly code: string; readonly message: string }>(
  findings: readonly T[],
): readonly T[] {
  const more = findings.length - MAX_FINDINGS;
  const last = findings[MAX_FINDINGS - 1];
  if (more <= 0 || last === undefined) return findings;
  const told = `${last.message}; ${more} more problems are not shown`;
  return [...findings.slice(0, MAX_FINDINGS - 1), { ...last, message: told }];
}

/** A value as a message quotes it: JSON, cut at 60 characters; nested values by their kind. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "a map";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** What a value is, in the words of a manifest. */
function kindOf(value: unknown): string {
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a string";
    case "number":
      return Number.isInteger(value) ? "a number" : "a fraction";
    case "boolean":
      return "a boolean";
    case "object":
      return "a map";
    case "undefined":
      return "nothing";
    default:
      return `a ${typeof value}`;
  }
}

/** Sets an own member, also one named `__proto__`, which assignment would not make a member. */
export function setOwn(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") map[key] = value;
  else Object.defineProperty(map, key, { value, enumerable: true, writable: true });
}

/** The kind of a value, and the value itself where it fits a line. */
export function describe(value: unknown): string {
  const kind = kindOf(value);
  return typeof value === "object" ? kind : `${kind}, ${quote(value)}`;
}

/** How to write a number or boolean that is meant as a string. */
export function quotedHelp(value: unknown): string | undefined {
  return typeof value === "number" || typeof value === "boolean"
    ? `quote it: "${value}"`
    : undefined;
}
