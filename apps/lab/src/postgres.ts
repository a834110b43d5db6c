import { chown, readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  eventually,
  execute,
  findProgram,
  freePort,
  type ServiceProcess,
  type Stoppable,
  startService,
} from "./service-process.ts";
import { removeFolder, temporaryFolder } from "./temporary-folder.ts";

/** A PostgreSQL cluster of one's own; whoever connects owns every database in it. */
export interface Postgres extends Stoppable {
  readonly url: string;
  /** Ends the server at once, without a checkpoint, and starts it again on the same data. */
  readonly restart: () => Promise<void>;
}

interface Cluster {
  readonly programs: string;
  readonly folder: string;
  readonly port: number;
  readonly user: string | undefined;
}

/** Makes a cluster in a temporary folder and serves it on loopback. It refuses to run as root. */
export async function startPostgres(): Promise<Postgres> {
  const programs = await findPrograms();
  const folder = await temporaryFolder("postgres");
  const cluster = { programs, folder, port: await freePort(), user: await unprivilegedUser() };
  let server: ServiceProcess;
  try {
    await initialize(cluster);
    server = await serve(cluster);
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
  return {
    url: `postgres://mesh@127.0.0.1:${cluster.port}/postgres`,
    restart: async () => {
      await server.stop();
      server = await serve(cluster);
    },
    stop: async () => {
      await server.stop();
      await removeFolder(folder);
    },
  };
}

async function findPrograms(): Promise<string> {
  const versions = await readdir("/usr/lib/postgresql").catch(() => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const folders = newestFirst.map((version) => `/usr/lib/postgresql/${version}/bin`);
  const initdb = await findProgram("initdb", folders);
  if (initdb === undefined) throw new Error("initdb is not installed (Debian package postgresql)");
  return join(initdb, "..");
}

async function unprivilegedUser(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const known = await execute("id", ["-u", "postgres"]).then(
    () => true,
    () => false,
  );
  return known ? "postgres" : "nobody";
}

async function initialize({ programs, folder, user }: Cluster): Promise<void> {
  const options = ["--username", "mesh", "--auth", "trust", "--encoding", "UTF8", "--no-sync"];
  const initdb = [
    join(programs, "initdb"),
    "-D",
    join(folder, "data"),
    "--locale",
    "C",
    ...options,
  ];
  if (user === undefined) {
    await execute(initdb[0] as string, initdb.slice(1));
    return;
  }
  const [uid, gid] = await Promise.all([idOf("-u", user), idOf("-g", user)]);
  await chown(folder, uid, gid);
  const identity = ["--reuid", String(uid), "--regid", String(gid), "--clear-groups"];
  await execute("setpriv", [...identity, "--", ...initdb], { cwd: folder });
}

async function idOf(flag: "-u" | "-g", user: string): Promise<number> {
  return Number((await execute("id", [flag, user])).stdout);
}

async function serve({ programs, folder, port, user }: Cluster): Promise<ServiceProcess> {
  const settings = ["fsync=off", "full_page_writes=off", "max_connections=200"];
  const server = await startService({
    command: join(programs, "postgres"),
    arguments: [
      ...["-D", join(folder, "data"), "-h", "127.0.0.1", "-p", String(port), "-k", folder],
      ...settings.flatMap((setting) => ["-c", setting]),
    ],
    logFile: join(folder, "postgres.log"),
    stopSignal: "SIGINT",
    user,
  });
  const ready = join(programs, "pg_isready");
  const probe = async (): Promise<true> => {
    await execute(ready, ["-q", "-h", "127.0.0.1", "-p", String(port)]);
    return true;
  };
  const gone = (): string | undefined => (server.exited() ? server.log() : undefined);
  try {
    await eventually("postgres", probe, { gone });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}
