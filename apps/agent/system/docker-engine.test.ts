import { rmSync } from "node:fs";
import { connect as connectSocket, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Dockerode from "dockerode";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../src/clock.ts";
import { dockerEngine } from "../src/engine/docker.ts";
import type { ContainerSpec, Engine } from "../src/engine/engine.ts";
import { containerName, hostLabels, type Owner, writeLabels } from "../src/engine/labels.ts";
import { findEngine } from "../src/find-engine.ts";
import { taskEndOf } from "../src/host/outcome.ts";
import { startAgent } from "../src/start-agent.ts";
import { isStartError } from "../src/start-error.ts";
import { engineContract } from "../test/engine-contract.ts";
import { shellCommand, untilPrinted } from "../test/shell-programs.ts";

const socketPath = process.env.MESH_TEST_DOCKER_SOCKET ?? "";
const image = process.env.MESH_TEST_IMAGE ?? "";
const isThere = socketPath !== "" && image !== "";
const HOST = "docker-test-host";
const MiB = 1024 * 1024;
const forever = new AbortController().signal;

if (!isThere) {
  describe("Docker Engine", () => {
    it.skipIf(true)(
      "NO DOCKER ENGINE: MESH_TEST_DOCKER_SOCKET, MESH_TEST_IMAGE are not set",
      () => {
        expect(isThere).toBe(true);
      },
    );
  });
}

function connect(socket = socketPath): Engine {
  return dockerEngine({
    kind: "docker",
    socketPath: socket,
    version: "test",
    clock: systemClock(),
  });
}

if (isThere) {
  engineContract("docker", async () => {
    await connect().ensureImage(image);
    return {
      connect: async () => connect(),
      command: shellCommand,
      image,
      uid: 100_000,
      ready: untilPrinted,
      pass: async () => undefined,
      close: async () => undefined,
    };
  });
}

let count = 0;
function specOf(command: readonly string[], more: Partial<ContainerSpec> = {}): ContainerSpec {
  count += 1;
  const owner: Owner = { kind: "task", taskId: `docker-${process.pid}-${count}` };
  return {
    name: containerName(HOST, owner),
    labels: writeLabels(HOST, owner),
    image,
    command,
    environment: {},
    uid: 100_000,
    gid: 100_000,
    mounts: [],
    memoryBytes: 32 * MiB,
    cpuMillicores: 500,
    pids: 64,
    ...more,
  };
}

/** A socket before the engine's that can be cut, as when the engine is restarted. */
async function cuttable(): Promise<{
  path: string;
  cut(): void;
  mend(): Promise<void>;
  close(): void;
}> {
  const path = join(tmpdir(), `mesh-cut-${process.pid}-${Date.now()}.sock`);
  const open = new Set<Socket>();
  const make = (): Server =>
    createServer((client) => {
      const engine = connectSocket(socketPath);
      for (const one of [client, engine]) {
        open.add(one);
        one.on("error", () => undefined).on("close", () => open.delete(one));
      }
      client.pipe(engine).pipe(client);
    });
  let server = make();
  const listen = () => new Promise<void>((resolve) => server.listen(path, resolve));
  await listen();
  const cut = (): void => {
    server.close();
    for (const one of open) one.destroy();
    rmSync(path, { force: true });
  };
  return {
    path,
    cut,
    mend: async () => {
      server = make();
      await listen();
    },
    close: cut,
  };
}

describe.runIf(isThere)("the Docker adapter", () => {
  const engine = connect();

  afterAll(async () => {
    for (const { id } of await engine.list(hostLabels(HOST))) await engine.remove(id);
  });

  const endOf = async (spec: ContainerSpec) => {
    const id = await engine.create(spec);
    await engine.start(id);
    const state = await engine.wait(id, forever);
    if (state.phase !== "exited") throw new Error(`expected an end, found ${state.phase}`);
    return state.exit;
  };

  it("[C31-31] a child killed for memory hides behind exit 0: failed, outOfMemory (A8)", async () => {
    const exit = await endOf(
      specOf(["sh", "-c", "tail /dev/zero; exit 0"], { memoryBytes: 16 * MiB }),
    );
    expect(exit).toEqual({ kind: "code", exitCode: 0, outOfMemory: true });
    expect(taskEndOf(exit)).toMatchObject({ status: "failed", reason: "outOfMemory" });
  });

  it("[C31-31] the engine goes away during a wait: reconnected, and the code is told (A8)", async () => {
    const line = await cuttable();
    const far = connect(line.path);
    const id = await far.create(specOf(["sh", "-c", "sleep 2; exit 4"]));
    await far.start(id);
    const waiting = far.wait(id, forever);
    await new Promise((resolve) => setTimeout(resolve, 300));
    line.cut();
    await expect(far.inspect(id)).rejects.toMatchObject({ code: "unavailable" });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await line.mend();
    expect(await waiting).toMatchObject({ phase: "exited", exit: { kind: "code", exitCode: 4 } });
    line.close();
  });

  it("a container gets no more than R7 allows", async () => {
    const id = await engine.create(specOf(["sh", "-c", "sleep 30"]));
    await engine.start(id);
    const found = await new Dockerode({ socketPath }).getContainer(id).inspect();
    expect(found.Config.User).toBe("100000:100000");
    expect(found.HostConfig).toMatchObject({
      Privileged: false,
      CapDrop: ["ALL"],
      CapAdd: null,
      SecurityOpt: ["no-new-privileges"],
      NetworkMode: "default",
      PidMode: "",
      UTSMode: "",
      UsernsMode: "",
      IpcMode: "private",
      CgroupnsMode: "private",
      Memory: 32 * MiB,
      MemorySwap: 32 * MiB,
      NanoCpus: 500_000_000,
      PidsLimit: 64,
      PortBindings: {},
      RestartPolicy: { Name: "no" },
    });
    expect(found.HostConfig.Devices ?? []).toEqual([]);
    expect(found.Mounts).toEqual([]);
    await engine.remove(id);
  });

  it("its process is the account's, without a capability, and can gain none", async () => {
    const id = await engine.create(
      specOf(["sh", "-c", "id -u; grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs' /proc/self/status"]),
    );
    await engine.start(id);
    await engine.wait(id, forever);
    const [uid, ...lines] = (await engine.outputTail(id, 4096)).trim().split("\n");
    expect(uid).toBe("100000");
    expect(lines.map((line) => line.split(/\s+/))).toEqual([
      ["CapPrm:", "0000000000000000"],
      ["CapEff:", "0000000000000000"],
      ["CapBnd:", "0000000000000000"],
      ["NoNewPrivs:", "1"],
    ]);
  });

  it("the memory of the seed's example, 1Mi, is raised to what the engine takes", async () => {
    const exit = await endOf(
      specOf(["sh", "-c", "printf 'atlas report\\n'"], { memoryBytes: MiB }),
    );
    expect(exit).toEqual({ kind: "code", exitCode: 0, outOfMemory: false });
  });

  it("one thousandth of a core is raised to what the kernel takes", async () => {
    const exit = await endOf(specOf(["sh", "-c", "exit 0"], { cpuMillicores: 1 }));
    expect(exit).toEqual({ kind: "code", exitCode: 0, outOfMemory: false });
  });

  it("gigabytes of output without a line's end leave an end of it, soon, and a full log", async () => {
    const print = "head -c 300000000 /dev/zero | tr '\\0' x; printf 'the end'; exit 3";
    const id = await engine.create(specOf(["sh", "-c", print]));
    await engine.start(id);
    expect(await engine.wait(id, forever)).toMatchObject({ exit: { exitCode: 3 } });
    const since = Date.now();
    const tail = await engine.outputTail(id, 4096);
    expect(tail).toHaveLength(4096);
    expect(tail).toMatch(/x{1000}the end$/);
    expect(Date.now() - since).toBeLessThan(10_000);
    await engine.remove(id);
  }, 60_000);

  it("one that was paused by hand, takes no notice of a stop and has children ends in time", async () => {
    const script =
      "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & while :; do sleep 1; done";
    const id = await engine.create(specOf(["sh", "-c", script]));
    await engine.start(id);
    await new Dockerode({ socketPath }).getContainer(id).pause();
    expect(await engine.inspect(id)).toMatchObject({ phase: "running" });
    const since = Date.now();
    await engine.stop(id, 2);
    expect(Date.now() - since).toBeLessThan(15_000);
    expect(await engine.inspect(id)).toMatchObject({ phase: "exited", exit: { exitCode: 137 } });
    await engine.remove(id);
  }, 40_000);

  it("an image that cannot be pulled is a failed start with the engine's reason", async () => {
    const missing = `${image.slice(0, image.indexOf("@"))}@sha256:${"0".repeat(64)}`;
    expect(await engine.hasImage(image)).toBe(true);
    expect(await engine.hasImage(missing)).toBe(false);
    await expect(engine.ensureImage(missing)).rejects.toMatchObject({
      code: "neverStarted",
      message: expect.stringContaining("cannot be pulled"),
    });
  });

  it("is found on its socket, and nothing else is", async () => {
    expect(await findEngine({ socketPaths: ["/nowhere.sock", socketPath] })).toMatchObject({
      kind: "docker",
      socketPath,
      version: expect.stringMatching(/^[0-9]+\./),
    });
    expect(await findEngine({ socketPaths: ["/nowhere.sock"] })).toBeUndefined();
  });

  it("an engine that does not answer is one clear line at the start", async () => {
    const error: unknown = await startAgent({
      node: "n1",
      serverUrl: "http://127.0.0.1:9",
      dataDir: join(tmpdir(), `mesh-none-${process.pid}`),
      engine: { kind: "docker", socketPath: "/nowhere.sock" },
      log: "silent",
    }).catch((thrown: unknown) => thrown);
    expect(isStartError(error) && error.code).toBe("engine.unreachable");
    rmSync(join(tmpdir(), `mesh-none-${process.pid}`), { recursive: true, force: true });
  });
});
