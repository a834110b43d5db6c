import {
  type HostDeclaration,
  type ModuleManifest,
  type ModuleResource,
  renderDeclaration,
} from "@mesh/declaration";
import { defaultBound } from "../src/config.ts";
import {
  type Behaviour,
  type SimulatedContainer,
  type SimulatedEngine,
  type Stretch,
  simulatedEngine,
} from "../src/engine/simulated.ts";
import type { ModuleFiles } from "../src/files/module-files.ts";
import { mappedAccounts } from "../src/host/accounts.ts";
import { type Host, startHost } from "../src/host/host.ts";
import { silentLog } from "../src/host/log.ts";
import type { Secrets } from "../src/host/secrets.ts";
import type { HostSettings } from "../src/host/settings.ts";
import type { Journal } from "../src/journal/journal.ts";
import { sqliteJournal } from "../src/journal/sqlite-journal.ts";
import { type FakeServer, fakeServer } from "./fake-server.ts";
import { createLife, type Life } from "./mortal.ts";
import { type VirtualClock, virtualClock } from "./virtual-clock.ts";

export const DIGEST = "0123456789abcdef".repeat(4);
export const IMAGE = `ghcr.io/acme/kometa@sha256:${DIGEST}`;
const DAY = "2026-10-13";

/** An instant of 2026-10-13 unless the text has a date of its own. */
export function at(text: string): number {
  const whole = text.includes("T") ? text : `${DAY}T${text}`;
  return Date.parse(`${whole.length === 16 ? `${whole}:00` : whole}Z`);
}

/** The minute of an instant, for titles and tables. */
export function minute(instant: number): string {
  return new Date(instant).toISOString().slice(11, 16);
}

export interface World {
  readonly clock: VirtualClock;
  readonly engine: SimulatedEngine;
  readonly journal: Journal;
  readonly server: FakeServer;
  readonly settings: HostSettings;
  readonly written: Map<string, { content?: string; mode: string; uid: number }>;
  /** Starts an agent, the first or one after another; resolves once it has begun. */
  start(options?: { killAt?: number }): Promise<void>;
  /** Ends the running agent as a kill would. */
  kill(): void;
  readonly life: () => Life;
  host(): Host;
  /** Sends the node its modules, with a generation of its own each time. */
  declare(...modules: readonly ModuleManifest[]): Promise<HostDeclaration>;
  /** Goes on until the wall clock shows this instant. */
  until(text: string): Promise<void>;
  /** Starts of a container, in the words of the engine's own record. */
  startsOf(container: string): readonly Stretch[];
  records(container?: string): readonly RunReport[];
}

export type RunReport = Extract<ReturnType<Journal["records"]>[number], { kind: "run" }>;

export interface WorldOptions {
  readonly now?: string;
  readonly behave?: (container: SimulatedContainer, nth: number) => Behaviour;
  readonly pullFailure?: (image: string) => string | undefined;
  readonly settings?: Partial<HostSettings>;
  readonly leaseSeconds?: number;
  readonly files?: ModuleFiles;
  readonly secrets?: Secrets;
}

const NO_SECRETS: Secrets = {
  put: (taskId) => `/nowhere/secrets/${taskId}`,
  remove: () => undefined,
  retain: () => undefined,
};

const SETTINGS: HostSettings = {
  node: "n1",
  host: "host-n1",
  labels: {},
  capacity: { cpuMillicores: 4000, memoryBytes: 8 * 1024 ** 3 },
  bound: { ...defaultBound("n1"), registries: ["ghcr.io"] },
  defaults: { cpuMillicores: 1000, memoryBytes: 512 * 1024 * 1024, pids: 256 },
  stopGraceSeconds: 10,
  volumesFolder: "/nowhere/volumes",
  secretsFolder: "/nowhere/secrets",
  agentVersion: "test",
  zoneData: "test",
};

export function createWorld(options: WorldOptions = {}): World {
  const clock = virtualClock(at(options.now ?? "12:00:30"));
  const engine = simulatedEngine({
    clock,
    behave: options.behave ?? (() => ({ afterMs: 1000, exitCode: 0 })),
    ...(options.pullFailure === undefined ? {} : { pullFailure: options.pullFailure }),
  });
  const journal = sqliteJournal(":memory:");
  const server = fakeServer({ clock, leaseSeconds: options.leaseSeconds ?? 60 });
  const settings = { ...SETTINGS, ...options.settings };
  const written: World["written"] = new Map();
  const secrets = options.secrets ?? NO_SECRETS;
  const files = options.files ?? memoryFiles(written);
  let generation = 0;
  let life = createLife();
  let host: Host | undefined;
  return {
    clock,
    engine,
    journal,
    server,
    settings,
    written,
    life: () => life,
    start: async ({ killAt } = {}) => {
      life = createLife();
      if (killAt !== undefined) life.killAt(killAt);
      const parts = { clock, engine, journal, server, settings, files, secrets };
      host = startLife(life, parts) ?? host;
      await clock.settle();
    },
    kill: () => life.kill(),
    host: () => {
      if (host === undefined) throw new Error("no agent was started");
      return host;
    },
    declare: async (...modules) => {
      generation += 1;
      const declaration = renderDeclaration(modules, { node: "n1", generation });
      server.declare(declaration);
      await clock.settle();
      await clock.settle();
      return declaration;
    },
    until: (text) => clock.advanceTo(at(text)),
    startsOf: (container) =>
      engine.stretches.filter(({ spec }) => spec.environment.MESH_NAME === container),
    records: (container) =>
      journal
        .records()
        .filter((report): report is RunReport => report.kind === "run")
        .filter((report) => container === undefined || report.container === container),
  };
}

/** An agent that reaches the outside only while its life lasts; it may die while it starts. */
function startLife(
  life: Life,
  parts: Pick<World, "clock" | "engine" | "journal" | "server" | "settings"> & {
    readonly files: ModuleFiles;
    readonly secrets: Secrets;
  },
): Host | undefined {
  const { settings, files } = parts;
  const journal = life.mortal(parts.journal);
  try {
    return startHost({
      settings,
      files,
      journal,
      clock: life.mortal<VirtualClock>(parts.clock),
      engine: life.mortal<SimulatedEngine>(parts.engine),
      accounts: mappedAccounts(journal, settings.bound.accountRange),
      secrets: parts.secrets,
      client: life.mortal(parts.server.client),
      log: silentLog,
    });
  } catch (error) {
    if (!life.isDead()) throw error;
    return undefined;
  }
}

/** The outcomes of a container's runs, without the notes that they began. */
export function outcomes(world: World, container: string): readonly string[] {
  return world
    .records(container)
    .filter(({ record }) => record.outcome !== "started")
    .map(({ record }) => {
      const when = record.outcome === "missed" ? record.firstAt : record.occurrenceAt;
      const code = "exitCode" in record ? ` ${record.exitCode}` : "";
      return `${minute(when)} ${record.outcome}${code}`;
    });
}

export function moduleOf(name: string, ...resources: readonly ModuleResource[]): ModuleManifest {
  return { kind: "Module", module: name, version: 1, resources };
}

export function scheduled(
  schedule: string,
  more: { name?: string } & Partial<Extract<ModuleResource, { type: "container" }>> = {},
): ModuleResource {
  return { type: "container", name: "kometa-sync", image: IMAGE, schedule, ...more };
}

export function service(
  name = "kometa-web",
  more: { command?: readonly string[] } = {},
): ModuleResource {
  return { type: "container", name, image: IMAGE, ...more };
}

export function runOnce(name = "kometa-seed"): ModuleResource {
  return { type: "container", name, image: IMAGE, "run-once": true };
}

function memoryFiles(written: World["written"]): ModuleFiles {
  return {
    hostPath: (path) => path,
    ensureDirectory: (path, mode, { uid }) => void written.set(path, { mode, uid }),
    ensureVolume: () => undefined,
    writeFile: (path, { mode, content, owner }) =>
      void written.set(path, { mode, content, uid: owner.uid }),
    exists: (path) => written.has(path),
    removeFile: (path) => void written.delete(path),
  };
}
