import {
  ApiError,
  LinkError,
  type NodeStatus,
  type RegisterRequest,
  type Report,
} from "@mesh/protocol";
import { describe, expect, it } from "vitest";
import { silentLog } from "../src/host/log.ts";
import type { NewReport } from "../src/journal/journal.ts";
import { sqliteJournal } from "../src/journal/sqlite-journal.ts";
import { createBell } from "../src/link/bell.ts";
import { type AgentClient, createLink } from "../src/link/link.ts";
import { virtualClock } from "./virtual-clock.ts";

const STATUS: NodeStatus = { generation: 0, applied: true, current: true, problems: [] };
const REGISTRATION: RegisterRequest = {
  node: "n1",
  labels: {},
  capacity: { cpuMillicores: 1, memoryBytes: 1 },
  engine: { kind: "simulated", version: "1" },
  agentVersion: "test",
  zoneData: "test",
};
const LEASE = { leaseSeconds: 30, serverVersion: "test" };

interface Call {
  readonly what: "register" | "heartbeat" | "poll" | "report";
  readonly at: number;
}

/** A link to a server whose answers the test gives; a call that it gives none is held for ever. */
function linked(answers: Partial<AgentClient>) {
  const clock = virtualClock(0);
  const journal = sqliteJournal(":memory:");
  const calls: Call[] = [];
  const end = new AbortController();
  const [reports, beats] = [createBell(), createBell()];
  const leases: { sentAt: number }[] = [];
  const client = (what: Call["what"]) => (request: never, options: never) => {
    calls.push({ what, at: clock.elapsed() });
    const answer = answers[what] as
      | ((request: never, options: never) => Promise<never>)
      | undefined;
    return answer === undefined ? new Promise<never>(() => undefined) : answer(request, options);
  };
  const link = createLink({
    client: {
      register: client("register"),
      heartbeat: client("heartbeat"),
      poll: client("poll"),
      report: client("report"),
    } as unknown as AgentClient,
    registration: REGISTRATION,
    journal,
    clock,
    log: silentLog,
    signal: end.signal,
    reports,
    beats,
    status: () => STATUS,
    generation: () => 0,
    onLease: (lease) => leases.push(lease),
    onPoll: () => undefined,
    onAcknowledged: () => undefined,
  });
  void link.run();
  const times = (what: Call["what"]) =>
    calls.filter((one) => one.what === what).map(({ at }) => at);
  return { clock, journal, reports, beats, leases, times, stop: () => end.abort() };
}

const report = (taskId: string, output = ""): NewReport => ({
  kind: "task",
  at: 1,
  taskId,
  report: { status: "stopped", exitCode: 0 },
  output,
});

describe("the agent's side of the link", () => {
  it("asks for nothing before the server knows the node, and waits longer after each failure", async () => {
    let tries = 0;
    const world = linked({
      register: async () => {
        tries += 1;
        if (tries < 5) throw new LinkError("http://server", new Error("connect ECONNREFUSED"));
        return LEASE;
      },
    });
    await world.clock.advance(60_000);
    expect(world.times("register")).toEqual([0, 1000, 3000, 7000, 15_000]);
    expect(world.times("poll")).toEqual([15_000]);
    world.stop();
  });

  it("beats four times in a lease, at once when the status changed, and counts from the send", async () => {
    const world = linked({ register: async () => LEASE, heartbeat: async () => LEASE });
    await world.clock.advance(16_000);
    expect(world.times("heartbeat")).toEqual([0, 7500, 15_000]);
    world.beats.ring();
    await world.clock.advance(1000);
    expect(world.times("heartbeat")).toEqual([0, 7500, 15_000, 16_000]);
    expect(world.leases.map(({ sentAt }) => sentAt)).toEqual([0, 0, 7500, 15_000, 16_000]);
    world.stop();
  });

  it("tells a server that lost the node who it is", async () => {
    let known = true;
    const world = linked({
      register: async () => {
        known = true;
        return LEASE;
      },
      heartbeat: async () => {
        if (!known) throw new ApiError(404, { code: "node.unknown", message: "no such node" });
        return LEASE;
      },
    });
    await world.clock.advance(1000);
    known = false;
    await world.clock.advance(20_000);
    expect(world.times("register")).toHaveLength(2);
    world.stop();
  });

  it("sends each report until it is acknowledged, and no longer (A8)", async () => {
    const seen: string[] = [];
    let deaf = true;
    const world = linked({
      register: async () => LEASE,
      report: async ({ reports }) => {
        seen.push(...reports.map(({ id }) => id));
        if (deaf) throw new LinkError("http://server", new Error("socket hang up"));
        return { acknowledged: reports.map(({ id }) => id) };
      },
    });
    const { id } = world.journal.addReport(report("t1"));
    world.reports.ring();
    await world.clock.advance(10_000);
    expect(seen.length).toBeGreaterThan(2);
    deaf = false;
    await world.clock.advance(60_000);
    expect(new Set(seen)).toEqual(new Set([id]));
    const before = seen.length;
    await world.clock.advance(600_000);
    expect(seen).toHaveLength(before);
    expect(world.journal.pendingReports(1)).toEqual([]);
    world.stop();
  });

  it("sends much output in several requests, each within what a server reads at once", async () => {
    const sizes: number[] = [];
    const world = linked({
      register: async () => LEASE,
      report: async (request) => {
        sizes.push(Buffer.byteLength(JSON.stringify(request)));
        return { acknowledged: request.reports.map(({ id }) => id) };
      },
    });
    for (let index = 0; index < 90; index += 1) {
      world.journal.addReport(report(`t${index}`, "\u0001".repeat(4096)));
    }
    world.reports.ring();
    await world.clock.advance(1000);
    expect(world.journal.pendingReports(1)).toEqual([]);
    expect(Math.max(...sizes)).toBeLessThan(512 * 1024);
    world.stop();
  });

  it("one report that the server cannot read holds up no other", async () => {
    const taken: string[] = [];
    const world = linked({
      register: async () => LEASE,
      report: async ({ reports }) => {
        const isBad = (one: Report) => one.kind === "task" && one.taskId === "bad";
        if (reports.some(isBad)) throw new ApiError(400, { code: "body.invalid", message: "no" });
        taken.push(...reports.map((one) => (one.kind === "task" ? one.taskId : "")));
        return { acknowledged: reports.map(({ id }) => id) };
      },
    });
    for (const taskId of ["t1", "bad", "t2"]) world.journal.addReport(report(taskId));
    world.reports.ring();
    await world.clock.advance(1000);
    expect(taken).toEqual(["t1", "t2"]);
    world.journal.addReport(report("t3"));
    world.reports.ring();
    await world.clock.advance(120_000);
    expect(taken).toEqual(["t1", "t2", "t3"]);
    expect(world.journal.pendingReports(9)).toHaveLength(1);
    world.stop();
  });
});

describe("a server that has been taken over", () => {
  it.each([-30, 0, 0.001, 1e308])(
    "a lease of %f seconds is none: no work, no haste (S4)",
    async (leaseSeconds) => {
      const { clock, leases, times } = linked({
        register: async () => LEASE,
        heartbeat: async () => ({ ...LEASE, leaseSeconds }),
      });
      await clock.advance(60_000);
      expect(leases).toHaveLength(1);
      expect(times("heartbeat").length).toBeLessThan(10);
      const never = linked({ register: async () => ({ ...LEASE, leaseSeconds }) });
      await never.clock.advance(60_000);
      expect(never.leases).toEqual([]);
      expect(never.times("poll")).toEqual([]);
    },
  );

  it("that answers every poll at once is asked ten times a second at most", async () => {
    let revision = 0;
    const { clock, times, stop } = linked({
      register: async () => LEASE,
      poll: async () => {
        revision += 1;
        // The test's own end, should nothing slow the agent down.
        if (revision > 500) return new Promise(() => undefined);
        return { revision: String(revision), tasks: [] };
      },
    });
    await clock.advance(10_000);
    stop();
    expect(times("poll").length).toBeLessThan(130);
  });

  it("that acknowledges what was never sent gets the reports at the pace of failures", async () => {
    let answers = 0;
    const { clock, journal, times } = linked({
      register: async () => LEASE,
      report: async () => {
        answers += 1;
        if (answers > 500) return new Promise(() => undefined);
        return { acknowledged: ["other-1"] };
      },
    });
    journal.addReport(report("t1"));
    await clock.advance(60_000);
    expect(times("report").length).toBeLessThan(10);
    expect(journal.pendingReports(10)).toHaveLength(1);
  });
});

describe("reports that the server refuses", () => {
  it.each([400, 500])("more than a batch of them (%i) hold up no other (A8)", async (status) => {
    const taken: string[] = [];
    const { clock, journal, reports } = linked({
      register: async () => LEASE,
      report: async ({ reports: sent }) => {
        const ids = sent.map((one) => (one.kind === "task" ? one.taskId : ""));
        if (ids.some((id) => id.startsWith("bad")))
          throw new ApiError(status, { code: "no", message: "no" });
        taken.push(...ids);
        return { acknowledged: sent.map(({ id }) => id) };
      },
    });
    for (let index = 0; index < 150; index += 1) journal.addReport(report(`bad-${index}`));
    journal.addReport(report("good"));
    await clock.advance(30_000);
    expect(taken).toEqual(["good"]);
    journal.addReport(report("later"));
    reports.ring();
    await clock.advance(5_000);
    expect(taken).toEqual(["good", "later"]);
    expect(journal.pendingReports(500)).toHaveLength(150);
  });
});
