import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { type Clock, systemClock } from "./clock.ts";
import { checkConfig, type ServerConfig } from "./config.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { openDataFolder } from "./data-folder.ts";
import { StartError } from "./start-error.ts";
import { openSqliteStore } from "./store/sqlite.ts";
import { systemZones } from "./zones.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** The zone data that occurrences are read from (C7a). */
  readonly zoneData: string;
  /** Answers what is asked already, then ends; state is on disk at every moment. */
  stop(): Promise<void>;
}

/**
 * Starts a server on one data folder: store, controllers and HTTP API (S1, S8).
 * Throws a `StartError` for what a person can mend: settings, folder, port.
 */
export async function startServer(config: ServerConfig): Promise<RunningServer> {
  const { dataDir, host, port, dev, leaseSeconds, ceilings, ...checked } = checkConfig(config);
  const { operatorToken, nodeTokens, log: level } = checked;
  const clock: Clock = config.clock ?? systemClock;
  const log = pino({ name: "mesh-server", level });
  const folder = openDataFolder(dataDir);
  const zones = systemZones;
  const zoneData = zones.version;
  const undo: (() => Promise<void> | void)[] = [() => folder.release()];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const store = await openSqliteStore({ file: folder.databaseFile });
    undo.push(() => store.close());
    const auth = { devMode: dev, operatorToken, nodeTokens };
    const options = { store, clock, log, newId: randomUUID, leaseSeconds, zones, auth, ceilings };
    const plane = await startControlPlane(options);
    undo.push(() => plane.stop());
    const bound = await listen(plane, host, port);
    undo.push(() => plane.app.close());
    undo.push(() => plane.stopWaiting());
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
    log.info({ url, dataDir, zoneData, dev }, "listening");
    return { url, port: bound, zoneData, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen({ app }: ControlPlane, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, host, port);
  }
  const address = app.server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function listenError(error: unknown, host: string, port: number): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (code === "EADDRINUSE") {
    const help = "stop what listens there, or choose another port";
    return new StartError("listen.in-use", `port ${port} of ${host} is in use`, help, error);
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    const help = "choose an address of this machine, and a port above 1023";
    const text = `cannot listen on ${host}, port ${port}: ${message}`;
    return new StartError("listen.refused", text, help, error);
  }
  return error;
}
