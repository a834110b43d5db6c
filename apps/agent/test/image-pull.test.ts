import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Dockerode from "dockerode";
import { afterEach, expect, it } from "vitest";
import { createImagePuller } from "../src/engine/image-pull.ts";
import { virtualClock } from "./virtual-clock.ts";

const IMAGE = `ghcr.io/acme/kometa@sha256:${"0".repeat(64)}`;
let folder = "";
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An engine that has no image and answers a pull as told. */
async function engine(pull: RequestListener, has: RequestListener = absent) {
  folder = mkdtempSync(join(tmpdir(), "mesh-pull-"));
  const socketPath = join(folder, "socket");
  const asked: string[] = [];
  server = createServer((request, answer) => {
    asked.push(request.url ?? "");
    request.resume();
    (request.method === "POST" ? pull : has)(request, answer);
  });
  await new Promise<void>((resolve) => server?.listen(socketPath, resolve));
  const clock = virtualClock(0);
  const puller = createImagePuller(
    { docker: new Dockerode({ socketPath }), socketPath, clock },
    {},
  );
  const arrived = async (count: number): Promise<void> => {
    while (asked.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, puller, arrived };
}

const absent: RequestListener = (_, answer) => {
  answer.writeHead(404, { "content-type": "application/json" }).end('{"message":"no such image"}');
};

it("a pull that is cut in the middle is a failed start", async () => {
  const { puller } = await engine((_, answer) => {
    answer.writeHead(200, { "content-type": "application/json" });
    answer.write('{"status":"Pulling"}\n');
    setTimeout(() => answer.destroy(), 20);
  });
  await expect(puller.ensure(IMAGE)).rejects.toThrow(/cannot be pulled/);
});

it("a pull of which nothing more is heard is given up, and the next one begins anew", async () => {
  const { puller, clock, arrived } = await engine((_, answer) => {
    answer.writeHead(200, { "content-type": "application/json" });
    answer.write('{"status":"Pulling"}\n');
  });
  for (const calls of [2, 4]) {
    const pulled = puller.ensure(IMAGE).catch(String);
    await arrived(calls);
    let end: unknown;
    void pulled.then((value) => {
      end = value;
    });
    for (let tries = 0; tries < 100 && end === undefined; tries += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(10_000);
    }
    expect(end).toContain("no progress");
  }
});

it("an engine that does not say whether it has the image is not waited for without end", async () => {
  const { puller, clock, arrived } = await engine(absent, () => undefined);
  const asked = puller.ensure(IMAGE).catch((error: unknown) => error);
  await arrived(1);
  await clock.advance(600_000);
  expect(await asked).toMatchObject({ code: "unavailable" });
});
