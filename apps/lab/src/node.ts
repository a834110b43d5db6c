import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type Docker from "dockerode";
import { type Link, startLink } from "./link.ts";
import { type Program, startProgram } from "./program.ts";
import type { Stoppable } from "./service-process.ts";

export type Container = Docker.ContainerInspectInfo;

/** A node: an agent process with its own link to the server and its own part of the engine. */
export interface LabNode extends Stoppable {
  readonly name: string;
  readonly agent: Program;
  readonly link: Link;
  /** Stands for the root of the host's file system (R8). */
  readonly hostPrefix: string;
  /** What the agent keeps: its journal, and the volumes of Jobs. */
  readonly folder: string;
}

export interface NodeOptions {
  readonly name: string;
  readonly token: string;
  /** What the agent keeps lies below it. */
  readonly folder: string;
  readonly serverPort: number;
  readonly socketPath: string;
  /** Further members of the agent's configuration. */
  readonly configuration?: Readonly<Record<string, unknown>> | undefined;
}

/** Starts an agent on the engine at `socketPath`, linked to the server on `serverPort`. */
export async function startNode(options: NodeOptions): Promise<LabNode> {
  const { name, token, folder } = options;
  const link = await startLink(options.serverPort);
  const hostPrefix = join(folder, `host-${name}`);
  await mkdir(hostPrefix);
  const dataDir = join(folder, `agent-${name}`);
  const configFile = join(folder, `agent-${name}.json`);
  const configuration = {
    node: name,
    server: link.url,
    token,
    dataDir,
    hostPrefix,
    engine: { kind: "docker", socket: options.socketPath },
    stopGraceSeconds: 1,
    ...options.configuration,
  };
  await writeFile(configFile, JSON.stringify(configuration));
  const logFile = join(folder, `agent-${name}.log`);
  const agent = await startProgram({ app: "agent", configFile, logFile });
  const stop = async (): Promise<void> => {
    await agent.stop();
    await link.stop();
  };
  return { name, agent, link, hostPrefix, folder: dataDir, stop };
}
