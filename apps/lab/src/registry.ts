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

/** What a registry with a password asks for, and its password file's line for it. */
export const registryLogin = { username: "lab", password: "password-of-the-lab" } as const;
const passwordLine = "lab:$2b$05$m7s9M8iUpienP9i31X4YjOti6B9XkRtVemcYMksLS5nOW2FVNoSI6\n";

/** Starts `docker-registry` with an empty store in a temporary folder. */
export async function startRegistry(options: { isPrivate?: boolean } = {}): Promise<Registry> {
  const program = await needProgram("docker-registry", "docker-registry");
  const folder = await temporaryFolder("registry");
  const address = `127.0.0.1:${await freePort()}`;
  const config = join(folder, "config.yml");
  await writeFile(join(folder, "passwords"), passwordLine);
  await writeFile(config, configuration(folder, address, options.isPrivate ?? false));
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

function configuration(folder: string, address: string, isPrivate: boolean): string {
  const login = `auth: { htpasswd: { realm: lab, path: ${folder}/passwords } }`;
  return [
    "version: 0.1",
    "log: { level: warn, accesslog: { disabled: true } }",
    `storage: { filesystem: { rootdirectory: ${folder}/store }, delete: { enabled: true } }`,
    `http: { addr: "${address}" }`,
    ...(isPrivate ? [login] : []),
    "",
  ].join("\n");
}

async function answers(url: string): Promise<true | undefined> {
  const response = await fetch(url);
  return response.ok || response.status === 401 ? true : undefined;
}
