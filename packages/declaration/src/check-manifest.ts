import type { GenericSchema } from "valibot";
import { checkCronJob, checkJob } from "./check-job.ts";
import { checkModule } from "./check-module.ts";
import { type ParseResult, unwrap } from "./diagnostic.ts";
import { capped, type Finding, quote, toDiagnostic } from "./finding.ts";
import type { Manifest } from "./manifest.ts";
import { cronJobSchema, jobSchema, moduleSchema } from "./manifest-schema.ts";
import { copyPlain } from "./plain.ts";
import { checkShape } from "./shape.ts";
import { nearestName } from "./suggestion.ts";

type Kind = Manifest["kind"];

const KINDS: readonly Kind[] = ["Module", "Job", "CronJob"];

const SCHEMAS: Readonly<Record<Kind, GenericSchema>> = {
  Module: moduleSchema,
  Job: jobSchema,
  CronJob: cronJobSchema,
};

/** Every finding of the first layer that has an error; the manifest when none has (R4). */
export interface Checked {
  readonly manifest?: Manifest;
  readonly findings: readonly Finding[];
}

/**
 * Reads a manifest of plain data, such as parsed JSON, and answers a copy with its kind (R4, R5).
 * Throws a `DeclarationError` with everything that is wrong in the first layer that is not clean.
 */
export function parseManifest(value: unknown): Manifest {
  return unwrap(safeParseManifest(value));
}

/** As `parseManifest`, but answers warnings, or the problems instead of throwing them. */
export function safeParseManifest(value: unknown): ParseResult<Manifest> {
  const { manifest, findings } = checkManifest(value);
  const diagnostics = findings.map(toDiagnostic);
  if (manifest === undefined) return { ok: false, diagnostics };
  return { ok: true, value: manifest, warnings: diagnostics };
}

/** The layers that follow YAML, for data of any origin. */
function checkManifest(value: unknown): Checked {
  const plain = copyPlain(value);
  if (plain.fault !== undefined) return { findings: [plain.fault] };
  return checkPlain(plain.value, plain);
}

/** Kind, shape and meaning of data that is known to be plain and that nobody else holds. */
export function checkPlain(
  plain: unknown,
  { isLarge }: { readonly isLarge: boolean } = { isLarge: false },
): Checked {
  const { kind, fault } = kindOfManifest(plain);
  if (kind === undefined) return { findings: [fault] };
  const shape = checkShape(SCHEMAS[kind], plain, { isLarge });
  if (shape.length > 0) return { findings: capped(shape) };
  const manifest = { kind, ...(plain as object) } as Manifest;
  const findings = checkMeaning(manifest);
  const clean = findings.every((finding) => finding.severity === "warning");
  return clean ? { manifest, findings } : { findings: capped(findings) };
}

function checkMeaning(manifest: Manifest): readonly Finding[] {
  switch (manifest.kind) {
    case "Module":
      return checkModule(manifest);
    case "Job":
      return checkJob(manifest);
    case "CronJob":
      return checkCronJob(manifest);
  }
}

type FoundKind = { kind: Kind; fault?: never } | { kind?: never; fault: Finding };

/** The kind that is written, or else the one that the keys at the top tell (R5). */
function kindOfManifest(value: unknown): FoundKind {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      fault: {
        code: "shape.type",
        path: [],
        message: "a manifest must be a map",
        found: quote(value),
        help: "begin with module: for a module, or name: for a Job or CronJob",
      },
    };
  }
  const has = (key: string) => Object.hasOwn(value, key);
  const written = has("kind") ? (value as { kind?: unknown }).kind : undefined;
  if (written !== undefined) {
    const kind = KINDS.find((known) => known === written);
    return kind === undefined ? { fault: unknownKind(written) } : { kind };
  }
  if (has("jobTemplate") || has("schedule")) return { kind: "CronJob" };
  const lists = Array.isArray((value as { resources?: unknown }).resources);
  return { kind: has("module") || has("version") || lists ? "Module" : "Job" };
}

function unknownKind(written: unknown): Finding {
  const nearest = typeof written === "string" ? nearestName(written, KINDS) : undefined;
  return {
    code: "shape.enum",
    path: ["kind"],
    message: `kind cannot be ${quote(written)}`,
    found: quote(written),
    allowed: KINDS,
    help: nearest === undefined ? `use one of: ${KINDS.join(", ")}` : `write ${nearest}`,
  };
}
