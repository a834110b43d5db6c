/** What an operator reads: the shapes of the API's answers. Instants are epoch milliseconds UTC. */
import type { ActiveRun, Decision, ScheduleState } from "@mesh/concurrency";
import type { CronJobManifest, Diagnostic, ModuleManifest } from "@mesh/declaration";
import type { JobState } from "@mesh/jobs";
import type { Engine, NodeStatus, RunRecord } from "./agent-link.ts";

/** Where a scheduled Job came from (D10): `origin` is `schedule` or `trigger:<id>`. */
export interface RunOrigin {
  readonly scheduleUid: string;
  readonly scheduleName: string;
  readonly origin: string;
  readonly occurrenceAt?: number;
}

export interface JobView {
  readonly state: JobState;
  readonly origin?: RunOrigin;
  /** Why its stored state cannot be read, if so (in lists): it can only be deleted. */
  readonly problem?: string;
}

export interface TaskView {
  readonly namespace: string;
  readonly jobName: string;
  readonly attempt: number;
  readonly task: JobState["tasks"][number];
  /** The last 4 KiB that the work printed, where the agent sent them. */
  readonly output?: string;
  /** Why it failed, as its agent said, or why no node has it yet. */
  readonly message?: string;
}

export interface CronJobView {
  readonly namespace: string;
  readonly schedule: ScheduleState;
  readonly jobTemplate: CronJobManifest["jobTemplate"];
  readonly active: readonly ActiveRun[];
  readonly nextAt?: number;
  /** Why the schedule cannot be decided at present, if it cannot (one bad row stops no other). */
  readonly problem?: string;
}

/** A stored decision with its evidence (D9a). */
export interface DecisionView {
  readonly id: number;
  readonly namespace: string;
  readonly scheduleUid: string;
  readonly scheduleName: string;
  readonly at: number;
  readonly decision: Decision;
}

/** One row of the occurrence ledger (S2), with the Job it made where it made one. */
export interface ScheduledRunView {
  readonly kind: "cronjob";
  readonly namespace: string;
  readonly schedule: string;
  readonly origin: string;
  readonly outcome: "create" | "skip" | "supersede" | "expire";
  readonly reason: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
  readonly countIsExact: boolean;
  readonly runName?: string;
  readonly jobId?: string;
  readonly jobStatus?: JobState["job"]["status"];
  readonly lastExitCode?: number;
}

/** What a host reported of a scheduled container (A3, A4). */
export interface ContainerRunView {
  readonly kind: "container";
  readonly node: string;
  readonly module: string;
  readonly container: string;
  readonly at: number;
  readonly record: RunRecord;
}

export type RunView = ScheduledRunView | ContainerRunView;

export interface ModuleView {
  readonly module: string;
  readonly manifest: ModuleManifest;
  readonly updatedAt: number;
  readonly nodes: readonly string[];
}

export interface NodeView {
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: { readonly cpuMillicores: number; readonly memoryBytes: number };
  readonly used: { readonly cpuMillicores: number; readonly memoryBytes: number };
  readonly engine: Engine;
  readonly agentVersion: string;
  readonly zoneData: string;
  readonly ready: boolean;
  readonly leaseExpiresAt: number;
  readonly modules: readonly string[];
  /** The newest declaration meant for the node; `status` says what it has applied of it. */
  readonly generation: number;
  readonly status?: NodeStatus;
}

/** Something that happened, in order of `id`; `message` is written for a person. */
export interface EventView {
  readonly id: number;
  readonly at: number;
  readonly type: string;
  readonly subject: {
    readonly kind: "job" | "cronjob" | "module" | "node" | "task" | "container";
    readonly namespace?: string;
    readonly name: string;
  };
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A key of a secret; its value never leaves the server but for the node that runs the work. */
export interface SecretView {
  readonly name: string;
  readonly key: string;
  readonly updatedAt: number;
}

/** What an apply did (S6). */
export interface ApplyAnswer {
  readonly outcome: "created" | "updated" | "unchanged" | "replaced";
  readonly warnings: readonly Diagnostic[];
}

/** Every refusal: `code` is stable, `message` is for people, `diagnostics` are R4's. */
export interface ErrorAnswer {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly help?: string;
    readonly diagnostics?: readonly Diagnostic[];
  };
}

export interface HealthView {
  readonly status: "ok";
  readonly version: string;
  readonly zoneData: string;
  readonly devMode: boolean;
}
