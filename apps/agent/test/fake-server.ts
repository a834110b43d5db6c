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
  const { clock, leaseSeconds = 30 } = options;
  let declaration: unknown;
  let tasks: readonly TaskAssignment[] = [];
  let revision = 0;
  let isCut = false;
  let isDeaf = false;
  const received: Report[] = [];
  const kept = new Map<string, Report>();
  const statuses: { at: number; status: NodeStatus }[] = [];
  const heartbeats: number[] = [];
  const changed: (() => void)[] = [];
  const change = (): void => {
    revision += 1;
    for (const wake of changed.splice(0)) wake();
  };
  const check = (): void => {
    if (isCut) throw new LinkError("http://server", new Error("connect ECONNREFUSED"));
  };
  const lease = { leaseSeconds, serverVersion: "test" };
  return {
    client: {
      register: async () => {
        check();
        return lease;
      },
      heartbeat: async ({ status }) => {
        check();
        heartbeats.push(clock.now());
        statuses.push({ at: clock.now(), status });
        return lease;
      },
      poll: async (request, call) => {
        check();
        const signal = call?.signal as AbortSignal | undefined;
        if (request.revision === String(revision)) {
          await new Promise<void>((resolve) => {
            const done = (): void => {
              signal?.removeEventListener("abort", done);
              cancel();
              resolve();
            };
            const cancel = clock.after(HELD_MS, done);
            changed.push(done);
            signal?.addEventListener("abort", done);
          });
          signal?.throwIfAborted();
          check();
        }
        return {
          revision: String(revision),
          tasks: [...tasks],
          ...(declaration === undefined ? {} : { declaration: declaration as HostDeclaration }),
        };
      },
      report: async ({ reports }) => {
        check();
        received.push(...reports);
        if (isDeaf) throw new LinkError("http://server", new Error("socket hang up"));
        for (const report of reports) kept.set(report.id, report);
        return { acknowledged: reports.map(({ id }) => id) };
      },
    },
    declare: (value) => {
      declaration = JSON.parse(JSON.stringify(value));
      change();
    },
    setTasks: (value) => {
      tasks = value;
      change();
    },
    cut: (value) => {
      isCut = value;
      for (const wake of changed.splice(0)) wake();
    },
    deafen: (value) => {
      isDeaf = value;
    },
    received,
    reports: () => [...kept.values()],
    statuses,
    heartbeats,
    lastStatus: () => statuses.at(-1)?.status,
  };
}
