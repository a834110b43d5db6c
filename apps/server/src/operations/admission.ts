import {
  type CronJobManifest,
  type Diagnostic,
  type JobManifest,
  type Manifest,
  type ModuleManifest,
  safeParseManifest,
} from "@mesh/declaration";
import { LABEL } from "../label.ts";
import { invalid, Refusal, refusal } from "../refusal.ts";
import { hasNamespace } from "../store/namespaces.ts";
import type { Db } from "../store/store.ts";

interface Kinds {
  readonly Job: JobManifest;
  readonly CronJob: CronJobManifest;
  readonly Module: ModuleManifest;
}

/** A manifest that was checked whole, with what is worth a look (R4). */
export interface Admitted<K extends Manifest["kind"]> {
  readonly manifest: Kinds[K];
  readonly warnings: readonly Diagnostic[];
}

/** The body of a request as a manifest of this kind; refused with R4's diagnostics. */
export function admit<K extends Manifest["kind"]>(kind: K, body: unknown): Admitted<K> {
  const parsed = safeParseManifest(body);
  if (!parsed.ok) throw invalid(parsed.diagnostics);
  const { value, warnings } = parsed;
  if (value.kind !== kind) {
    throw invalid([
      {
        code: "manifest.kind",
        severity: "error",
        message: `this is a ${value.kind}, and a ${kind} belongs here`,
        pointer: "/kind",
        found: value.kind,
        allowed: [kind],
        help: "send it to the route of its kind",
      },
    ]);
  }
  return { manifest: value as Kinds[K], warnings };
}

/** A manifest that is put under a name must bear that name. */
export function checkPathName(pathName: string, name: string, pointer: string): void {
  if (pathName === name) return;
  throw invalid([
    {
      code: "name.mismatch",
      severity: "error",
      message: `the manifest is named ${name}, and the path says ${pathName}`,
      pointer,
      found: name,
      allowed: [pathName],
    },
  ]);
}

/** A name that an operator makes up: a DNS-1123 label. */
export function checkLabelName(name: string, what: string): void {
  if (LABEL.test(name)) return;
  const message = `${what} may have lower-case letters, digits and inner hyphens only, at most 63`;
  throw new Refusal(400, {
    code: "name.invalid",
    message,
    help: "use a DNS label, such as team-a",
    diagnostics: [{ code: "name.invalid", severity: "error", message, found: name }],
  });
}

/** The namespace must exist (J2). */
export async function requireNamespace(db: Db, namespace: string): Promise<void> {
  checkLabelName(namespace, "a namespace");
  if (await hasNamespace(db, namespace)) return;
  throw refusal(
    404,
    "namespace.unknown",
    `there is no namespace ${namespace}`,
    `create it first: mesh namespace create ${namespace}`,
  );
}
