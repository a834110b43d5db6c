import { type Finding, setOwn } from "./finding.ts";

const MAX_DEPTH = 32;
const MAX_VALUES = 1_048_576;
const MANY_VALUES = 65_536;
const NOT_PLAIN = "this is no plain data, which JSON could carry whole";

/** A copy that nobody else holds, or the first reason why the value is no plain data. */
export type Plain =
  | { readonly value: unknown; readonly isLarge: boolean; readonly fault?: never }
  | { readonly fault: Finding };

interface Reader {
  readonly path: (string | number)[];
  values: number;
  fault?: Finding;
}

/**
 * A copy of plain data, made of own members only and without those whose value is undefined, so
 * that what is checked is what is answered. What JSON could not carry whole (a `Map`, a `Date`, a
 * list with holes, a getter that throws) is refused, never read as an empty map; so are more than
 * 32 levels, as of a cycle, and more than 1 048 576 values.
 */
export function copyPlain(value: unknown): Plain {
  const reader: Reader = { path: [], values: 0 };
  let copy: unknown;
  try {
    copy = copyValue(reader, value);
  } catch {
    refuse(reader, "shape.type", NOT_PLAIN);
  }
  const { fault, values } = reader;
  return fault === undefined ? { value: copy, isLarge: values > MANY_VALUES } : { fault };
}

function copyValue(reader: Reader, value: unknown): unknown {
  reader.values++;
  if (typeof value !== "object" || value === null) return value;
  if (reader.path.length > MAX_DEPTH) {
    const message = `maps and lists are nested more than ${MAX_DEPTH} deep, or hold themselves`;
    reader.path.length = 0;
    return refuse(reader, "shape.too-deep", message, "no field of a manifest nests so deep");
  }
  if (reader.values > MAX_VALUES) {
    reader.path.length = 0;
    const message = `there are more than ${MAX_VALUES} values`;
    return refuse(reader, "shape.too-large", message, "split it, or put large content into images");
  }
  return Array.isArray(value) ? copyList(reader, value) : copyMap(reader, value);
}

function copyList(reader: Reader, list: readonly unknown[]): unknown {
  if (Object.keys(list).length !== list.length) {
    return refuse(reader, "shape.type", NOT_PLAIN);
  }
  const copy: unknown[] = [];
  for (let index = 0; index < list.length && reader.fault === undefined; index++) {
    copy.push(copyMember(reader, list, index));
  }
  return copy;
}

function copyMap(reader: Reader, map: object): unknown {
  const prototype = Object.getPrototypeOf(map);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain || Object.getOwnPropertySymbols(map).length > 0) {
    return refuse(reader, "shape.type", NOT_PLAIN);
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(map)) {
    const member = copyMember(reader, map, key);
    if (reader.fault !== undefined) break;
    if (member !== undefined) setOwn(copy, key, member);
  }
  return copy;
}

function copyMember(reader: Reader, holder: object, key: string | number): unknown {
  reader.path.push(key);
  const copy = copyValue(reader, (holder as Record<string | number, unknown>)[key]);
  reader.path.pop();
  return copy;
}

function refuse(
  reader: Reader,
  code: string,
  message: string,
  help = "give maps and lists as JSON has them",
): undefined {
  reader.fault ??= { code, path: [...reader.path], message, help };
  return undefined;
}
