import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ServiceProcess, type Stoppable, startService } from "./service-process.ts";

const apps = join(fileURLToPath(import.meta.url), "../../..");

/** One of our own programs as a process, which a test can kill and start again. */
export interface Program extends Stoppable {
  /** Ends it at once, without a chance to tidy up. */
  readonly kill: () => Promise<void>;
  /** Starts it again with the same configuration; it must have ended. */
  readonly start: () => Promise<void>;
  readonly pid: () => number;
  readonly exited: () => boolean;
  /** The end of what it has logged. */
  readonly log: () => string;
}

/** Starts `node apps/<app>/dist/main.js` with a configuration file. */
export async function startProgram(options: {
  app: "server" | "agent";
  configFile: string;
  logFile: string;
  environment?: Readonly<Record<string, string>> | undefined;
}): Promise<Program> {
  const main = join(apps, options.app, "dist/main.js");
  const launch = (): Promise<ServiceProcess> =>
    startService({
      command: process.execPath,
      arguments: [main, "--config", options.configFile],
      logFile: options.logFile,
      environment: options.environment,
    });
  let running = await launch();
  return {
    pid: () => running.pid,
    exited: () => running.exited(),
    log: () => running.log(),
    kill: () => running.kill(),
    start: async () => {
      running = await launch();
    },
    stop: () => running.stop(),
  };
}

/** The path of the `mesh` command in this checkout. */
export const meshCommand = join(apps, "cli/bin/mesh.js");
