import * as v from "valibot";
import { linkError } from "./errors.ts";

/** `value` as `schema` has it; throws a `LinkError` that names the first wrong place. */
export function parse<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const issue = result.issues[0];
  const where = v.getDotPath(issue) ?? "the answer";
  throw linkError("the server", new TypeError(`${where}: ${issue.message}`));
}
