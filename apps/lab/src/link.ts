import { createConnection, createServer, type Server, type Socket } from "node:net";
import type { Stoppable } from "./service-process.ts";

/** A piece of network between an agent and its server that a test can cut and mend. */
export interface Link extends Stoppable {
  readonly url: string;
  /** Ends every connection and refuses new ones, as a pulled cable would. */
  readonly cut: () => Promise<void>;
  readonly mend: () => Promise<void>;
}

/** Forwards a port of its own on loopback to `port`. */
export async function startLink(port: number): Promise<Link> {
  const sockets = new Set<Socket>();
  const forward = (client: Socket): void => {
    const upstream = createConnection({ host: "127.0.0.1", port });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  };
  let server = await listen(0, forward);
  const own = portOf(server);
  const cut = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${own}`,
    cut,
    mend: async () => {
      server = await listen(own, forward);
    },
    stop: cut,
  };
}

async function listen(port: number, forward: (client: Socket) => void): Promise<Server> {
  const server = createServer(forward);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port of its own");
  return address.port;
}
