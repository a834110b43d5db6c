import type { BaseIssue, GenericSchema, IssuePathItem } from "valibot";
import { safeParse } from "valibot";
import { variableTypeFault } from "./environment.ts";
import { describe, type Finding, type Path, quote, quotedHelp } from "./finding.ts";
import { KNOWN_KEYS } from "./manifest-schema.ts";
import { quantityTypeFault } from "./quantity.ts";
import { adviceFor, isBoundOption, isBoundShape, nearestName } from "./suggestion.ts";

/**
 * What is wrong with the shape of `value`, all of it; empty when the schema accepts it (R4).
 * Of a large value only the first fault is told, since collecting millions would take the memory
 * of the host that was sent it. A value has one fault at most.
 */
export function checkShape(
  schema: GenericSchema,
  value: unknown,
  { isLarge }: { readonly isLarge: boolean },
): readonly Finding[] {
  const result = safeParse(schema, value, { abortEarly: isLarge, abortPipeEarly: true });
  if (result.success) return [];
  const findings: Finding[] = [];
  const refused = new Set<string>();
  for (const issue of result.issues) {
    const items = issue.path ?? [];
    const path = items.map((item) => item.key as string | number);
    const holder = items.at(-1);
    if (holder !== undefined && holder.type === "object" && Array.isArray(holder.input)) {
      const parent = path.slice(0, -1);
      const id = JSON.stringify(parent);
      if (!refused.has(id)) findings.push(wrongType(parent, "a map", holder.input));
      refused.add(id);
    } else {
      findings.push(...translate(issue, path, holder));
    }
  }
  return findings;
}

function translate(
  issue: BaseIssue<unknown>,
  path: Path,
  holder: IssuePathItem | undefined,
): readonly Finding[] {
  const { type, input } = issue;
  switch (type) {
    case "strict_object":
      if (issue.expected === "never") return unknownKeys(issue.message, path, holder);
      return [absentOrWrong(issue, path, "a map")];
    case "min_value":
    case "max_value":
      return [outOfRange(issue, path)];
    case "integer":
      return [wrongType(path, "a whole number", input)];
    case "non_empty":
      return [isEmpty(path, input)];
    case "regex":
      return [wrongType(path, "64 hexadecimal digits", input)];
    case "literal":
    case "picklist":
    case "variant":
      return [notAllowed(issue, path)];
    case "array":
      return [absentOrWrong(issue, path, "a list")];
    default:
      return [absentOrWrong(issue, path, `a ${type === "record" ? "map" : type}`)];
  }
}

/** The schema stops at its first unknown key; this names all of them. */
function unknownKeys(
  title: string,
  path: Path,
  holder: IssuePathItem | undefined,
): readonly Finding[] {
  const known = KNOWN_KEYS.get(title) ?? [];
  const input = (holder?.input ?? {}) as object;
  const parent = path.slice(0, -1);
  const unknown = Object.keys(input).filter((key) => !known.includes(key));
  // An inherited member is not among the keys, but refused all the same.
  if (unknown.length === 0) unknown.push(String(path.at(-1)));
  return unknown.map((key) => unknownKey(key, parent, known, input));
}

function unknownKey(key: string, parent: Path, known: readonly string[], holder: object): Finding {
  const place = { path: [...parent, key], anchor: "key", found: quote(key) } as const;
  if (isBoundOption(key)) {
    return {
      ...place,
      code: "bound.option",
      message: `${quote(key)} names a power that no manifest can express`,
      allowed: known,
      help: "remove it: a container has its image, account, volumes and environment, nothing more",
    };
  }
  const nearest = nearestName(key, known);
  const taken = nearest !== undefined && Object.hasOwn(holder, nearest);
  return {
    ...place,
    code: "shape.unknown-key",
    message: `${quote(key)} is not a known name here`,
    allowed: known,
    help:
      adviceFor(key) ??
      (nearest === undefined
        ? `remove it, or use one of: ${known.join(", ")}`
        : taken
          ? `remove it: ${nearest} is already there`
          : `write ${nearest}`),
  };
}

function absentOrWrong(issue: BaseIssue<unknown>, path: Path, wanted: string): Finding {
  if (issue.input === undefined && path.length > 0) return missing(path);
  return wrongType(path, wanted, issue.input);
}

/** What to write for a field that is missing. */
const EXAMPLES: Readonly<Record<string, string>> = {
  action: "Fail, Ignore or Count",
  content: "the text of the file",
  delaySeconds: "10",
  image: "registry.example.com/team/app@sha256:<digest>",
  jobTemplate: "{image: registry.example.com/team/app@sha256:<digest>}",
  kind: "None, Constant or Exponential",
  operator: "equals or not_equals",
  path: "/var/lib/mesh/<module>",
  resources: "[] or a list of what the module needs",
  schedule: '"0 3 * * *"',
  source: "/var/lib/mesh/<module>",
  target: "/data",
  type: "directory, file or container",
  v: "1",
  version: "1",
};

/** What a message calls the value at a path. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "the document";
  return typeof last === "number" ? `item ${last + 1} of ${nameOf(path.slice(0, -1))}` : last;
}

function missing(path: Path): Finding {
  const key = String(path.at(-1));
  const example = Object.hasOwn(EXAMPLES, key) ? `: ${EXAMPLES[key]}` : "";
  return {
    code: "shape.missing",
    path,
    anchor: "start",
    message: `${key} is missing`,
    help: `add ${key}${example}`,
  };
}

function isEmpty(path: Path, input: unknown): Finding {
  const list = Array.isArray(input);
  return {
    code: "shape.empty",
    path,
    message: `${nameOf(path)} is empty`,
    found: list ? "a list of 0" : '""',
    help: "give it a value, or leave it out where it is optional",
  };
}

function outOfRange(issue: BaseIssue<unknown>, path: Path): Finding {
  const bound = (issue as { requirement?: unknown }).requirement;
  const least = issue.type === "min_value";
  return {
    code: "limit.range",
    path,
    message: `${nameOf(path)} is out of range`,
    found: quote(issue.input),
    help: least ? `use ${bound} or more` : `use ${bound} or less`,
  };
}

function notAllowed(issue: BaseIssue<unknown>, path: Path): Finding {
  const key = path.at(-1);
  const { input } = issue;
  if (issue.type === "variant" && issue.expected === "Object") {
    return wrongType(path, "a map", input);
  }
  const allowed = [...(issue.expected ?? "").matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? "");
  if (key === "version" || key === "v") return wrongVersion(path, input);
  if (input === undefined) return missing(path);
  const found = quote(input);
  if (key === "type" && typeof input === "string" && isBoundShape(input)) {
    const message = `resource type ${found} names a power that no manifest can express`;
    const help = "what runs is a container; what lies on disk is a file or a directory";
    return { code: "bound.shape", path, message, found, allowed, help };
  }
  const nearest = typeof input === "string" ? nearestName(input, allowed) : undefined;
  return {
    code: "shape.enum",
    path,
    message: `${nameOf(path)} cannot be ${found}`,
    found,
    allowed,
    help: nearest === undefined ? `use one of: ${allowed.join(", ")}` : `write ${nearest}`,
  };
}

function wrongVersion(path: Path, input: unknown): Finding {
  if (input === undefined) return missing(path);
  const declared = path.at(-1) === "v";
  return {
    code: declared ? "declaration.format" : "version.unsupported",
    path,
    message: `version ${quote(input)} is not supported`,
    found: quote(input),
    allowed: ["1"],
    help: input === "1" ? "write 1 without quotes" : "write 1, or use a newer release",
  };
}

/** A value of the wrong kind; some fields have a code of their own, since the mistake is common. */
function wrongType(path: Path, wanted: string, input: unknown): Finding {
  const key = path.at(-1);
  const found = describe(input);
  const base = { path, found } as const;
  if (path.at(-2) === "environment") return { ...variableTypeFault(nameOf(path), input), path };
  if (key === "mode") {
    return {
      ...base,
      code: "mode.type",
      message: "mode must be a string: an unquoted 0644 is the number 644",
      help: modeHelp(input),
    };
  }
  if ((key === "cpu" || key === "memory") && path.at(-2) === "resources") {
    return { ...quantityTypeFault(input, key), path };
  }
  return {
    ...base,
    code: "shape.type",
    message: `${nameOf(path)} must be ${wanted}`,
    help: typeHelp(path, wanted, input),
  };
}

function modeHelp(input: unknown): string {
  const digits = String(input);
  return /^[0-7]{3}$/.test(digits) ? `write "0${digits}"` : 'write it in quotes, such as "0640"';
}

function typeHelp(path: Path, wanted: string, input: unknown): string {
  const holder = path.at(-2);
  if (wanted === "a string" && quotedHelp(input) !== undefined) return `quote it: "${input}"`;
  if (holder === "volumes" && typeof input === "string") {
    return "write {source: /var/lib/mesh/<module>, target: /path}";
  }
  if (holder === "secrets" && typeof input === "string") return `write {name: ${input}}`;
  if (path.at(-1) === "placement") return "write a list of {key, operator, value}";
  if (path.at(-1) === "content") return "write the text of the file, as a block after |";
  if (wanted === "a number" && typeof input === "string") return "remove the quotes";
  if (path.length === 0) return "a manifest is a map: module, Job or CronJob";
  return `write ${wanted}`;
}
