import {
  type ContainerResource,
  containerKind,
  type FileResource,
  type HostContainer,
  type ModuleManifest,
  renderDeclaration,
} from "@mesh/declaration";
import { cronText } from "./cron-job.ts";
import { mountsOf, type Storage } from "./module-storage.ts";
import { fieldVariable, LABELS, type PodUser, podSpec, variable, type Work } from "./pod.ts";
import type { Reporter } from "./reporter.ts";

type Path = readonly (string | number)[];

/** What a module needs to know of the cluster. */
export interface ModuleOptions {
  readonly user?: PodUser | undefined;
  /** The claim that stands for each directory, by its path. */
  readonly claims: Readonly<Record<string, string>>;
}

/** The labels by which a Deployment finds its pods. */
interface Labels {
  readonly [label: string]: string;
}

/** A container of a module with all that is needed to make its object. */
interface Part {
  readonly module: string;
  readonly path: Path;
  readonly container: HostContainer;
  readonly name: string;
  readonly labels: Labels;
  readonly storage: readonly Storage[];
  readonly user: PodUser | undefined;
}

const MAX_CRON_JOB_NAME = 52;
const MAX_LABEL = 63;
const MAX_CONFIG_BYTES = 1_048_576;

/** ConfigMap, Deployments, CronJobs and Jobs of a module, in the order of its resources. */
export function moduleObjects(
  reporter: Reporter,
  manifest: ModuleManifest,
  options: ModuleOptions,
): readonly object[] {
  const { module, resources } = manifest;
  const files = resources.filter((one) => one.type === "file");
  const objects = files.length === 0 ? [] : [configMap(reporter, module, files)];
  const host = renderDeclaration([manifest], { node: module, generation: 0 }).modules[0];
  const containers = resources.flatMap((resource, index) => {
    const rendered = host?.resources[index];
    if (resource.type !== "container" || rendered?.type !== "container") return [];
    return [partOf(reporter, manifest, { resource, rendered, index }, options)];
  });
  refuseSharedNames(reporter, containers);
  warnOfAccount(reporter, options);
  refuseGates(reporter, resources);
  return [...objects, ...containers.map((part) => partObject(reporter, part))];
}

interface Found {
  readonly resource: ContainerResource;
  readonly rendered: HostContainer;
  readonly index: number;
}

function partOf(
  reporter: Reporter,
  manifest: ModuleManifest,
  { resource, rendered, index }: Found,
  { claims, user }: ModuleOptions,
): Part {
  const path = ["resources", index];
  const { module } = manifest;
  const scheduled = containerKind(resource) === "scheduled";
  const name = objectName(reporter, [...path, "name"], module, resource, scheduled);
  const labels = {
    ...LABELS,
    "app.kubernetes.io/name": resource.name,
    "app.kubernetes.io/part-of": module,
  };
  const storage = mountsOf(reporter, path, manifest, resource, claims);
  return { module, path, container: rendered, name, labels, storage, user };
}

function partObject(reporter: Reporter, part: Part): object {
  switch (containerKind(part.container)) {
    case "service":
      return deployment(part);
    case "runOnce":
      return runOnceJob(reporter, part);
    case "scheduled":
      return scheduledJob(reporter, part);
  }
}

/** Names of two modules' containers meet in one namespace. */
function objectName(
  reporter: Reporter,
  path: Path,
  module: string,
  { name: own }: ContainerResource,
  scheduled: boolean,
): string {
  const name = own === module || own.startsWith(`${module}-`) ? own : `${module}-${own}`;
  const most = scheduled ? MAX_CRON_JOB_NAME : MAX_LABEL - 9;
  if (name.length > most) {
    reporter.fail("kubernetes.name", path, {
      message: `the object's name would have ${name.length} characters; at most ${most} fit`,
      found: name,
      help: "shorten the container's name",
    });
  }
  return name;
}

/** `sync` and `kometa-sync` of module `kometa` would be one object. */
function refuseSharedNames(reporter: Reporter, parts: readonly Part[]): void {
  const seen = new Set<string>();
  for (const { name, path } of parts) {
    if (seen.has(name)) {
      reporter.fail("kubernetes.name", [...path, "name"], {
        message: "two containers of the module would have one object's name",
        found: name,
        help: "rename one of the two",
      });
    }
    seen.add(name);
  }
}

/** A service: one pod, never two at once. */
function deployment(part: Part): object {
  const { name, labels } = part;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(workOf(part, "pod"), "Always") },
    },
  };
}

/** Applying the same content again changes nothing; other content is another Job. */
function runOnceJob(reporter: Reporter, part: Part): object {
  reporter.warn("kubernetes.run-once", [...part.path, "run-once"], {
    message: "the step runs again if its finished Job is deleted",
    help: "keep the Job: its name holds the hash of its content",
  });
  const name = `${part.name}-${part.container.hash.slice(0, 8)}`;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, labels: part.labels },
    spec: finite(part),
  };
}

/** Skips and is not started late, as nearly as Kubernetes can (A4, A6). */
function scheduledJob(reporter: Reporter, part: Part): object {
  const { name, labels, path, container } = part;
  reporter.warn("kubernetes.policy", [...path, "schedule"], {
    message: "a run that is skipped is not recorded, and one due in the last 10 s still starts",
    help: "nothing to do if that is enough",
  });
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name, labels },
    spec: {
      schedule: cronText(reporter, [...path, "schedule"], container.schedule ?? ""),
      timeZone: "UTC",
      concurrencyPolicy: "Forbid",
      startingDeadlineSeconds: 10,
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { metadata: { labels }, spec: finite(part) },
    },
  };
}

/** A run of a module's container is never tried again by itself (A3). */
function finite(part: Part): object {
  return {
    parallelism: 1,
    completions: 1,
    backoffLimit: 0,
    template: {
      metadata: { labels: part.labels },
      spec: podSpec(workOf(part, "job"), "Never"),
    },
  };
}

function workOf(part: Part, run: "pod" | "job"): Work {
  const { module, container, storage, user } = part;
  const runId = run === "job" ? "metadata.labels['batch.kubernetes.io/job-name']" : "metadata.name";
  return {
    name: container.name,
    image: container.image,
    command: container.command,
    environment: [
      ...Object.entries(container.environment).map(([key, value]) => variable(key, value)),
      variable("MESH_MODULE", module),
      variable("MESH_NAME", container.name),
      variable("MESH_ATTEMPT", "1"),
      fieldVariable("MESH_RUN_ID", runId),
    ],
    resources: container.resources,
    volumes: storage.flatMap(({ volume }) => (volume === undefined ? [] : [volume])),
    mounts: storage.map(({ mount }) => mount),
    user,
  };
}

function configMap(reporter: Reporter, module: string, files: readonly FileResource[]): object {
  const bytes = files.reduce((sum, { content }) => sum + utf8Length(content), 0);
  if (bytes > MAX_CONFIG_BYTES) {
    reporter.fail("kubernetes.config-size", ["resources"], {
      message: "the files of a module do not fit into one ConfigMap of 1 MiB",
      found: `${bytes} bytes`,
      help: "put large files into the image",
    });
  }
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `${module}-files`,
      labels: { ...LABELS, "app.kubernetes.io/part-of": module },
    },
    data: Object.fromEntries(files.map(({ content }, index) => [`file-${index}`, content])),
  };
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}

function warnOfAccount(reporter: Reporter, { user }: ModuleOptions): void {
  if (user !== undefined) return;
  reporter.warn("kubernetes.account", ["account"], {
    message: "the module's account is not known to the cluster: pods run as the image's own user",
    help: "give its uid and gid as the option `user`",
  });
}

/** Kubernetes starts all objects at once: nothing waits for a run-once step (A5). */
function refuseGates(reporter: Reporter, resources: ModuleManifest["resources"]): void {
  resources.forEach((resource, index) => {
    if (resource.type !== "container" || containerKind(resource) !== "runOnce") return;
    if (!resources.slice(index + 1).some(({ type }) => type === "container")) return;
    reporter.refuse("kubernetes.gate", ["resources", index, "run-once"], {
      message: "nothing waits for a run-once step in Kubernetes",
      help: "apply its Job first and wait for it, or let what follows wait for its effect",
    });
  });
}
