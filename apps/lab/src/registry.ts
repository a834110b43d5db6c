import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  eventually,
  freePort,
  needProgram,
  type Stoppable,
  startService,
} from "./service-process.ts";
import { removeFolder, temporaryFolder } from "./temporary-folder.ts";

/** An image registry on loopback; `address` is what an image reference begins with. */
export interface Registry extends Stoppable {
  readonly address: string;
}

/** Starts `docker-registry` with an empty store in a temporary folder. */
export async function startRegistry(): Promise<Registry> {
  const program = await needProgram("docker-registry", "docker-registry");
  const folder = await temporaryFolder("registry");
  const address = `127.0.0.1:${await freePort()}`;
  const config = join(folder, "config.yml");
  await writeFile(config, configuration(folder, address));
  const service = await startService({
    command: program,
    arguments: ["serve", config],
    logFile: join(folder, "registry.log"),
    environment: { OTEL_TRACES_EXPORTER: "none" },
  });
  const stop = async (): Promise<void> => {
    await service.stop();
    await removeFolder(folder);
  };
  try {
    const gone = (): string | undefined => (service.exited() ? service.log() : undefined);
    await eventually("docker-registry", () => answers(`http://${address}/v2/`), { gone });
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, stop };
}

function configuration(folder: string, address: string): string {
  return [
    "version: 0.1",
    "log: { level: warn, accesslog: { disabled: true } }",
    `storage: { filesystem: { rootdirectory: ${folder}/store }, delete: { enabled: true } }`,
    `http: { addr: "${address}" }`,
    "",
  ].join("\n");
}

async function answers(url: string): Promise<true | undefined> {
  const response = await fetch(url);
  return response.ok ? true : undefined;
}
