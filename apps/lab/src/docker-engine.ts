import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import Docker from "dockerode";
import {
  eventually,
  execute,
  findProgram,
  needProgram,
  type ServiceProcess,
  type Stoppable,
  startService,
} from "./service-process.ts";
import { bridgeName, removeBridge, removeFolder, temporaryFolder } from "./temporary-folder.ts";

/** A Docker Engine of one's own, apart from any other on the machine. */
export interface DockerEngine extends Stoppable {
  readonly socket: string;
  readonly docker: Docker;
  /** Ends the daemon as a crash would, and starts it again on the same data. */
  readonly restart: () => Promise<void>;
}

interface Bridge {
  readonly name: string;
  readonly address: string;
}

/**
 * Starts `dockerd` as root on a unix socket, with data, runtime folder and bridge of its own.
 * Containers reach one another over the bridge and nothing else: no address translation and no
 * packet filter are set up, so that the machine's own stay as they are.
 */
export async function startDockerEngine(): Promise<DockerEngine> {
  const dockerd = await needProgram("dockerd", "docker.io");
  if (process.getuid?.() !== 0) throw new Error("dockerd needs root");
  const folder = await temporaryFolder("docker");
  await writeFile(join(folder, "daemon.json"), "{}");
  const bridge = await createBridge();
  const socket = join(folder, "docker.sock");
  const docker = new Docker({ socketPath: socket });
  const start = (): Promise<ServiceProcess> => startDaemon(dockerd, folder, socket, bridge, docker);
  let daemon: ServiceProcess;
  try {
    daemon = await start();
  } catch (error) {
    await removeLeftovers(folder, bridge);
    throw error;
  }
  return {
    socket,
    docker,
    restart: async () => {
      await daemon.stop();
      daemon = await start();
    },
    stop: async () => {
      if (!daemon.exited()) await removeContainers(docker);
      await daemon.stop();
      await removeLeftovers(folder, bridge);
    },
  };
}

async function startDaemon(
  dockerd: string,
  folder: string,
  socket: string,
  bridge: Bridge | undefined,
  docker: Docker,
): Promise<ServiceProcess> {
  const daemon = await startService({
    command: dockerd,
    arguments: [
      ...["--host", `unix://${socket}`],
      ...["--data-root", join(folder, "data"), "--exec-root", join(folder, "exec")],
      ...["--pidfile", join(folder, "docker.pid"), "--config-file", join(folder, "daemon.json")],
      ...["--bridge", bridge?.name ?? "none"],
      ...["--iptables=false", "--ip-masq=false", "--ip-forward=false", "--userland-proxy=false"],
      ...["--shutdown-timeout", "2", "--log-level", "warn"],
    ],
    logFile: join(folder, "dockerd.log"),
  });
  const gone = (): string | undefined => (daemon.exited() ? daemon.log() : undefined);
  try {
    await eventually("dockerd", async () => docker.ping(), { seconds: 60, gone });
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return daemon;
}

/** Without the right to make one, or without the tool for it, the engine runs without a network. */
async function createBridge(): Promise<Bridge | undefined> {
  const ip = await findProgram("ip");
  if (ip === undefined) return undefined;
  const bridge = { name: bridgeName(process.pid), address: `10.213.${process.pid % 256}.1/24` };
  try {
    await execute(ip, ["link", "add", "name", bridge.name, "type", "bridge"]);
    await execute(ip, ["addr", "add", bridge.address, "dev", bridge.name]);
    await execute(ip, ["link", "set", bridge.name, "up"]);
    return bridge;
  } catch {
    await removeBridge(bridge.name);
    return undefined;
  }
}

async function removeContainers(docker: Docker): Promise<void> {
  const containers = await docker.listContainers({ all: true }).catch(() => []);
  await Promise.all(
    containers.map(({ Id }) =>
      docker
        .getContainer(Id)
        .remove({ force: true, v: true })
        .catch(() => undefined),
    ),
  );
}

async function removeLeftovers(folder: string, bridge: Bridge | undefined): Promise<void> {
  if (bridge !== undefined) await removeBridge(bridge.name);
  await removeFolder(folder);
}
