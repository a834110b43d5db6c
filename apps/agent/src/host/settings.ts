import type { HostBound } from "@mesh/declaration";

/** What the host's own file says, defaults filled in; nothing of it comes from the link. */
export interface HostSettings {
  readonly node: string;
  /** Names this host on its engine, apart from other hosts and other data folders. */
  readonly host: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: { readonly cpuMillicores: number; readonly memoryBytes: number };
  readonly bound: HostBound;
  /** What a container gets that asks for nothing; never unlimited (R7). */
  readonly defaults: ContainerLimits;
  /** A scheduled run that takes longer is stopped and has failed; absent: never (A3). */
  readonly maxRunSeconds?: number | undefined;
  readonly stopGraceSeconds: number;
  /** Where volume claims live. */
  readonly volumesFolder: string;
  /** Where the secrets of running tasks lie. */
  readonly secretsFolder: string;
  readonly agentVersion: string;
  readonly zoneData: string;
}

export interface ContainerLimits {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
  readonly pids: number;
}
