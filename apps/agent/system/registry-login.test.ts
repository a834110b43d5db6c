import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderDeclaration } from "@mesh/declaration";
import type { TaskAssignment } from "@mesh/protocol";
import Dockerode from "dockerode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../src/clock.ts";
import { defaultBound } from "../src/config.ts";
import { dockerEngine } from "../src/engine/docker.ts";
import type { RegistryCredentials } from "../src/engine/image-pull.ts";
import { moduleFiles } from "../src/files/module-files.ts";
import { ownAccount } from "../src/host/accounts.ts";
import { startHost } from "../src/host/host.ts";
import { silentLog } from "../src/host/log.ts";
import { secretFiles } from "../src/host/secrets.ts";
import { sqliteJournal } from "../src/journal/sqlite-journal.ts";
import { fakeServer } from "../test/fake-server.ts";
import { moduleOf } from "../test/world.ts";

const socketPath = process.env.MESH_TEST_DOCKER_SOCKET ?? "";
const image = process.env.MESH_TEST_IMAGE ?? "";
const registry = process.env.MESH_TEST_REGISTRY ?? "";
const isThere = socketPath !== "" && image !== "" && registry !== "";
const LOGIN = { username: "atlas", password: "s3cret" };

if (!isThere) {
  describe("a registry with a password", () => {
    it.skipIf(true)(
      "NO DOCKER ENGINE OR REGISTRY: MESH_TEST_REGISTRY and others are not set",
      () => {
        expect(isThere).toBe(true);
      },
    );
  });
}

/** The test registry behind a password, on a port of its own, so that nothing is pulled yet. */
function guardedRegistry(): Promise<Server> {
  const wanted = `Basic ${Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString("base64")}`;
  const [host = "", port] = registry.split(":");
  const server = createServer((incoming, outgoing) => {
    if (incoming.headers.authorization !== wanted) {
      outgoing.writeHead(401, { "www-authenticate": 'Basic realm="test"' });
      outgoing.end(
        JSON.stringify({ errors: [{ code: "UNAUTHORIZED", message: "authentication required" }] }),
      );
      return;
    }
    const { authorization: _, ...headers } = incoming.headers;
    const forward = request(
      { host, port, method: incoming.method ?? "GET", path: incoming.url ?? "/", headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(forward);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Wall time set so that the next minute begins in three seconds. */
function nearMinute(): Clock {
  const clock = systemClock();
  const offset = 57_000 - (clock.now() % 60_000);
  return { ...clock, now: () => clock.now() + offset };
}

function modulesOf(image: string) {
  const container = { type: "container", image, command: ["sh", "-c", "exit 0"] } as const;
  const modules = [
    moduleOf("web", { ...container, name: "web", command: ["sh", "-c", "sleep 60"] }),
    moduleOf("sync", { ...container, name: "sync", schedule: "* * * * *" }),
  ];
  return renderDeclaration(modules, { node: "n1", generation: 1 });
}

function taskOf(image: string): TaskAssignment {
  return {
    taskId: "t1",
    jobId: "j1",
    jobName: "report",
    namespace: "default",
    attempt: 1,
    desiredStatus: "running",
    work: { image, command: ["true"], cpuMillicores: 100, memoryBytes: 64 * 1024 * 1024 },
  };
}

async function runEachKind(credentials: RegistryCredentials, guarded: string) {
  const folder = mkdtempSync(join(tmpdir(), "mesh-login-"));
  const clock = nearMinute();
  const server = fakeServer({ clock });
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const host = startHost({
    settings: {
      node: "n1",
      host: `login-${process.pid}-${Object.keys(credentials).length}`,
      labels: {},
      capacity: { cpuMillicores: 1000, memoryBytes: 1024 ** 3 },
      bound: defaultBound("n1"),
      defaults: { cpuMillicores: 500, memoryBytes: 64 * 1024 * 1024, pids: 32 },
      stopGraceSeconds: 1,
      volumesFolder: join(folder, "volumes"),
      secretsFolder: join(folder, "secrets"),
      agentVersion: "test",
      zoneData: "test",
    },
    engine: dockerEngine({ kind: "docker", socketPath, version: "test", clock, credentials }),
    journal: sqliteJournal(join(folder, "journal.sqlite")),
    clock,
    files: moduleFiles({ roots: ["/var/lib/mesh"], prefix: folder, chown: false }),
    accounts: ownAccount(owner),
    secrets: secretFiles(join(folder, "secrets")),
    client: server.client,
    log: silentLog,
  });
  server.declare(modulesOf(guarded));
  server.setTasks([taskOf(guarded)]);
  const ended = () =>
    server
      .reports()
      .some((one) => one.kind === "run" && /succeeded|failed/.test(one.record.outcome)) &&
    server.reports().some((one) => one.kind === "task" && /stopped|failed/.test(one.report.status));
  for (let tries = 0; tries < 200 && !ended(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const status = host.status();
  await host.stop({ stopWorkloads: true });
  rmSync(folder, { recursive: true, force: true });
  const ends = server.reports();
  return {
    status,
    run: ends.flatMap((one) =>
      one.kind === "run" && one.record.outcome !== "started" ? [one.record] : [],
    )[0],
    task: ends.flatMap((one) =>
      one.kind === "task" && one.report.status !== "running" ? [one.report] : [],
    )[0],
  };
}

describe.runIf(isThere)("a registry with a password (S6)", () => {
  let server: Server;
  let guarded: string;
  let address: string;

  beforeAll(async () => {
    server = await guardedRegistry();
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    guarded = image.replace(/^[^/]+/, address);
  });

  afterAll(async () => {
    await new Dockerode({ socketPath })
      .getImage(guarded)
      .remove({ force: true })
      .catch(() => undefined);
    server.close();
  });

  it("[C31-16] without the host's credentials each kind is a failed start that says so", async () => {
    const { status, run, task } = await runEachKind({}, guarded);
    const text = /credentials for 127\.0\.0\.1/;
    expect(status).toMatchObject({
      applied: false,
      problems: [{ code: "container.never-started" }],
    });
    expect(status.problems[0]?.message).toMatch(text);
    expect(run).toMatchObject({
      outcome: "failed",
      reason: "neverStarted",
      message: expect.stringMatching(text),
    });
    expect(task).toMatchObject({
      status: "failed",
      reason: "neverStarted",
      message: expect.stringMatching(text),
    });
  });

  it("[C31-16] with them a service, a schedule and a Job's task all start", async () => {
    const { status, run, task } = await runEachKind({ [address]: LOGIN }, guarded);
    expect(status).toMatchObject({ applied: true, current: true });
    expect(run).toMatchObject({ outcome: "succeeded", exitCode: 0 });
    expect(task).toEqual({ status: "stopped", exitCode: 0 });
  });
});
