import type { ScheduleSpec } from "@mesh/concurrency";
import type { JobSpec } from "@mesh/jobs";

/** A directory that a module keeps data in, or finds its configuration in (R1, R8). */
export interface DirectoryResource {
  readonly type: "directory";
  readonly path: string;
  /** Four octal digits that begin with 0, as a string; `0750` if absent. */
  readonly mode?: string | undefined;
  /** The module's name, if given. */
  readonly owner?: string | undefined;
}

/** A file whose content the manifest holds (R1, R8). */
export interface FileResource {
  readonly type: "file";
  readonly path: string;
  /** Four octal digits that begin with 0, as a string; `0640` if absent. */
  readonly mode?: string | undefined;
  readonly content: string;
  readonly owner?: string | undefined;
}

/** A directory of the module, as a container sees it. */
export interface Volume {
  /** A directory that the same module declares, or below it. */
  readonly source: string;
  readonly target: string;
  readonly readOnly?: boolean | undefined;
}

/** The most that a container may use; request and limit are the same. */
export interface ContainerResources {
  readonly cpu?: string | undefined;
  readonly memory?: string | undefined;
}

/** A pinned image that runs as a service, once before what follows, or on a schedule (R1). */
export interface ContainerResource {
  readonly type: "container";
  readonly name: string;
  /** Pinned by its sha256 digest. */
  readonly image: string;
  /** Replaces the image's own arguments. */
  readonly command?: readonly string[] | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly volumes?: readonly Volume[] | undefined;
  readonly resources?: ContainerResources | undefined;
  readonly "run-once"?: boolean | undefined;
  /** Five cron fields, evaluated in UTC (R2). */
  readonly schedule?: string | undefined;
}

export type ModuleResource = DirectoryResource | FileResource | ContainerResource;

/** What runs on a node under one account: an ordered list of resources (R1). */
export interface ModuleManifest {
  readonly kind: "Module";
  readonly module: string;
  readonly version: 1;
  /** The module's own name, if given (R3). */
  readonly account?: string | undefined;
  readonly resources: readonly ModuleResource[];
}

/** One Job: a container that runs to completion, with its retries (J1, R5). */
export interface JobManifest extends JobSpec {
  readonly kind: "Job";
}

/** The Job of each occurrence; its name comes from the schedule (D10). */
export type JobTemplate = Omit<JobSpec, "name">;

/** A schedule and the Job that each of its occurrences starts (D1, R5). */
export interface CronJobManifest extends ScheduleSpec {
  readonly kind: "CronJob";
  readonly jobTemplate: JobTemplate;
}

/** What a user writes. */
export type Manifest = ModuleManifest | JobManifest | CronJobManifest;

/** Which of its three kinds a container is (R1). */
export type ContainerKind = "service" | "runOnce" | "scheduled";

/** Whether a container stays up, runs once before what follows, or runs on its cadence (R1). */
export function containerKind(
  container: Pick<ContainerResource, "run-once" | "schedule">,
): ContainerKind {
  if (container["run-once"] === true) return "runOnce";
  return container.schedule === undefined ? "service" : "scheduled";
}

/**
 * A CronJob taken apart into what decides and what runs: the only bridge between the two (R5).
 * The schedule has the fields of D1, the template those of J1 without a name.
 */
export function scheduleFromManifest(cronJob: CronJobManifest): {
  schedule: ScheduleSpec;
  jobTemplate: JobTemplate;
} {
  const { kind: _, jobTemplate, ...schedule } = cronJob;
  return { schedule, jobTemplate };
}
