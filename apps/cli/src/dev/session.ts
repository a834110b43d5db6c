import type { CronJobManifest, Manifest, ModuleManifest } from "@mesh/declaration";
import { parseManifestYaml } from "@mesh/declaration/yaml";
import type { ApplyAnswer, EventView, MeshClient } from "@mesh/protocol";
import { createClient } from "@mesh/protocol";
import { isStartError, startServer } from "@mesh/server";
import { badInput, cannot } from "../command-error.ts";
import type { Context } from "../context.ts";
import { defaultServer } from "../context.ts";
import { followEvents, newestEvent } from "../events/follow.ts";
import { createNarrator, nextText } from "../events/narrator.ts";
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
import type { Held } from "./held.ts";
import { holdStarted } from "./held.ts";

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
  const asked = s.stopAsked().then(() => leaving.abort());
  try {
    const work = runUntilAsked(context, options, { held, signal: leaving.signal });
    // A start that is under way when the signal comes may end in any way: it is stopped anyhow.
    await Promise.race([work, asked]);
  } finally {
    leaving.abort();
    await held.close();
  }
  s.terminal.out("");
  s.terminal.out("Stopped: the node's work, the node and the server. ./.mesh keeps the state.");
}

async function runUntilAsked(
  context: Context,
  options: DevOptions,
  { held, signal }: { held: Held; signal: AbortSignal },
): Promise<undefined> {
  const { s, paint, reader } = context;
  const say = (line: string): void => {
    if (!signal.aborted) s.terminal.out(line);
  };
  const manifests = exampleManifests(options.image);
  const folder = openDevFolder(s.workingDirectory);
  const url = await startDevServer(held, folder, { port: options.port, pid: s.processId });
  if (signal.aborted) return;
  const client = createClient({ baseUrl: url, fetch: s.fetch });
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
  await applyExample(context, client, manifests);
  // What happened up to here has been told; the Job's own events come next.
  const after = await newestEvent(client);
  const job = await createExampleJob(context, client, options.image);
  say("");
  const narrator = createNarrator({ client, say, paint, reader, now: s.now });
  narrator.announce(job);
  const hints = hintsFor(context, client, { url, job });
  await followEvents(client, {
    after,
    signal,
    tell: async (event) => {
      await narrator.tell(event);
      await hints(event);
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
    const { started } = await held.hold(starting, async (running) => {
      removeNote(folder);
      await running.stop();
    });
    writeNote(folder, { pid, url: started.url });
    return started.url;
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
    const free = `--port ${port === 7373 ? 7374 : 7373}`;
    return cannot(
      error.code,
      `port ${port} is in use by another program`,
      `try mesh dev ${free} (npm start -- ${free} in a clone)`,
    );
  }
  return cannot(error.code, error.message, error.help);
}

async function applyExample(
  context: Context,
  client: MeshClient,
  { module, cronJob }: ReturnType<typeof exampleManifests>,
): Promise<void> {
  const { s, paint, reader } = context;
  const say = s.terminal.out;
  const said = (outcome: ApplyAnswer["outcome"]): string =>
    outcome === "updated" ? "put back as the example has it" : outcome;
  const applied = await client.applyModule(module);
  await client.assignModule(exampleModule, node);
  say(`module/${exampleModule} ${said(applied.outcome)}: a scheduled container on node ${node}`);
  const scheduled = await client.applyCronJob(namespace, cronJob);
  say(
    `cronjob/${exampleCronJob} ${said(scheduled.outcome)}: a Job each minute, unless one is active`,
  );
  const { nextAt } = await client.cronJob(namespace, exampleCronJob);
  if (nextAt !== undefined) {
    say(paint(`  next at ${nextText(nextAt, { reader, now: s.now() })}`, "dim"));
  }
}

async function createExampleJob(
  context: Context,
  client: MeshClient,
  image: string,
): Promise<string> {
  const taken = (await client.jobs(namespace)).map(({ state }) => state.job.spec.name);
  const name = nextJobName(taken);
  await client.createJob(namespace, read(jobText(image, name), "Job"));
  context.s.terminal.out(`job/${name} created: it counts its input, prints a line and ends`);
  return name;
}

/** The example's manifests; only an `--image` that is none, or is not pinned, makes them wrong. */
function exampleManifests(image: string): { module: ModuleManifest; cronJob: CronJobManifest } {
  return {
    module: read(moduleText(image), "Module"),
    cronJob: read(cronJobText(image), "CronJob"),
  };
}

function read<K extends Manifest["kind"]>(text: string, kind: K): Extract<Manifest, { kind: K }> {
  const { manifest, diagnostics } = parseManifestYaml(text);
  if (manifest?.kind === kind) return manifest as Extract<Manifest, { kind: K }>;
  const problem = diagnostics.find(({ severity }) => severity === "error");
  throw badInput("dev.image", `--image: ${problem?.message ?? "is no image"}`, problem?.help);
}

/** Says what to try next, once: when the first Job has ended and there is a moment to wait. */
function hintsFor(
  context: Context,
  client: MeshClient,
  { url, job }: { readonly url: string; readonly job: string },
): (event: EventView) => Promise<void> {
  const { s, paint, reader } = context;
  const mesh = s.env.npm_lifecycle_event === undefined ? "mesh" : "npx mesh";
  let given = false;
  return async ({ type, subject }) => {
    const ended = type === "job.succeeded" || type === "job.failed";
    if (given || !ended || subject.name !== job) return;
    given = true;
    const { nextAt } = await client.cronJob(namespace, exampleCronJob);
    const say = s.terminal.out;
    say("");
    say(paint("That was a Job. Next is the schedule; meanwhile, in another shell:", "bold"));
    if (url !== defaultServer) say(`  export MESH_SERVER=${url}`);
    say(`  ${mesh} describe job ${job}`);
    say(`  ${mesh} get runs`);
    say(`  ${mesh} why ${exampleCronJob}`);
    say(`  ${mesh} trigger ${exampleCronJob}`);
    const next =
      nextAt === undefined ? "" : `It fires at ${nextText(nextAt, { reader, now: s.now() })}. `;
    say(`${next}Ctrl-C stops everything.`);
    say("");
  };
}
