import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createClient } from "@mesh/protocol";
import Sqlite from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { readConfig, type ServerConfig } from "../src/config.ts";
import { isStartError, type RunningServer, startServer } from "../src/index.ts";
import { IMAGE, MINUTE, NOON, SECOND, temporaryFolder } from "./harness.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const running: RunningServer[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

async function start(config: Partial<ServerConfig> = {}): Promise<RunningServer> {
  const dataDir = temporaryFolder();
  const server = await startServer({ dataDir, dev: true, port: 0, log: "silent", ...config });
  running.push(server);
  return server;
}

async function startFails(config: Partial<ServerConfig>): Promise<[string, string, string]> {
  const error = await start(config).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!isStartError(error)) throw new Error(`expected a StartError, got ${String(error)}`);
  expect(error.message).not.toContain("\n");
  return [error.code, error.message, error.help];
}

describe("starting", () => {
  it("[C31-124] with nothing configured a schedule has a run within its minute (S8)", async () => {
    const time = createVirtualClock(NOON);
    const due = NOON + MINUTE;
    let isAwaited = (): void => {};
    const awaited = new Promise<void>((resolve) => (isAwaited = resolve));
    const at: typeof time.at = (instant, wake) => {
      if (instant === due) isAwaited();
      return time.at(instant, wake);
    };
    const server = await start({ clock: { ...time, at } });
    const mesh = createClient({ baseUrl: server.url, fetch });
    await mesh.createCronJob("default", {
      kind: "CronJob",
      name: "report",
      schedule: "* * * * *",
      jobTemplate: { image: IMAGE },
    });
    // The schedule has been decided once, and the clock knows of its first occurrence.
    await awaited;
    await time.advance(MINUTE + SECOND);
    let [job] = await mesh.jobs("default");
    while (job === undefined) [job] = await mesh.jobs("default");
    expect(job.state.job.spec.name).toBe("report-202610131201");
    expect(job.origin?.occurrenceAt).toBe(due);
    expect(job.state.job.createdAt - due).toBeLessThan(MINUTE);
  });

  it("answers where it says it listens, with the zone data's release", async () => {
    const server = await start();
    const health = await createClient({ baseUrl: server.url, fetch }).health();
    expect(health).toEqual({
      status: "ok",
      version: "0.0.0",
      zoneData: process.versions.tz,
      devMode: true,
    });
    expect(server.zoneData).toBe(process.versions.tz);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  });

  it("a second server on one data folder is refused, and takes over once the first has stopped", async () => {
    const dataDir = temporaryFolder();
    const first = await start({ dataDir });
    const [code, message, help] = await startFails({ dataDir });
    expect([code, message]).toEqual([
      "data-dir.locked",
      `another server uses the data folder ${dataDir}`,
    ]);
    expect(help).toContain("stop that server");
    await first.stop();
    await start({ dataDir });
  });

  it("a port in use is told as such, and the folder is free again", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const dataDir = temporaryFolder();
    const [code, message] = await startFails({ port, dataDir });
    taken.close();
    expect([code, message]).toEqual(["listen.in-use", `port ${port} of 127.0.0.1 is in use`]);
    await start({ dataDir });
  });

  it("a data folder that cannot be made is told as such", async () => {
    const file = `${temporaryFolder()}/file`;
    writeFileSync(file, "");
    const [code, message] = await startFails({ dataDir: `${file}/data` });
    expect(code).toBe("data-dir.not-writable");
    expect(message).toContain(`${file}/data`);
  });

  it("a state file that is no database is told as such, and left as it is", async () => {
    const dataDir = temporaryFolder();
    writeFileSync(`${dataDir}/server.db`, "no database at all, but text of some length");
    const [code, message] = await startFails({ dataDir });
    expect([code, message]).toEqual([
      "data-dir.damaged",
      `${dataDir}/server.db is damaged, or was not written by a server`,
    ]);
    expect(readFileSync(`${dataDir}/server.db`, "utf8")).toMatch(/^no database/);
  });

  it("state of a newer version is told as such, and left as it is", async () => {
    const dataDir = temporaryFolder();
    await (await start({ dataDir })).stop();
    const db = new Sqlite(`${dataDir}/server.db`);
    db.prepare("insert into kysely_migration values ('9999-later', '2030-01-01')").run();
    db.close();
    expect((await startFails({ dataDir }))[0]).toBe("data-dir.newer");
  });

  it("others may not read the state, secrets are in it", async () => {
    const dataDir = `${temporaryFolder()}/data`;
    await start({ dataDir });
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(dataDir).filter((name) => name.startsWith("server.db"))) {
      expect(statSync(`${dataDir}/${file}`).mode & 0o077, file).toBe(0);
    }
  });

  it.each<[string, Partial<ServerConfig>, string]>([
    ["no operator's token outside dev mode", { dev: false }, "auth.missing"],
    ["dev mode beyond loopback", { host: "0.0.0.0" }, "auth.dev-not-loopback"],
    ["dev mode on a name", { host: "example.org" }, "auth.dev-not-loopback"],
    ["a token that is too short to be secret", { operatorToken: "short" }, "config.invalid"],
    ["a token with a space", { operatorToken: "0123456789 abcdefgh" }, "config.invalid"],
    [
      "one token for two",
      { operatorToken: "0123456789abcdef", nodeTokens: { a: "0123456789abcdef" } },
      "config.invalid",
    ],
    ["a port that is none", { port: 70_000 }, "config.invalid"],
    ["an empty data folder", { dataDir: "" }, "config.invalid"],
    ["a lease of no time", { leaseSeconds: 0 }, "config.invalid"],
    ["an unknown setting", { tls: true } as object, "config.invalid"],
  ])("%s is refused with help", async (_, config, code) => {
    const [found, message, help] = await startFails(config);
    expect(found).toBe(code);
    expect(message.length).toBeGreaterThan(10);
    expect(help.length).toBeGreaterThan(10);
  });

  it("stopping answers what waits, and stopping again does nothing", async () => {
    const server = await start();
    const mesh = createClient({ baseUrl: server.url, fetch });
    const held = mesh.events({ after: 0, waitSeconds: 20 });
    await mesh.health();
    await server.stop();
    expect(await held).toEqual([]);
    await server.stop();
  });

  it("a client that goes away leaves nothing waiting", async () => {
    const server = await start();
    const mesh = createClient({ baseUrl: server.url, fetch });
    const gone = new AbortController();
    const held = mesh.events({ after: 0, waitSeconds: 20, signal: gone.signal });
    await mesh.health();
    gone.abort();
    await expect(held).rejects.toThrow();
    const before = performance.now();
    await server.stop();
    expect(performance.now() - before).toBeLessThan(5 * SECOND);
  });
});

describe("settings", () => {
  it("come from a file and from the environment, which goes first", () => {
    const file = `${temporaryFolder()}/server.json`;
    writeFileSync(file, JSON.stringify({ dataDir: "/from/file", port: 1, leaseSeconds: 9 }));
    const environment = {
      MESH_PORT: "2",
      MESH_HOST: "127.0.0.2",
      MESH_OPERATOR_TOKEN: "0123456789abcdef",
      MESH_DEV: "1",
    };
    expect(readConfig(file, environment)).toEqual({
      dataDir: "/from/file",
      port: 2,
      leaseSeconds: 9,
      host: "127.0.0.2",
      operatorToken: "0123456789abcdef",
      dev: true,
    });
    expect(readConfig(undefined, { MESH_DATA_DIR: "/d", MESH_LEASE_SECONDS: "5" })).toEqual({
      dataDir: "/d",
      leaseSeconds: 5,
    });
  });

  it.each([
    ["no data folder", undefined, {}],
    ["a port that is no number", undefined, { MESH_DATA_DIR: "/d", MESH_PORT: "http" }],
    ["a flag that is none", undefined, { MESH_DATA_DIR: "/d", MESH_DEV: "maybe" }],
    ["a file that is not there", "/nonexistent.json", {}],
  ])("%s is refused with help", (_, file, environment) => {
    let caught: unknown;
    try {
      readConfig(file, environment);
    } catch (error) {
      caught = error;
    }
    expect(isStartError(caught) && caught.code).toBe("config.invalid");
  });
});
