import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient, type MeshClient } from "@mesh/protocol";
import Docker from "dockerode";
import { type Container, type LabNode, startNode } from "./node.ts";
import { meshCommand, type Program, startProgram } from "./program.ts";
import { eventually, freePort, type Stoppable } from "./service-process.ts";
import type { ServiceEnvironment } from "./services.ts";
import { removeFolder, temporaryFolder } from "./temporary-folder.ts";

/** What `mesh` printed and how it ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A server, nodes and the command line, as processes on a real engine. */
export interface World extends Stoppable {
  readonly server: Program;
  readonly client: MeshClient;
  readonly docker: Docker;
  /** An image with busybox, by digest. */
  readonly image: string;
  /** Starts the agent of `ams` or `ber` and waits until the server takes the node for ready. */
  readonly addNode: (
    name: "ams" | "ber",
    configuration?: Readonly<Record<string, unknown>>,
  ) => Promise<LabNode>;
  readonly mesh: (...args: readonly string[]) => Promise<CommandResult>;
  /** Writes a manifest and applies it with `mesh apply -f`; throws with what that printed. */
  readonly apply: (manifest: string) => Promise<void>;
  /** All containers with these labels, ended ones too, in the order of their creation. */
  readonly containers: (labels: Readonly<Record<string, string>>) => Promise<readonly Container[]>;
}

export interface WorldOptions {
  readonly leaseSeconds?: number | undefined;
}

const operatorToken = "operator-of-the-lab";
const tokenOf = (node: string): string => `token-of-node-${node}`;

/** Starts a server on an empty store; `stop` ends all that the world has started. */
export async function startWorld(
  services: ServiceEnvironment,
  options: WorldOptions = {},
): Promise<World> {
  const { MESH_TEST_DOCKER_SOCKET: socketPath, MESH_TEST_IMAGE: image } = services;
  if (socketPath === undefined || image === undefined) throw new Error("no Docker Engine to use");
  const folder = await temporaryFolder("world");
  const docker = new Docker({ socketPath });
  const serverPort = await freePort();
  const url = `http://127.0.0.1:${serverPort}`;
  const server = await startServer(folder, serverPort, options);
  const started: Stoppable[] = [server];
  const client = createClient({ baseUrl: url, fetch, token: operatorToken });
  const mesh = commandLine({ MESH_SERVER: url, MESH_TOKEN: operatorToken }, folder);
  await eventually("the server", () => client.health(), { gone: () => endOf(server) });
  return {
    server,
    client,
    docker,
    image,
    mesh,
    addNode: async (name, configuration) => {
      const token = tokenOf(name);
      const node = await startNode({ name, token, folder, serverPort, socketPath, configuration });
      started.push(node);
      const isReady = async () => (await client.node(name)).ready || undefined;
      await eventually(`node ${name}`, isReady, { gone: () => endOf(node.agent) });
      return node;
    },
    apply: async (manifest) => {
      const file = join(folder, "manifest.yaml");
      await writeFile(file, manifest);
      const { code, stdout, stderr } = await mesh("apply", "-f", file);
      if (code !== 0) throw new Error(`mesh apply: exit ${code}\n${stdout}${stderr}`);
    },
    containers: (labels) => containersWith(docker, labels),
    stop: async () => {
      const tasks = await client.tasks("default").catch(() => []);
      const taskIds = new Set(tasks.map(({ task }) => task.id));
      for (const each of started.toReversed()) await each.stop();
      await removeContainers(docker, { folder, taskIds });
      await removeFolder(folder);
    },
  };
}

async function startServer(folder: string, port: number, options: WorldOptions): Promise<Program> {
  const configFile = join(folder, "server.json");
  const configuration = {
    dataDir: join(folder, "server"),
    port,
    operatorToken,
    nodeTokens: { ams: tokenOf("ams"), ber: tokenOf("ber") },
    ...(options.leaseSeconds === undefined ? {} : { leaseSeconds: options.leaseSeconds }),
  };
  await writeFile(configFile, JSON.stringify(configuration));
  return startProgram({ app: "server", configFile, logFile: join(folder, "server.log") });
}

function commandLine(environment: Readonly<Record<string, string>>, cwd: string): World["mesh"] {
  return (...args) =>
    new Promise((resolve) => {
      const options = { cwd, env: { ...process.env, ...environment, NO_COLOR: "1" } };
      execFile(process.execPath, [meshCommand, ...args], options, (error, stdout, stderr) => {
        const code = typeof error?.code === "number" ? error.code : error === null ? 0 : 1;
        resolve({ code, stdout, stderr });
      });
    });
}

async function containersWith(
  docker: Docker,
  labels: Readonly<Record<string, string>>,
): Promise<readonly Container[]> {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const listed = await docker.listContainers({ all: true, filters: { label } });
  const found = await Promise.all(
    listed.map(({ Id }) =>
      docker
        .getContainer(Id)
        .inspect()
        .catch(() => undefined),
    ),
  );
  return found
    .filter((container) => container !== undefined)
    .sort((a, b) => (a.Created < b.Created ? -1 : 1));
}

/** Every container of the hosts that run a task or mount a folder of this world. */
async function removeContainers(
  docker: Docker,
  world: { folder: string; taskIds: ReadonlySet<string> },
): Promise<void> {
  const all = await containersWith(docker, { "mesh.v": "1" });
  const isOurs = ({ Mounts, Config }: Container): boolean =>
    world.taskIds.has(Config.Labels["mesh.taskId"] ?? "") ||
    Mounts.some(({ Source }) => Source.startsWith(`${world.folder}/`));
  const hosts = new Set(all.filter(isOurs).map(({ Config }) => Config.Labels["mesh.host"]));
  for (const { Id, Config } of all) {
    if (!hosts.has(Config.Labels["mesh.host"])) continue;
    await docker
      .getContainer(Id)
      .remove({ force: true, v: true })
      .catch(() => undefined);
  }
}

const endOf = (program: Program): string | undefined =>
  program.exited() ? `it has ended: ${program.log()}` : undefined;
