import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, realpathSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { engineZones } from "@mesh/cron";
import type { HostBound } from "@mesh/declaration";
import packageFile from "../package.json" with { type: "json" };
import type { Clock } from "./clock.ts";
import type { RegistryCredentials } from "./engine/image-pull.ts";
import type { HostSettings } from "./host/settings.ts";
import { StartError } from "./start-error.ts";

/** What runs containers: a container engine's socket, or the host's own processes. */
export type EngineChoice =
  | { readonly kind: "docker" | "podman"; readonly socketPath: string }
  | { readonly kind: "raw-exec" };

/** What differs from `defaultBound`. */
export interface BoundChanges {
  readonly roots?: readonly string[] | undefined;
  readonly accountRange?: HostBound["accountRange"] | undefined;
  readonly registries?: readonly string[] | undefined;
  readonly maximum?:
    | { readonly [K in keyof HostBound["maximum"]]?: number | undefined }
    | undefined;
}

export interface AgentConfig {
  readonly node: string;
  readonly serverUrl: string;
  readonly token?: string | undefined;
  /** The agent's own records; one agent at a time. */
  readonly dataDir: string;
  /** Where `/var/lib/mesh` and `/etc/mesh` of modules lie instead of the root (R8). */
  readonly hostPrefix?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly engine: EngineChoice;
  readonly capacity?: HostSettings["capacity"] | undefined;
  /**
   * Which user each module's account is: one of the host's range (`mapped`, R3), or for all the one
   * that the agent runs as (`own`). An agent that is not root has no choice; root's is `mapped`.
   */
  readonly accounts?: "mapped" | "own" | undefined;
  /** What differs from the bound as delivered (R7); `rawExec` follows from the engine chosen. */
  readonly bound?: BoundChanges | undefined;
  readonly registryCredentials?: RegistryCredentials | undefined;
  /** A scheduled run that takes longer is stopped and has failed; unset: no limit (A3). */
  readonly maxRunSeconds?: number | undefined;
  /** 10 if absent. */
  readonly stopGraceSeconds?: number | undefined;
  readonly log?: "silent" | "error" | "warn" | "info" | "debug" | undefined;
  readonly clock?: Clock | undefined;
}

const MiB = 1024 * 1024;
const DEFAULT_GRACE_SECONDS = 10;
/** Far above what distributions give to people and services. */
const ACCOUNT_RANGE = { first: 200_000, last: 265_535 };

/** The bound of a host whose file says nothing else (R7). */
export function defaultBound(node: string): HostBound {
  return {
    node,
    roots: ["/var/lib/mesh", "/etc/mesh"],
    accountRange: ACCOUNT_RANGE,
    rawExec: false,
    maximum: {
      declarationBytes: 4 * MiB,
      resources: 1000,
      schedules: 100,
      memory: totalmem(),
      cpu: cpus().length * 1000,
      pids: 1024,
      fileBytes: MiB,
    },
  };
}

/** Fills in what the config leaves open. Makes the data folder; throws a `StartError`. */
export function settingsOf(config: AgentConfig): HostSettings {
  const { node, bound = {}, engine } = config;
  if (!/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(node)) {
    throw new StartError(
      "config.invalid",
      `${JSON.stringify(node)} cannot name a node`,
      "use at most 63 lower-case letters, digits, dots and hyphens",
    );
  }
  const dataDir = openDataDir(config.dataDir);
  const base = defaultBound(node);
  const maximum = { ...base.maximum, ...present(bound.maximum ?? {}) };
  const host = createHash("sha256").update(`${node}\n${dataDir}`).digest("hex").slice(0, 16);
  return {
    node,
    host,
    labels: config.labels ?? {},
    capacity: config.capacity ?? {
      cpuMillicores: cpus().length * 1000,
      memoryBytes: totalmem(),
    },
    bound: { ...base, ...present(bound), maximum, rawExec: engine.kind === "raw-exec" },
    defaults: {
      cpuMillicores: Math.min(1000, maximum.cpu),
      memoryBytes: Math.min(512 * MiB, maximum.memory),
      pids: Math.min(256, maximum.pids),
    },
    maxRunSeconds: config.maxRunSeconds,
    stopGraceSeconds: config.stopGraceSeconds ?? DEFAULT_GRACE_SECONDS,
    volumesFolder: join(dataDir, "volumes"),
    secretsFolder: secretsFolder(config, host, dataDir),
    agentVersion: packageFile.version,
    zoneData: process.versions.tz ?? engineZones().version,
  };
}

type Present<T> = { [K in keyof T]: NonNullable<T[K]> };

function present<T extends object>(changes: T): Present<T> {
  const said = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Present<T>;
}

/** In memory where the agent may use the machine's place for that, else beside the rest. */
function secretsFolder(config: AgentConfig, host: string, dataDir: string): string {
  const mayUseRun = process.getuid?.() === 0 && config.hostPrefix === undefined;
  return mayUseRun && existsSync("/run") ? `/run/mesh-agent/${host}` : join(dataDir, "secrets");
}

function openDataDir(path: string): string {
  try {
    // Processes of other accounts pass through to their own folders, and list nothing.
    mkdirSync(resolve(path), { recursive: true, mode: 0o711 });
    accessSync(path, constants.W_OK | constants.X_OK);
    return realpathSync(path);
  } catch (error) {
    throw new StartError(
      "data-dir.not-writable",
      `the data folder ${path} cannot be written`,
      "make it writable for the agent, or name another one",
      error,
    );
  }
}
