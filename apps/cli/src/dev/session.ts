import { parseManifestYaml } from "@mesh/declaration/yaml";
import type { MeshClient } from "@mesh/protocol";
import { createClient } from "@mesh/protocol";
import { isStartError, startServer } from "@mesh/server";
import { badInput, cannot } from "../command-error.ts";
import type { Context } from "../context.ts";
import { fieldLines } from "../table.ts";
import { localText } from "../times.ts";
import type { DevOptions } from "./dev-options.ts";
import { startDevAgent } from "./engine.ts";
import {
  cronJobText,
  exampleCronJob,
  exampleModule,
  jobText,
  moduleText,
  nextJobName,
} from "./example.ts";
import type { DevFolder } from "./folder.ts";
import { openDevFolder, readNote, removeNote, writeNote } from "./folder.ts";
import { followEvents, newestEvent } from "./follow.ts";
import type { Held } from "./held.ts";
import { holdStarted } from "./held.ts";
import { createNarrator, nextText } from "./narrator.ts";

const node = "dev";
const namespace = "default";

/**
 * Runs until a signal asks it to stop, then stops everything it started. Whatever goes wrong on
 * the way, what has been started by then is stopped too.
 */
export async function runDev(context: Context, options: DevOptions): Promise<void> {
  const { s } = context;
  const held = holdStarted();
  const leaving = new AbortController();
  const asked = s.stopAsked().then((signal) => {
    leaving.abort();
    return signal;
  });
  try {
    const work = runUntilAsked(context, options, { held, signal: leaving.signal });
    // A start that is under way when the signal comes may end in any way: it is stopped anyhow.
    const outcome = await Promise.race([work, asked]);
    if (outcome !== undefined) {
      s.terminal.out("");
      s.terminal.out(`${outcome}: stopping the node's work, the node and the server`);
    }
  } finally {
    leaving.abort();
    await held.close();
  }
  s.terminal.out("Everything that was started is stopped; ./.mesh keeps the state.");
}

async function runUntilAsked(
  context: Context,
  options: DevOptions,
  { held, signal }: { held: Held; signal: AbortSignal },
): Promise<undefined> {
  const { s, paint, reader } = context;
  const say = s.terminal.out;
  const folder = openDevFolder(s.workingDirectory);
  const url = await startDevServer(held, folder, { port: options.port, pid: s.processId });
  if (signal.aborted) return;
  const client = createClient({ baseUrl: url, fetch: s.fetch });
  const after = await newestEvent(client);
  say(`${paint("mesh dev", "bold")}: a server and a node in this process, all kept in ./.mesh`);
  const { told } = await startDevAgent(held, agentBase(url, folder), {
    choice: options.engine,
    image: options.image,
    say: (line) => say(`  ${line}`),
  });
  if (signal.aborted) return;
  const [engine = "", ...notice] = told;
  const fields = [
    ["server", url],
    ["node", `${node}, on ${engine}`],
    ["clock", `${localText(s.now(), reader)} ${reader.timeZone}`],
  ] as const;
  for (const line of fieldLines(fields, paint)) say(`  ${line}`);
  for (const line of notice) say(`  ${paint(line, "yellow")}`);
  say("");
  await applyExample(context, client, options.image);
  say("");
  const narrator = createNarrator({ client, say, paint, reader, now: s.now });
  const hints = hintsFor(context, client, url);
  await followEvents(client, {
    after,
    signal,
    tell: async (event) => {
      await narrator.tell(event);
      await hints(event.type);
    },
  });
  return undefined;
}

const agentBase = (serverUrl: string, folder: DevFolder) => ({
  node,
  serverUrl,
  dataDir: folder.agentDir,
  hostPrefix: folder.hostPrefix,
  stopGraceSeconds: 2,
  log: "silent" as const,
});

async function startDevServer(
  held: Held,
  folder: DevFolder,
  { port, pid }: { port: number; pid: number },
): Promise<string> {
  const starting = startServer({ dataDir: folder.serverDir, port, dev: true, log: "silent" });
  try {
    const server = await held.hold(starting, async (running) => {
      removeNote(folder);
      await running.stop();
    });
    writeNote(folder, { pid, url: server.url });
    return server.url;
  } catch (error) {
    if (!isStartError(error)) throw error;
    throw startFailure(error, folder, port);
  }
}

/** The server's reason, said for someone who typed `mesh dev`. */
function startFailure(
  error: { readonly code: string; readonly message: string; readonly help: string },
  folder: DevFolder,
  port: number,
): Error {
  if (error.code === "data-dir.locked") {
    const note = readNote(folder);
    const who = note === undefined ? "" : ` (process ${note.pid}, ${note.url})`;
    return cannot(
      error.code,
      `another mesh dev runs in this folder${who}`,
      "use that one from another shell, or stop it first",
    );
  }
  if (error.code === "listen.in-use") {
    const free = `mesh dev --port ${port === 7373 ? 7374 : 7373}`;
    return cannot(error.code, `port ${port} is in use by another program`, `try ${free}`);
  }
  return cannot(error.code, error.message, error.help);
}

async function applyExample(context: Context, client: MeshClient, image: string): Promise<void> {
  const { s, paint, reader } = context;
  const say = s.terminal.out;
  const module = read(moduleText(image), "Module");
  const cronJob = read(cronJobText(image), "CronJob");
  const applied = await client.applyModule(module);
  await client.assignModule(exampleModule, node);
  say(`module/${exampleModule} ${applied.outcome}: a scheduled container on node ${node}`);
  const scheduled = await client.applyCronJob(namespace, cronJob);
  say(`cronjob/${exampleCronJob} ${scheduled.outcome}: a Job each minute, never two at once`);
  const { nextAt } = await client.cronJob(namespace, exampleCronJob);
  if (nextAt !== undefined) {
    say(paint(`  next at ${nextText(nextAt, { reader, now: s.now() })}`, "dim"));
  }
  const taken = (await client.jobs(namespace)).map(({ state }) => state.job.spec.name);
  const name = nextJobName(taken);
  await client.createJob(namespace, read(jobText(image, name), "Job"));
  say(`job/${name} created: it counts its input, prints a line and ends`);
}

type Parsed = NonNullable<ReturnType<typeof parseManifestYaml>["manifest"]>;

/** The example's own manifest; only an `--image` that is none can make it wrong. */
function read<K extends Parsed["kind"]>(text: string, kind: K): Extract<Parsed, { kind: K }> {
  const { manifest, diagnostics } = parseManifestYaml(text);
  if (manifest?.kind === kind) return manifest as Extract<Parsed, { kind: K }>;
  const problem = diagnostics.find(({ severity }) => severity === "error");
  throw badInput("dev.image", `--image: ${problem?.message ?? "is no image"}`, problem?.help);
}

/** Says what to try next, once: when the first Job has ended and there is a moment to wait. */
function hintsFor(context: Context, client: MeshClient, url: string) {
  const { s, paint, reader } = context;
  const mesh = s.env.npm_lifecycle_event === undefined ? "mesh" : "npx mesh";
  const server = new URL(url).port === "7373" ? "" : ` --server ${url}`;
  let given = false;
  return async (type: string): Promise<void> => {
    if (given || type !== "job.succeeded") return;
    given = true;
    const { nextAt } = await client.cronJob(namespace, exampleCronJob);
    const say = s.terminal.out;
    say("");
    say(paint("That was a Job. Now the schedule; meanwhile, in another shell:", "bold"));
    say(`  ${mesh} get runs${server}`);
    say(`  ${mesh} describe cronjob ${exampleCronJob}${server}`);
    say(`  ${mesh} trigger ${exampleCronJob}${server}`);
    say(`  ${mesh} why ${exampleCronJob}${server}`);
    if (nextAt !== undefined) say(`It fires at ${nextText(nextAt, { reader, now: s.now() })}.`);
    say("Ctrl-C stops everything.");
    say("");
  };
}
