import { createClient, type MeshClient } from "@mesh/protocol";
import { type ServerConfig, startServer } from "@mesh/server";
import type { Ran } from "./mesh.ts";
import { mesh, temporaryFolder } from "./mesh.ts";

/** A real server on a free port, its folder, and `mesh` pointed at it. */
export interface TestServer {
  readonly url: string;
  readonly client: MeshClient;
  readonly folder: string;
  /** Runs a command line against this server, with `folder` as the working directory. */
  readonly mesh: (argv: readonly string[], stdin?: string) => Promise<Ran>;
  /** Stops the server and starts another on the same data. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startTestServer(
  config: Partial<ServerConfig> & { readonly now?: () => number } = {},
): Promise<TestServer> {
  const { now = () => Date.now(), ...rest } = config;
  const folder = temporaryFolder();
  const start = (port: number) =>
    startServer({ dataDir: `${folder.path}/data`, dev: true, log: "silent", ...rest, port });
  let server = await start(0);
  const { url, port } = server;
  const client = createClient({ baseUrl: url, fetch });
  return {
    url,
    client,
    folder: folder.path,
    mesh: (argv, stdin = "") =>
      mesh([...argv, "--server", url], { workingDirectory: folder.path, stdin, now }),
    restart: async () => {
      await server.stop();
      server = await start(port);
      // This process still holds connections to the server that has gone.
      await eventually(() => client.health().catch(() => undefined));
    },
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

/** A clock that stands still until it is told to go on, and then wakes whoever it passed. */
export function virtualClock(startsAt: number): {
  readonly clock: NonNullable<ServerConfig["clock"]>;
  readonly now: () => number;
  readonly goTo: (instant: number) => void;
} {
  let now = startsAt;
  let timers: { readonly at: number; readonly wake: () => void }[] = [];
  const at = (instant: number, wake: () => void) => {
    const timer = { at: instant, wake };
    timers.push(timer);
    if (instant <= now) setImmediate(() => fire());
    return () => {
      timers = timers.filter((one) => one !== timer);
    };
  };
  return {
    now: () => now,
    clock: {
      now: () => now,
      elapsedMs: () => now - startsAt,
      at,
      after: (ms, wake) => at(now + ms, wake),
    },
    goTo(instant) {
      now = instant;
      fire();
    },
  };

  function fire(): void {
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { wake } of due) wake();
  }
}

/** Asks again until the answer is there; the server works in the background, in its own time. */
export async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const until = Date.now() + 10_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error("it did not come to pass within 10 s");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Makes a node known and ready, as its agent would. */
export async function registerNode(client: MeshClient, node: string): Promise<void> {
  await client.register({
    node,
    labels: {},
    capacity: { cpuMillicores: 4000, memoryBytes: 2 ** 32 },
    engine: { kind: "simulated", version: "1" },
    agentVersion: "test",
    zoneData: "test",
  });
  const status = { generation: 0, applied: true, current: true, problems: [] };
  await client.heartbeat({ node, status });
}

/** Ends the task of `node` that is assigned next, with this exit code. */
export async function runNextTask(
  client: MeshClient,
  { node, exitCode, output }: { node: string; exitCode: number; output?: string },
): Promise<string> {
  const task = await eventually(async () =>
    (await client.poll({ node })).tasks.find(({ desiredStatus }) => desiredStatus === "running"),
  );
  const { taskId } = task;
  const at = Date.now();
  const report = (id: string, told: object) => ({ kind: "task", id, at, taskId, ...told }) as const;
  await client.report({
    node,
    reports: [
      report(`${taskId}/1`, { report: { status: "running" as const, containerId: "c1" } }),
      report(`${taskId}/2`, {
        report: { status: "stopped" as const, exitCode },
        ...(output === undefined ? {} : { output }),
      }),
    ] as never,
  });
  return taskId;
}
