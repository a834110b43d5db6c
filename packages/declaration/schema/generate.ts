import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { cronJobSchema, jobSchema, moduleSchema } from "../src/manifest-schema.ts";
import type { FieldWords } from "./field-words.ts";
import { WORDS } from "./words.ts";

/** A JSON Schema as plain data. */
export interface Schema {
  [key: string]: unknown;
  properties?: Record<string, Schema>;
}

const DRAFT = "http://json-schema.org/draft-07/schema#";
const VARIABLE = "^[A-Za-z_][A-Za-z0-9_]*$";

const CONFIG: ConversionConfig = {
  target: "draft-07",
  // A refinement that JSON Schema says by `type` already.
  ignoreActions: ["check"],
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    const schema = jsonSchema as Schema;
    if (valibotSchema.type === "strict_object") {
      return withWords(schema, (valibotSchema as unknown as { message: string }).message);
    }
    if (valibotSchema.type === "variant") {
      return byDiscriminator(schema, (valibotSchema as unknown as { key: string }).key);
    }
    if (valibotSchema.type === "record") {
      return { ...schema, propertyNames: { pattern: VARIABLE, not: { pattern: "^MESH_" } } };
    }
    return undefined;
  },
};

/** The published schemas, by file name: one for each kind, and one that tells them apart (R6). */
export function generateSchemas(): Readonly<Record<string, Schema>> {
  const Module = convert(moduleSchema, "A module: what runs on a node under one account");
  const Job = convert(jobSchema, "A Job: a container that runs to completion");
  const CronJob = convert(cronJobSchema, "A CronJob: a schedule and the Job it starts");
  return {
    "module.json": { $schema: DRAFT, ...Module },
    "job.json": { $schema: DRAFT, ...Job },
    "cronjob.json": { $schema: DRAFT, ...CronJob },
    "manifest.json": { $schema: DRAFT, ...anyManifest({ Module, Job, CronJob }) },
  };
}

function convert(schema: GenericSchema, title: string): Schema {
  const { $schema: _, ...converted } = toJsonSchema(schema, CONFIG) as Schema;
  return { title, ...converted };
}

function withWords(schema: Schema, title: string): Schema {
  const words = WORDS[title] ?? {};
  const properties = Object.entries(schema.properties ?? {}).map(([key, property]) => {
    const { description, ...rest }: FieldWords | { description?: never } = words[key] ?? {};
    return [key, { description, ...property, ...rest }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** `if`/`then` for each value of the key: editors complete and complain about one shape only. */
function byDiscriminator(schema: Schema, key: string): Schema {
  const options = schema.oneOf as readonly Schema[];
  const constantOf = (option: Schema) => option.properties?.[key]?.const;
  return {
    type: "object",
    required: [key],
    properties: {
      [key]: {
        description: options
          .map((option) => `${constantOf(option)}: ${option.properties?.[key]?.description}`)
          .join(" "),
        examples: options.map(constantOf),
        enum: options.map(constantOf),
      },
    },
    allOf: options.map((option) => ({
      if: { properties: { [key]: { const: constantOf(option) } }, required: [key] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: option,
    })),
  };
}

/** The kind that is written, or else the one that the keys at the top tell (R5). */
function anyManifest(definitions: Readonly<Record<string, Schema>>): Schema {
  const written = (kind: string) => ({
    properties: { kind: { const: kind } },
    required: ["kind"],
  });
  const has = (key: string) => ({ required: [key] });
  const unwritten = { not: has("kind") };
  const isCronJob = { anyOf: [has("jobTemplate"), has("schedule")] };
  const isModule = {
    anyOf: [
      has("module"),
      has("version"),
      { properties: { resources: { type: "array" } }, required: ["resources"] },
    ],
  };
  const conditions: Readonly<Record<string, Schema>> = {
    CronJob: { anyOf: [written("CronJob"), { allOf: [unwritten, isCronJob] }] },
    Module: {
      anyOf: [written("Module"), { allOf: [unwritten, { not: isCronJob }, isModule] }],
    },
    Job: {
      anyOf: [written("Job"), { allOf: [unwritten, { not: isCronJob }, { not: isModule }] }],
    },
  };
  return {
    title: "A manifest: a module, a Job or a CronJob",
    type: "object",
    properties: { kind: { enum: ["Module", "Job", "CronJob"] } },
    allOf: Object.entries(conditions).map(([kind, condition]) => ({
      if: condition,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: `#/definitions/${kind}` },
    })),
    definitions,
  };
}
