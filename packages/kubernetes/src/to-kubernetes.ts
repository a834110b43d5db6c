import type { Diagnostic, Manifest } from "@mesh/declaration";
import { cronJobObject } from "./cron-job.ts";
import { jobObject } from "./job.ts";
import { moduleObjects } from "./module.ts";
import type { PodUser } from "./pod.ts";
import { createReporter, type Reporter } from "./reporter.ts";

/** What the caller knows of the cluster, and what of the manifest may be lost. */
export interface KubernetesOptions {
  /** Written into every object, if given. */
  readonly namespace?: string | undefined;
  /** The user and group that a module's account has in the cluster. */
  readonly user?: PodUser | undefined;
  /** The PersistentVolumeClaim for each directory of a module, by its path. */
  readonly claims?: Readonly<Record<string, string>> | undefined;
  /** Codes of refusals that become warnings: the caller knows what Kubernetes will do. */
  readonly accept?: readonly string[] | undefined;
}

/** A Kubernetes object as plain data. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** The objects of a manifest, or none when a diagnostic is an error. */
export interface KubernetesExport {
  readonly objects: readonly KubernetesObject[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A manifest as Kubernetes objects: exact where that is possible, with a warning where Kubernetes
 * does a little differently, and refused where it would do another thing.
 * A Job becomes a `batch/v1` Job, a CronJob a `batch/v1` CronJob; a module a ConfigMap of its
 * files and, for each container, a Deployment, CronJob or Job. Defaults are always written out.
 * A `user` whose ids are no whole numbers from 0 to 2^31 - 1 is a `RangeError`.
 */
export function toKubernetes(
  manifest: Manifest,
  options: KubernetesOptions = {},
): KubernetesExport {
  checkUser(options.user);
  const reporter = createReporter(options.accept ?? []);
  checkNamespace(reporter, options.namespace);
  const objects = objectsOf(reporter, manifest, options);
  const { diagnostics } = reporter;
  if (diagnostics.some(({ severity }) => severity === "error")) return { objects: [], diagnostics };
  const { namespace } = options;
  const placed = (objects as readonly KubernetesObject[]).map((object) =>
    namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } },
  );
  return { objects: placed, diagnostics };
}

function checkNamespace(reporter: Reporter, namespace: string | undefined): void {
  if (namespace === undefined || /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace)) return;
  reporter.fail("kubernetes.name", [], {
    message: "a namespace in Kubernetes cannot have this name",
    found: JSON.stringify(namespace),
    help: "use at most 63 lower-case letters, digits and inner hyphens",
  });
}

function checkUser(user: PodUser | undefined): void {
  for (const field of ["uid", "gid"] as const) {
    const id = user?.[field] ?? 0;
    if (Number.isInteger(id) && id >= 0 && id <= 0x7fff_ffff) continue;
    throw new RangeError(`user.${field} must be a whole number from 0 to 2147483647, found ${id}`);
  }
}

function objectsOf(
  reporter: Reporter,
  manifest: Manifest,
  { user, claims = {} }: KubernetesOptions,
): readonly object[] {
  switch (manifest.kind) {
    case "Job":
      return [jobObject(reporter, manifest)];
    case "CronJob":
      return [cronJobObject(reporter, manifest)];
    case "Module":
      return moduleObjects(reporter, manifest, { user, claims });
  }
}
