import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** One process of the service, as an operator would start it. */
export interface Instance {
  readonly post: (path: string, body: object) => Promise<boolean>;
  readonly hasCrashed: () => boolean;
  readonly stop: () => Promise<void>;
}

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const crash = new URL("./crash.mjs", import.meta.url).href;
let lastPort = 20_000 + (process.pid % 20_000);

/** Starts an instance; with `crashAt` it ends by SIGKILL before it sends the last of these. */
export async function startInstance(options: {
  readonly databaseUrl: string;
  readonly name: string;
  readonly crashAt?: string;
}): Promise<Instance> {
  lastPort += 1;
  const url = `http://127.0.0.1:${lastPort}`;
  const preload = options.crashAt === undefined ? [] : ["--import", crash];
  const child: ChildProcess = spawn(process.execPath, [...preload, main], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: options.databaseUrl,
      INSTANCE: options.name,
      PORT: String(lastPort),
      ...(options.crashAt === undefined ? {} : { CRASH_AT: options.crashAt }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  if (child.stdout === null) throw new Error("no output");
  await Promise.race([
    once(child.stdout, "data"),
    exited.then(() => Promise.reject(new Error("the service did not start"))),
  ]);
  const post = async (path: string, body: object): Promise<boolean> => {
    const headers = { "content-type": "application/json" };
    try {
      const answer = await fetch(url + path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      if (answer.status >= 400) throw new Error(await answer.text());
      return true;
    } catch (error) {
      // A killed process drops its connections; anything else is a fault.
      await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 2000))]);
      if (child.signalCode === "SIGKILL") return false;
      throw error;
    }
  };
  return {
    post,
    hasCrashed: () => child.signalCode === "SIGKILL",
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await exited;
    },
  };
}
