import type { Diagnostic } from "./diagnostic.ts";

/** Checks one value and adds what is wrong with it, all of it, to `problems`. */
export type Shape = (value: unknown, pointer: string, problems: Diagnostic[]) => void;

type Fields = Readonly<Record<string, Shape>>;

/** Deeper data than this is refused, so that no input can exhaust the stack. */
const MAX_DEPTH = 32;

export function problem(
  code: string,
  pointer: string,
  message: string,
  extra: Omit<Diagnostic, "code" | "severity" | "message" | "pointer"> = {},
): Diagnostic {
  return { code, severity: "error", message, pointer, ...extra };
}

/** A short rendering of a value for messages. */
export function show(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "a map";
  if (typeof value === "function") return "a function";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** A non-empty string. */
export const text: Shape = (value, pointer, problems) => {
  if (typeof value !== "string") problems.push(wrongType(value, pointer, "a string"));
  else if (value === "") problems.push(problem("shape.empty", pointer, "must not be empty"));
};

/** A number from `min` to `max`, both included; a whole one unless `whole` is false. */
export function number(min: number, max: number, whole = true): Shape {
  const kind = whole ? "a whole number" : "a number";
  return (value, pointer, problems) => {
    if (typeof value !== "number" || (whole ? !Number.isInteger(value) : !Number.isFinite(value))) {
      problems.push(wrongType(value, pointer, kind));
    } else if (value < min || value > max) {
      problems.push(
        problem("limit.range", pointer, `must be ${kind} from ${min} to ${max}`, {
          found: show(value),
        }),
      );
    }
  };
}

export function oneOf(allowed: readonly string[]): Shape {
  return (value, pointer, problems) => {
    if (typeof value === "string" && allowed.includes(value)) return;
    problems.push(
      problem("shape.enum", pointer, `must be one of ${allowed.join(", ")}`, {
        found: show(value),
        allowed,
      }),
    );
  };
}

/** A list of at least `min` values of one shape. */
export function list(item: Shape, min = 0): Shape {
  return (value, pointer, problems) => {
    if (!Array.isArray(value)) problems.push(wrongType(value, pointer, "a list"));
    else if (value.length < min)
      problems.push(problem("shape.empty", pointer, "must not be empty"));
    else for (const [i, each] of value.entries()) item(each, `${pointer}/${i}`, problems);
  };
}

/** A map with these members; others are refused, unless it is `open`. */
export function map(required: Fields, optional: Fields = {}, open = false): Shape {
  const fields = { ...required, ...optional };
  const shapes = Object.entries(fields);
  return (value, pointer, problems) => {
    if (!isMap(value)) {
      problems.push(wrongType(value, pointer, "a map"));
      return;
    }
    for (const [key, shape] of shapes) {
      const member = `${pointer}/${key}`;
      if (value[key] !== undefined) shape(value[key], member, problems);
      else if (key in required)
        problems.push(problem("shape.missing", member, `${key} is missing`));
    }
    if (open) return;
    for (const key of Object.keys(value)) {
      if (value[key] === undefined || Object.hasOwn(fields, key)) continue;
      problems.push(
        problem(
          "shape.unknown-key",
          `${pointer}/${escapeKey(key)}`,
          `${show(key)} is not known here`,
          {
            allowed: Object.keys(fields),
            help: `use one of ${Object.keys(fields).join(", ")}`,
          },
        ),
      );
    }
  };
}

/** One of several maps, told apart by the string in member `key`. */
export function variant(key: string, shapes: Fields): Shape {
  const tag = map({ [key]: oneOf(Object.keys(shapes)) }, {}, true);
  return (value, pointer, problems) => {
    const before = problems.length;
    tag(value, pointer, problems);
    if (problems.length > before) return;
    shapes[(value as Record<string, string>)[key] as string]?.(value, pointer, problems);
  };
}

/** A map that has at least one of these members, and at most `max` of them. */
export function someOf(shape: Shape, members: readonly string[], max: number): Shape {
  return (value, pointer, problems) => {
    const before = problems.length;
    shape(value, pointer, problems);
    if (problems.length > before) return;
    const count = members.filter((key) => (value as Record<string, unknown>)[key] !== undefined);
    if (count.length > 0 && count.length <= max) return;
    const wanted = max === 1 ? "exactly one" : "at least one";
    problems.push(
      problem("shape.missing", pointer, `must have ${wanted} of ${members.join(", ")}`, {
        allowed: members,
      }),
    );
  };
}

/** A copy that shares nothing with `value`; members that are `undefined` are left out. */
export function copyJson(
  value: unknown,
  pointer: string,
  problems: Diagnostic[],
  depth = 0,
): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (depth > MAX_DEPTH) {
    problems.push(problem("limit.range", pointer, `must not be nested deeper than ${MAX_DEPTH}`));
    return undefined;
  }
  if (Array.isArray(value)) {
    return Array.from(value, (each, i) => copyJson(each, `${pointer}/${i}`, problems, depth + 1));
  }
  if (isMap(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(
      members.map(([key, member]) => [
        key,
        copyJson(member, `${pointer}/${escapeKey(key)}`, problems, depth + 1),
      ]),
    );
  }
  problems.push(wrongType(value, pointer, "plain JSON"));
  return undefined;
}

/** A plain object: no list, no instance of a class. */
function isMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function wrongType(value: unknown, pointer: string, wanted: string): Diagnostic {
  return problem("shape.type", pointer, `must be ${wanted}`, { found: show(value) });
}

/** RFC 6901. */
function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
