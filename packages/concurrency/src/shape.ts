import type { Diagnostic } from "@mesh/cron";
import { isInstant } from "./instant.ts";

/** Looks at one value and adds what is wrong with it; says nothing where all is well. */
export type Check = (value: unknown, pointer: string, problems: Diagnostic[]) => void;

/** An object with these members and no others; absent and `undefined` are one. */
export function objectOf(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const names = Object.keys({ ...required, ...optional });
  return (value, pointer, problems) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return wrongType(problems, pointer, value, "an object");
    }
    if (!isPlain(value)) return wrongType(problems, pointer, value, "a plain object");
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      if (!names.includes(name)) unknownKey(problems, `${pointer}/${escapeKey(name)}`, name, names);
    }
    for (const [name, check] of Object.entries(required)) {
      const at = `${pointer}/${name}`;
      if (members[name] === undefined) problem(problems, "shape.missing", at, `${name} is missing`);
      else check(members[name], at, problems);
    }
    for (const [name, check] of Object.entries(optional)) {
      if (members[name] !== undefined) check(members[name], `${pointer}/${name}`, problems);
    }
  };
}

/** Members that are inherited would not be stored; of whichever realm the object is. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function listOf(check: Check): Check {
  return (value, pointer, problems) => {
    if (!Array.isArray(value)) return wrongType(problems, pointer, value, "a list");
    // By index, since `forEach` passes over holes, which JSON would turn into nulls.
    for (let i = 0; i < value.length; i++) check(value[i], `${pointer}/${i}`, problems);
  };
}

/** One of a closed set; anything else is refused with the set and the nearest member. */
export function oneOf(allowed: readonly (string | number)[]): Check {
  return (value, pointer, problems) => {
    if (allowed.includes(value as string)) return;
    if (typeof value !== typeof allowed[0]) {
      return wrongType(problems, pointer, value, allowed.join(", "), allowed);
    }
    problem(
      problems,
      "shape.enum",
      pointer,
      `${JSON.stringify(value)} is not allowed: use ${allowed.join(", ")}`,
      { found: String(value), allowed: allowed.map(String), ...nearest(String(value), allowed) },
    );
  };
}

/** A whole number within bounds, both included. */
export function wholeNumber(min: number, max: number): Check {
  return (value, pointer, problems) => {
    if (typeof value !== "number") return wrongType(problems, pointer, value, "a whole number");
    if (Number.isInteger(value) && value >= min && value <= max) return;
    problem(
      problems,
      "limit.range",
      pointer,
      `${value} is not a whole number from ${min} to ${max}`,
      { found: String(value) },
    );
  };
}

export const instant: Check = (value, pointer, problems) => {
  if (isInstant(value)) return;
  wrongType(problems, pointer, value, "whole milliseconds since 1970 (UTC)");
};

export const flag: Check = (value, pointer, problems) => {
  if (typeof value !== "boolean") wrongType(problems, pointer, value, "true or false");
};

export const text: Check = (value, pointer, problems) => {
  if (typeof value !== "string") wrongType(problems, pointer, value, "text");
  else if (value === "") problem(problems, "shape.empty", pointer, "the text is empty");
};

/** Either of two shapes, told apart by whether the value is an object. */
export function scalarOr(scalar: Check, object: Check): Check {
  return (value, pointer, problems) =>
    (typeof value === "object" ? object : scalar)(value, pointer, problems);
}

export function problem(
  problems: Diagnostic[],
  code: string,
  pointer: string,
  message: string,
  more: Partial<Pick<Diagnostic, "found" | "allowed" | "help">> = {},
): void {
  problems.push({ code, severity: "error", message, pointer, ...more });
}

function wrongType(
  problems: Diagnostic[],
  pointer: string,
  value: unknown,
  expected: string,
  allowed?: readonly (string | number)[],
): void {
  problem(problems, "shape.type", pointer, `found ${kindOf(value)}, expected ${expected}`, {
    found: kindOf(value),
    ...(allowed ? { allowed: allowed.map(String) } : {}),
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function unknownKey(
  problems: Diagnostic[],
  pointer: string,
  found: string,
  names: readonly string[],
): void {
  problem(problems, "shape.unknown-key", pointer, `there is no field ${JSON.stringify(found)}`, {
    found,
    allowed: names,
    ...nearest(found, names),
  });
}

/** The allowed name that `found` begins, whatever the case, as help. */
function nearest(found: string, allowed: readonly (string | number)[]): { help?: string } {
  const near = allowed.find((name) => `${name}`.toLowerCase().startsWith(found.toLowerCase()));
  return found === "" || near === undefined ? {} : { help: `use ${near}` };
}

function escapeKey(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
