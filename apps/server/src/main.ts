import { parseArgs } from "node:util";
import { readConfig } from "./config.ts";
import { isStartError } from "./start-error.ts";
import { type RunningServer, startServer } from "./start-server.ts";

/** Starts the server and stops it on the first signal; a second one ends the process at once. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { config: { type: "string" } } });
  const server = await startServer(readConfig(values.config, process.env));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop(server));
}

function stop(server: RunningServer): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  server.stop().then(
    () => process.exit(0),
    (error: unknown) => fail(error),
  );
}

function fail(error: unknown): void {
  const text = isStartError(error)
    ? `${error.message}\nhelp: ${error.help}`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`mesh-server: ${text}\n`);
  process.exit(1);
}

main().catch(fail);
