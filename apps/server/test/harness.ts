import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ApiError,
  createClient,
  type Fetch,
  isApiError,
  type MeshClient,
  type RegisterRequest,
  type Report,
  type TaskAssignment,
  type TaskReport,
} from "@mesh/protocol";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { afterEach, expect } from "vitest";
import type { Ceilings } from "../src/ceilings.ts";
import { startControlPlane } from "../src/control-plane.ts";
import type { AuthOptions } from "../src/http/auth.ts";
import { openSqliteStore, type StatementHook } from "../src/store/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import { systemZones } from "../src/zones.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** 2026-10-13T12:00:00Z, a Tuesday: where the cases begin unless they say otherwise. */
export const NOON = Date.UTC(2026, 9, 13, 12);
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mesh-server-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let ids = 0;

/** Unique in this process, also over restarts of a bench, and in order. */
function nextId(): string {
  ids += 1;
  return `id-${String(ids).padStart(8, "0")}`;
}

/** A server without a socket, on a virtual clock. */
export interface Bench {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly app: FastifyInstance;
  readonly mesh: MeshClient;
  /** Passes time; controllers do what comes due on the way. */
  advance(ms: number): Promise<void>;
  settle(): Promise<void>;
  /** Ends it; another may go on with the same file. */
  stop(): Promise<void>;
}

export async function startBench(
  options: {
    now?: number;
    file?: string;
    clock?: VirtualClock;
    auth?: AuthOptions;
    ceilings?: Ceilings;
    onStatement?: StatementHook;
  } = {},
): Promise<Bench> {
  const file = options.file ?? ":memory:";
  const { onStatement } = options;
  const store = await openSqliteStore({ file, onStatement });
  const clock = options.clock ?? createVirtualClock(options.now ?? NOON);
  const plane = await startControlPlane({
    store,
    clock,
    log: pino({ level: process.env.TEST_LOG ?? "silent" }),
    newId: nextId,
    leaseSeconds: 30,
    zones: systemZones,
    auth: options.auth ?? { devMode: true, nodeTokens: {} },
    ceilings: options.ceilings,
  });
  let running = true;
  const stop = async (): Promise<void> => {
    if (!running) return;
    running = false;
    await plane.stop();
    await plane.app.close();
    await store.close();
  };
  cleanups.push(stop);
  await plane.idle();
  const mesh = createClient({ baseUrl: "http://127.0.0.1", fetch: injecting(plane.app) });
  return {
    store,
    clock,
    app: plane.app,
    mesh,
    settle: plane.idle,
    advance: (ms) => clock.advance(ms, plane.idle),
    stop,
  };
}

/** The client's `fetch` over the server's own entry, without a socket. */
export function injecting(app: FastifyInstance): Fetch {
  return async (url, { method, headers, body }) => {
    const answer = await app.inject({
      method: method as "GET",
      url: url.replace("http://127.0.0.1", ""),
      headers: { host: "127.0.0.1", ...headers },
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, text: async () => answer.body };
  };
}

export const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
export const IMAGE = `docker.io/library/busybox@${DIGEST}`;

export function nodeRequest(node: string, labels: Record<string, string> = {}): RegisterRequest {
  return {
    node,
    labels,
    capacity: { cpuMillicores: 4_000, memoryBytes: 8 * 1024 ** 3 },
    engine: { kind: "simulated", version: "1" },
    agentVersion: "0.0.0",
    zoneData: "2026f",
  };
}

/** An agent's part, played by hand. */
export interface Host {
  readonly node: string;
  join(): Promise<void>;
  beat(): Promise<void>;
  tasks(): Promise<readonly TaskAssignment[]>;
  report(taskId: string, report: TaskReport, output?: string): Promise<void>;
  send(...reports: Report[]): Promise<void>;
}

export function hostOf(bench: Bench, node = "a", labels: Record<string, string> = {}): Host {
  const { mesh, clock, settle } = bench;
  const send = async (...reports: Report[]): Promise<void> => {
    await mesh.report({ node, reports });
    await settle();
  };
  return {
    node,
    send,
    async join() {
      await mesh.register(nodeRequest(node, labels));
      await settle();
    },
    async beat() {
      const status = { generation: 1, applied: true, current: true, problems: [] };
      await mesh.heartbeat({ node, status });
      await settle();
    },
    tasks: async () => (await mesh.poll({ node })).tasks,
    report: (taskId, report, output) =>
      send({
        kind: "task",
        id: nextId(),
        at: clock.now(),
        taskId,
        report,
        ...(output === undefined ? {} : { output }),
      }),
  };
}

/** A bench with one host on it. */
export async function withHost(
  options: Parameters<typeof startBench>[0] = {},
): Promise<Bench & { host: Host }> {
  const bench = await startBench(options);
  const host = hostOf(bench);
  await host.join();
  return { ...bench, host };
}

/** Passes time in pieces short enough for the host's lease to hold. */
export async function advanceWith(bench: Bench, host: Host, ms: number): Promise<void> {
  let left = ms;
  while (left > 0) {
    const piece = Math.min(left, 20 * SECOND);
    await bench.advance(piece);
    await host.beat();
    left -= piece;
  }
}

export async function eventTypes(bench: Bench): Promise<string[]> {
  return (await bench.mesh.events({ after: 0, limit: 1000 })).map(({ type }) => type);
}

/** The refusal that a call meets; a call that is accepted fails the test. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isApiError(outcome)) throw new Error(`expected a refusal, got ${String(outcome)}`);
  return outcome;
}

/** The one task that the node holds. */
export async function onlyTask(host: Host): Promise<string> {
  const tasks = await host.tasks();
  expect(tasks).toHaveLength(1);
  return tasks[0]?.taskId as string;
}
