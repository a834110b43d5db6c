import { createClient } from "@mesh/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newestEvent } from "../src/events/follow.ts";
import { mesh } from "./mesh.ts";
import {
  eventually,
  registerNode,
  runNextTask,
  startTestServer,
  type TestServer,
} from "./server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const image = `docker.io/library/busybox@sha256:${"0123456789abcdef".repeat(4)}`;

describe("mesh watch", () => {
  it("tells attempts, exits and what was printed, as it happens, until it is asked to stop", async () => {
    await registerNode(server.client, "n1");
    const lines: string[] = [];
    let stop: (signal: string) => void = () => undefined;
    let followed: () => void = () => undefined;
    const following = new Promise<void>((resolve) => (followed = resolve));
    const watching = mesh(["watch", "--server", server.url], {
      terminal: { colour: false, out: (line) => lines.push(line), err: (line) => lines.push(line) },
      stopAsked: () => new Promise((resolve) => (stop = resolve)),
      fetch: (url, init) => {
        if (url.includes("waitSeconds=20")) followed();
        return fetch(url, init);
      },
    });
    await following;
    const text = `name: seen\nimage: ${image}\n`;
    await server.mesh(["apply", "-f", "-"], text);
    await runNextTask(server.client, { node: "n1", exitCode: 0, output: "done\nat last\n" });
    await eventually(async () => lines.find((line) => line.includes("succeeded")));
    stop("SIGINT");
    expect((await watching).exitCode).toBe(0);
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d \+0[12]:00/, "TIME"))).toEqual([
      `TIME Job default/seen is created: ${image}`,
      "TIME Job default/seen: attempt 1 runs on node n1",
      "TIME Job default/seen: attempt 1 exited with code 0",
      "                │ done",
      "                │ at last",
      "TIME Job default/seen succeeded after 1 attempt",
    ]);
  });
});

describe("newestEvent", () => {
  it("is the id of the last of any number of events, with few questions", async () => {
    for (const last of [0, 1, 2, 3, 7, 8, 9, 1000, 1_000_003]) {
      let asked = 0;
      const answer = async (url: string) => {
        asked += 1;
        const after = Number(new URL(url).searchParams.get("after"));
        const items = after < last ? [{ id: after + 1 }] : [];
        return { status: 200, text: async () => JSON.stringify({ items }) };
      };
      expect(await newestEvent(createClient({ baseUrl: "http://h", fetch: answer }))).toBe(last);
      expect(asked).toBeLessThanOrEqual(2 + 2 * Math.ceil(Math.log2(last + 2)));
    }
  });
});
