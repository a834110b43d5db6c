import { join, resolve } from "node:path";
import { createClient } from "@mesh/protocol";
import { pino } from "pino";
import { type Clock, systemClock } from "./clock.ts";
import { type AgentConfig, settingsOf } from "./config.ts";
import { dockerEngine } from "./engine/docker.ts";
import type { Engine } from "./engine/engine.ts";
import { rawExecEngine } from "./engine/raw-exec.ts";
import { moduleFiles } from "./files/module-files.ts";
import { askVersion } from "./find-engine.ts";
import { mappedAccounts, ownAccount } from "./host/accounts.ts";
import { startHost } from "./host/host.ts";
import { secretFiles } from "./host/secrets.ts";
import { sqliteJournal } from "./journal/sqlite-journal.ts";
import { limitedFetch } from "./link/limited-fetch.ts";
import { StartError } from "./start-error.ts";

export interface RunningAgent {
  readonly node: string;
  hasImage(image: string): Promise<boolean>;
  /** Fetches the image unless it is there; rejects with the engine's reason. */
  pull(image: string): Promise<void>;
  /** Resolves with the reason if the agent had to end by itself: its records cannot be written. */
  readonly failed: Promise<unknown>;
  /**
   * Ends the agent. Its containers go on and are adopted at the next start (A7); with
   * `stopWorkloads` they are stopped with grace and removed first.
   */
  stop(options?: { readonly stopWorkloads?: boolean | undefined }): Promise<void>;
}

/**
 * Starts a host's agent. It resolves as soon as engine and journal are there: the server may be
 * away, and is tried until it answers (A2). Rejects with a `StartError` that a person can act on.
 */
export async function startAgent(given: AgentConfig): Promise<RunningAgent> {
  const { hostPrefix } = given;
  const config = {
    ...given,
    dataDir: resolve(given.dataDir),
    hostPrefix: hostPrefix === undefined ? undefined : resolve(hostPrefix),
  };
  const settings = settingsOf(config);
  const clock = config.clock ?? systemClock();
  const log = pino({ name: "agent", level: config.log ?? "info", base: { node: config.node } });
  const engine = await openEngine(config, clock);
  const journal = sqliteJournal(join(config.dataDir, "journal.sqlite"));
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const isRoot = owner.uid === 0;
  if (!engine.isolates) {
    log.warn({}, "raw-exec: commands run as plain processes of this host, outside the bound (R7)");
  }
  const host = startHost({
    settings,
    engine,
    journal,
    clock,
    log,
    files: moduleFiles({
      roots: settings.bound.roots,
      prefix: config.hostPrefix,
      chown: isRoot,
    }),
    accounts:
      isRoot && config.accounts !== "own"
        ? mappedAccounts(journal, settings.bound.accountRange)
        : ownAccount(owner),
    secrets: secretFiles(settings.secretsFolder),
    client: createClient({
      baseUrl: config.serverUrl,
      token: config.token,
      fetch: limitedFetch(settings.bound.maximum.declarationBytes),
    }),
  });
  return {
    node: config.node,
    hasImage: engine.hasImage,
    pull: engine.ensureImage,
    failed: host.failed,
    stop: host.stop,
  };
}

async function openEngine(config: AgentConfig, clock: Clock): Promise<Engine> {
  const { engine, dataDir, registryCredentials } = config;
  if (engine.kind === "raw-exec") {
    return rawExecEngine({ directory: join(dataDir, "raw-exec"), clock });
  }
  const { kind, socketPath } = engine;
  const { version } = await askVersion(socketPath).catch((error: unknown) => {
    throw new StartError(
      "engine.unreachable",
      `no container engine answers on ${socketPath}`,
      "start Docker or Podman there, or name another socket",
      error,
    );
  });
  return dockerEngine({ kind, socketPath, version, clock, credentials: registryCredentials });
}
