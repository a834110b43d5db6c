import type { HostDeclaration } from "@mesh/declaration";
import { LinkError, type NodeStatus, type Report, type TaskAssignment } from "@mesh/protocol";
import type { Clock } from "../src/clock.ts";
import type { AgentClient } from "../src/link/link.ts";

/** A server in memory: it says what a node should hold and keeps what the node tells. */
export interface FakeServer {
  readonly client: AgentClient;
  declare(declaration: unknown): void;
  setTasks(tasks: readonly TaskAssignment[]): void;
  /** While cut, nobody answers. */
  cut(isCut: boolean): void;
  /** Takes reports without acknowledging them. */
  deafen(isDeaf: boolean): void;
  /** Every report as received, repetitions included. */
  readonly received: readonly Report[];
  /** Each report once, as a server keeps them. */
  reports(): readonly Report[];
  readonly statuses: readonly { readonly at: number; readonly status: NodeStatus }[];
  readonly heartbeats: readonly number[];
  lastStatus(): NodeStatus | undefined;
}

/** A poll is answered after this long at the latest, as the server does it. */
const HELD_MS = 25_000;

export function fakeServer(options: { clock: Clock; leaseSeconds?: number }): FakeServer {
  const state: ServerState = {
    clock: options.clock,
    lease: { leaseSeconds: options.leaseSeconds ?? 30, serverVersion: "test" },
    declaration: undefined,
    isUnsent: false,
    tasks: [],
    revision: 0,
    isCut: false,
    isDeaf: false,
    received: [],
    kept: new Map(),
    statuses: [],
    heartbeats: [],
    waiting: [],
  };
  return {
    client: clientOf(state),
    declare: (value) => {
      state.declaration = JSON.parse(JSON.stringify(value));
      state.isUnsent = true;
      change(state);
    },
    setTasks: (value) => {
      state.tasks = value;
      change(state);
    },
    cut: (value) => {
      state.isCut = value;
      for (const wake of state.waiting.splice(0)) wake();
    },
    deafen: (value) => {
      state.isDeaf = value;
    },
    received: state.received,
    reports: () => [...state.kept.values()],
    statuses: state.statuses,
    heartbeats: state.heartbeats,
    lastStatus: () => state.statuses.at(-1)?.status,
  };
}

interface ServerState {
  readonly clock: Clock;
  readonly lease: { leaseSeconds: number; serverVersion: string };
  declaration: unknown;
  /** A declaration is sent once whatever its generation, and again while the node has another. */
  isUnsent: boolean;
  tasks: readonly TaskAssignment[];
  revision: number;
  isCut: boolean;
  isDeaf: boolean;
  readonly received: Report[];
  readonly kept: Map<string, Report>;
  readonly statuses: { at: number; status: NodeStatus }[];
  readonly heartbeats: number[];
  readonly waiting: (() => void)[];
}

function change(state: ServerState): void {
  state.revision += 1;
  for (const wake of state.waiting.splice(0)) wake();
}

function clientOf(state: ServerState): AgentClient {
  const check = (): void => {
    if (state.isCut) throw new LinkError("http://server", new Error("connect ECONNREFUSED"));
  };
  return {
    register: async () => {
      check();
      return state.lease;
    },
    heartbeat: async ({ status }) => {
      check();
      state.heartbeats.push(state.clock.now());
      state.statuses.push({ at: state.clock.now(), status });
      return state.lease;
    },
    poll: async (request, call) => {
      check();
      const signal = call?.signal as AbortSignal | undefined;
      if (request.revision === String(state.revision)) await changed(state, signal);
      check();
      const { revision, tasks, declaration } = state;
      const found = (declaration as HostDeclaration | undefined)?.generation;
      const isNews = state.isUnsent || (found !== undefined && found !== request.generation);
      const declared = isNews ? { declaration: declaration as HostDeclaration } : {};
      state.isUnsent = false;
      return { revision: String(revision), tasks: [...tasks], ...declared };
    },
    report: async ({ reports }) => {
      check();
      state.received.push(...reports);
      if (state.isDeaf) throw new LinkError("http://server", new Error("socket hang up"));
      for (const report of reports) state.kept.set(report.id, report);
      return { acknowledged: reports.map(({ id }) => id) };
    },
  };
}

async function changed(state: ServerState, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      signal?.removeEventListener("abort", done);
      cancel();
      resolve();
    };
    const cancel = state.clock.after(HELD_MS, done);
    state.waiting.push(done);
    signal?.addEventListener("abort", done);
  });
  signal?.throwIfAborted();
}
