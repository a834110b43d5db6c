import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsOf } from "../src/config.ts";
import { readHostConfig } from "../src/host-file.ts";
import { isStartError } from "../src/start-error.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-host-file-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(text: string): string {
  const path = join(folder, "host.yaml");
  writeFileSync(path, text);
  return path;
}

function faultOf(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    if (!isStartError(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

const LEAST = "node: n1\nserver: http://127.0.0.1:7373\n";

describe("the host's own file", () => {
  it("as delivered says what its comments say", () => {
    const delivered = new URL("../host.example.yaml", import.meta.url).pathname;
    expect(readHostConfig(delivered, {})).toMatchObject({
      node: "atlas-1",
      serverUrl: "http://127.0.0.1:7373",
      dataDir: "/var/lib/mesh/.state",
      engine: { kind: "docker", socketPath: "/var/run/docker.sock" },
      bound: {
        roots: ["/var/lib/mesh", "/etc/mesh"],
        registries: ["docker.io", "ghcr.io"],
        maximum: { schedules: 100, memory: 4 * 1024 ** 3, cpu: 2000, pids: 512 },
      },
      stopGraceSeconds: 10,
    });
  });

  it("may be JSON, and the environment goes before it", () => {
    const path = file('{"node": "n1", "server": "http://a", "dataDir": "/x"}');
    const environment = {
      MESH_NODE: "n2",
      MESH_ENGINE_SOCKET: "/e.sock",
      MESH_HOST_PREFIX: "/p",
      MESH_TOKEN: "t",
    };
    expect(readHostConfig(path, environment)).toMatchObject({
      node: "n2",
      serverUrl: "http://a",
      dataDir: "/x",
      hostPrefix: "/p",
      token: "t",
      engine: { kind: "docker", socketPath: "/e.sock" },
    });
    expect(readHostConfig(undefined, { MESH_NODE: "n3", MESH_SERVER: "http://b" })).toMatchObject({
      node: "n3",
    });
  });

  it("takes the token from a file of its own", () => {
    writeFileSync(join(folder, "token"), "s3cret\n");
    const path = file(`${LEAST}tokenFile: ${join(folder, "token")}\n`);
    expect(readHostConfig(path, {}).token).toBe("s3cret");
  });

  it("raw-exec is on only where it says so (R7)", () => {
    const plain = readHostConfig(file(LEAST), {});
    expect(plain.engine).toBeUndefined();
    const raw = readHostConfig(file(`${LEAST}engine: {kind: raw-exec}\n`), {});
    expect(raw.engine).toEqual({ kind: "raw-exec" });
    const dataDir = join(folder, "data");
    const docker = { kind: "docker", socketPath: "/e.sock" } as const;
    expect(settingsOf({ ...plain, dataDir, engine: docker }).bound.rawExec).toBe(false);
    expect(settingsOf({ ...raw, dataDir, engine: { kind: "raw-exec" } }).bound.rawExec).toBe(true);
  });

  const bad: [string, string, RegExp][] = [
    ["an unknown setting", `${LEAST}privileged: true\n`, /privileged/],
    ["a server that is no address", "node: n1\nserver: here\n", /server/],
    ["no node", "server: http://a\n", /node/],
    [
      "an amount that is none",
      `${LEAST}bound: {maximum: {memory: lots}}\n`,
      /bound\.maximum\.memory/,
    ],
    ["a key twice", `${LEAST}node: n2\n`, /no map/],
    ["a list", "- 1\n", /settings are wrong|no map/],
  ];
  for (const [what, text, wanted] of bad) {
    it(`with ${what} is refused with the place`, () => {
      const fault = faultOf(() => readHostConfig(file(text), {}));
      expect(fault).toMatch(/^config\.invalid/);
      expect(fault).toMatch(wanted);
    });
  }

  it("that is not there is one clear line; so is a name that is none, and a folder that is none", () => {
    expect(faultOf(() => readHostConfig(join(folder, "none.yaml"), {}))).toMatch(/cannot be read/);
    const config = { serverUrl: "http://a", engine: { kind: "raw-exec" } } as const;
    expect(faultOf(() => settingsOf({ ...config, node: "No Node", dataDir: folder }))).toMatch(
      /config\.invalid/,
    );
    const blocked = join(file(LEAST), "data");
    expect(faultOf(() => settingsOf({ ...config, node: "n1", dataDir: blocked }))).toMatch(
      /data-dir\.not-writable/,
    );
  });

  it("two data folders on one engine are two hosts; one folder is always the same", () => {
    const config = { node: "n1", serverUrl: "http://a", engine: { kind: "raw-exec" } } as const;
    const [a, b] = [join(folder, "a"), join(folder, "b")];
    const host = (dataDir: string) => settingsOf({ ...config, dataDir }).host;
    expect(host(a)).toBe(host(a));
    expect(host(a)).not.toBe(host(b));
  });
});
