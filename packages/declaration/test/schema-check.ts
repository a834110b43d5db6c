import { Ajv } from "ajv";
import { generateSchemas } from "../schema/generate.ts";

const schemas = generateSchemas();

/** Whether the published schema of that name takes plain data. */
export function accepts(name: string): (value: unknown) => boolean {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`there is no ${name}`);
  const options = { strict: true, strictRequired: false, strictTypes: false } as const;
  const validate = new Ajv(options).compile(schema);
  return (value) => validate(value);
}
