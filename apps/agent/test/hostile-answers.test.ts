import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@mesh/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { limitedFetch } from "../src/link/limited-fetch.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const clientOf = (baseUrl: string, declarationBytes = 1000) =>
  createClient({ baseUrl, fetch: limitedFetch(declarationBytes) });

const poll = (baseUrl: string) => clientOf(baseUrl).poll({ node: "n1" });

describe("an answer that is not the protocol's", () => {
  it.each([301, 302, 303, 307, 308])(
    "a redirect (%i) sends the host nowhere (R7)",
    async (status) => {
      const reached: string[] = [];
      const inside = await serve((request, answer) => {
        reached.push(`${request.method} ${request.url}`);
        answer.end("{}");
      });
      const server = await serve((request, answer) => {
        request.resume();
        answer.writeHead(status, { location: `${inside}/containers/x/start` }).end();
      });
      await expect(poll(server)).rejects.toMatchObject({ status });
      expect(reached).toEqual([]);
    },
  );

  it("more than the host allows is given up, packed or not", async () => {
    const server = await serve((request, answer) => {
      request.resume();
      answer.writeHead(200);
      const piece = Buffer.alloc(1024 * 1024, " ");
      const more = (): void => {
        if (!answer.destroyed) answer.write(piece, () => setImmediate(more));
      };
      more();
    });
    await expect(poll(server)).rejects.toThrow(/more than [0-9]+ bytes|does not answer/);
  });

  it("half of one is an error, and so is none of this protocol", async () => {
    const half = await serve((request, answer) => {
      request.resume();
      answer.writeHead(200, { "content-length": "100" });
      answer.write('{"revision"');
      setImmediate(() => answer.destroy());
    });
    await expect(poll(half)).rejects.toThrow();
    for (const text of ["", "[]", "null", '{"revision":1,"tasks":[]}', '{"revision":"1"}']) {
      const server = await serve((request, answer) => {
        request.resume();
        answer.end(text);
      });
      await expect(poll(server)).rejects.toThrow();
    }
  });
});
