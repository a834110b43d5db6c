import type { Diagnostic } from "@mesh/declaration";
import * as v from "valibot";
import { invalid, type Refusal } from "../refusal.ts";
import { texts } from "../texts.ts";
import { duplicateKey } from "./duplicate-key.ts";

/** The value as the schema has it; refused with one diagnostic for each wrong place (S5). */
export function parseInput<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw invalid(result.issues.map(diagnosticOf));
}

/** The place in a body, as diagnostics name it (RFC 6901). */
function pointerTo(path: readonly unknown[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The refusal of a body in which a key hides another of its map (R4), or null. */
export function duplicateKeyRefusal(text: string): Refusal | null {
  const path = duplicateKey(text);
  if (path === undefined) return null;
  const key = JSON.stringify(path.at(-1));
  return invalid([
    {
      code: "body.duplicate-key",
      severity: "error",
      message: `the key ${key} stands twice in one map`,
      pointer: pointerTo(path),
      help: "remove one of the two",
    },
  ]);
}

function diagnosticOf(issue: v.BaseIssue<unknown>): Diagnostic {
  const pointer = pointerTo((issue.path ?? []).map(({ key }) => key));
  const isUnknown = issue.type === "strict_object" && issue.expected === "never";
  return {
    code: isUnknown ? "shape.unknown-key" : "shape.value",
    severity: "error",
    message: isUnknown ? "there is no such field" : issue.message,
    pointer,
  };
}

const whole = (least: number, most: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,15}$/, "must be a whole number"),
    v.transform(Number),
    v.minValue(least, `must be at least ${least}`),
    v.maxValue(most, `must be at most ${most}`),
  );

/** How many rows one answer holds at most. */
export const MAX_LIMIT = 1_000;

const limit = (absent: number) => v.optional(whole(1, MAX_LIMIT), String(absent));
const name = v.pipe(v.string(), v.maxLength(253));

export const noQuery = v.strictObject({});
export const listQuery = v.strictObject({ limit: limit(500) });
/** `job` is a Job's id: only its tasks. */
export const tasksQuery = v.strictObject({ limit: limit(500), job: v.optional(name) });
export const decisionsQuery = v.strictObject({ limit: limit(20) });
export const applyJobQuery = v.strictObject({
  replace: v.optional(v.picklist(["true", "false"]), "false"),
});
export const runsQuery = v.strictObject({
  namespace: v.optional(name),
  schedule: v.optional(name),
  module: v.optional(name),
  limit: limit(100),
});
export const eventsQuery = v.strictObject({
  after: v.optional(whole(0, Number.MAX_SAFE_INTEGER), "0"),
  limit: limit(500),
  waitSeconds: v.optional(whole(0, 25), "0"),
});

/** A body that may be left out, as `POST …/resume` has it. */
export const resumeBody = v.optional(v.strictObject({ catchUp: v.optional(v.boolean()) }), {});
export const triggerBody = v.optional(v.strictObject({ id: v.optional(v.string()) }), {});
export const noBody = v.nullish(v.strictObject({}));
const fileName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$/, "must be usable as a file's name"),
);
export const secretName = fileName;
/** A text that reaches the process as it came: half a character would be stored as another. */
const secretValue = v.pipe(
  v.string(),
  v.maxLength(65_536),
  v.check((text) => !/\p{Surrogate}/u.test(text), "must hold whole characters"),
);
export const secretBody = v.strictObject({
  values: v.pipe(
    texts(fileName, secretValue),
    v.check((values) => Object.keys(values).length >= 1, "must have at least one key"),
    v.check((values) => Object.keys(values).length <= 100, "must have at most 100 keys"),
  ),
});
