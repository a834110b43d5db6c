import { parseArgs } from "node:util";
import { findEngine } from "./find-engine.ts";
import { readHostConfig } from "./host-file.ts";
import { startAgent } from "./start-agent.ts";
import { isStartError, StartError } from "./start-error.ts";

const USAGE = `usage: agent [--config FILE]

Settings also come from MESH_NODE, MESH_SERVER, MESH_TOKEN, MESH_AGENT_DATA_DIR,
MESH_ENGINE_SOCKET and MESH_HOST_PREFIX; these go before the file's.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { config: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) return console.log(USAGE);
  const config = readHostConfig(values.config, process.env);
  const agent = await startAgent({ ...config, engine: config.engine ?? (await anyEngine()) });
  const asked = new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
  });
  await Promise.race([
    asked,
    agent.failed.then(() => {
      process.exitCode = 1;
    }),
  ]);
  // Containers go on: the next start adopts them (A7).
  await agent.stop();
  // What the engine has not answered yet, such as a pull, would keep the process for as long.
  process.exit();
}

async function anyEngine(): Promise<{ kind: "docker" | "podman"; socketPath: string }> {
  const found = await findEngine();
  if (found !== undefined) return found;
  throw new StartError(
    "engine.unreachable",
    "no container engine answers on any of the usual sockets",
    "start Docker or Podman, set MESH_ENGINE_SOCKET, or name the engine in the host's file",
  );
}

main().catch((error: unknown) => {
  if (isStartError(error)) console.error(`agent: ${error.message}\nhelp: ${error.help}`);
  else console.error(error);
  process.exitCode = 1;
});
