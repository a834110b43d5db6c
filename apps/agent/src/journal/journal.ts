import type { Interval, ScheduleState } from "@mesh/concurrency";
import type { AppliedResource, HostContainer, HostDeclaration } from "@mesh/declaration";
import type { Report } from "@mesh/protocol";

/** A schedule as installed (A1): what is fired is what was installed, not what is declared now. */
export interface InstalledSchedule {
  readonly module: string;
  readonly account: string;
  readonly resource: HostContainer;
  readonly state: ScheduleState;
  /** What was run or skipped, as intervals without a gap: it is not run again (D9). */
  readonly decided: readonly Interval[];
}

/** A run of a module's container that has not ended; its end removes the row. */
export interface OpenRun {
  readonly runId: string;
  readonly kind: "scheduled" | "runOnce";
  readonly module: string;
  readonly account: string;
  readonly resource: HostContainer;
  readonly attempt: number;
  /** Only scheduled runs have one. */
  readonly occurrenceAt?: number;
  /** `starting`: its container may or may not exist; nobody has seen it run. */
  readonly phase: "starting" | "running";
  readonly containerId?: string;
  readonly startedAt?: number;
}

/** A task that the node holds. What it is to do is the server's to say again, secrets included. */
export interface HeldTask {
  readonly taskId: string;
  readonly phase: "starting" | "running" | "ended";
  readonly containerId?: string;
  readonly startedAt?: number;
  /** The report of its end; the container stays until the server has acknowledged it (A8). */
  readonly endReportId?: string;
  readonly endAcknowledged?: true;
}

/** How long the tasks' containers may go on (S4), on the clock's counter of elapsed time. */
export interface LeaseDeadline {
  readonly epoch: string;
  readonly elapsedMs: number;
}

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;
/** A report before the journal has given it its id. */
export type NewReport = WithoutId<Report>;

/**
 * What the agent remembers, and all that it relies on after a crash. Every call is synchronous and
 * on disk when it returns; `transaction` makes several one.
 */
export interface Journal {
  transaction<T>(work: () => T): T;
  /** The declaration that was taken up: allowed by the bound, applied or being applied. */
  declaration(): HostDeclaration | undefined;
  setDeclaration(declaration: HostDeclaration): void;
  /** The generation that was applied whole; 0 before the first. */
  appliedGeneration(): number;
  setAppliedGeneration(generation: number): void;
  /** Modules that have anything applied. */
  appliedModules(): readonly string[];
  applied(module: string): readonly AppliedResource[];
  setApplied(module: string, resources: readonly AppliedResource[]): void;
  schedules(): readonly InstalledSchedule[];
  schedule(module: string, container: string): InstalledSchedule | undefined;
  putSchedule(schedule: InstalledSchedule): void;
  removeSchedule(module: string, container: string): void;
  runs(): readonly OpenRun[];
  putRun(run: OpenRun): void;
  removeRun(runId: string): void;
  tasks(): readonly HeldTask[];
  task(taskId: string): HeldTask | undefined;
  putTask(task: HeldTask): void;
  removeTask(taskId: string): void;
  /** Keeps a report until it is acknowledged, and some time after as a record. */
  addReport(report: NewReport): Report;
  /** What is not acknowledged, oldest first. */
  pendingReports(limit: number): readonly Report[];
  acknowledge(ids: readonly string[]): void;
  /** All reports that are kept, acknowledged ones included, oldest first. */
  records(): readonly Report[];
  lease(): LeaseDeadline | undefined;
  setLease(lease: LeaseDeadline): void;
  uid(account: string): number | undefined;
  accounts(): ReadonlyMap<string, number>;
  setUid(account: string, uid: number): void;
  close(): void;
}
