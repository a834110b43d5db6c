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
  process.stderr.write(`mesh-server: ${textOf(error)}\n`);
  process.exit(1);
}

/** What a person can mend in a line and its help; all else with where it happened. */
function textOf(error: unknown): string {
  if (isStartError(error)) return `${error.message}\nhelp: ${error.help}`;
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  const isUsage = typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
  return isUsage ? `${error.message}\nhelp: use --config FILE` : (error.stack ?? error.message);
}

main().catch(fail);
