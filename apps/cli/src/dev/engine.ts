import type { AgentConfig, RunningAgent } from "@mesh/agent";
import { findEngine, startAgent } from "@mesh/agent";
import { cannot } from "../command-error.ts";
import type { EngineChoice } from "./dev-options.ts";
import type { Held } from "./held.ts";

type Engine = AgentConfig["engine"];
type AgentBase = Omit<AgentConfig, "engine">;

export interface DevAgent {
  readonly agent: RunningAgent;
  /** The engine in words, and why it is none, if it is none. */
  readonly told: readonly string[];
}

/** How long fetching the example's image may take before plain processes are the better start. */
const pullSeconds = 60;

/**
 * Starts the node's agent: on the container engine that answers, if the example's image is there
 * or can be fetched; otherwise on `raw-exec`, and says what that means (R7).
 */
export async function startDevAgent(
  held: Held,
  base: AgentBase,
  { choice, image, say }: { choice: EngineChoice; image: string; say: (line: string) => void },
): Promise<DevAgent> {
  if (choice === "raw-exec") return onRawExec(held, base, "as asked with --engine raw-exec");
  const found = await findEngine();
  if (found === undefined || (choice !== "auto" && found.kind !== choice)) {
    if (choice === "auto") return onRawExec(held, base, "no Docker Engine or Podman answers here");
    throw cannot(
      "dev.engine",
      `no ${choice} answers on its socket`,
      "start it, or run mesh dev --engine raw-exec to do without containers",
    );
  }
  const { kind, socketPath, version } = found;
  const engine: Engine = { kind, socketPath };
  const { started: agent, stop } = await held.hold(startAgent({ ...base, engine }), stopAll);
  const problem = await imageProblem(agent, image, say);
  if (problem === undefined) return { agent, told: [`${kind} ${version} (${socketPath})`] };
  await stop();
  if (choice === "auto") {
    return onRawExec(held, base, `${kind} ${version} answers, but not with ${image}: ${problem}`);
  }
  throw cannot(
    "dev.image",
    `${kind} has no image ${image} and cannot fetch it: ${problem}`,
    "name one that it has with --image, or use --engine raw-exec",
  );
}

async function onRawExec(held: Held, base: AgentBase, why: string): Promise<DevAgent> {
  // The work is the caller's own here: no other account may enter a private folder of theirs.
  const starting = startAgent({ ...base, engine: { kind: "raw-exec" }, accounts: "own" });
  const { started: agent } = await held.hold(starting, stopAll);
  return {
    agent,
    told: [
      "raw-exec (plain processes)",
      `Without containers: ${why}.`,
      "Work runs as plain processes of yours: no image, no isolation, no limits.",
      "Fine to try Mesh with; a container without a command cannot start at all.",
      "Start Docker or Podman and run this again to have real containers.",
    ],
  };
}

const stopAll = (agent: RunningAgent): Promise<void> => agent.stop({ stopWorkloads: true });

/** Why the engine has no such image, after trying to fetch it; `undefined` when it has it. */
async function imageProblem(
  agent: RunningAgent,
  image: string,
  say: (line: string) => void,
): Promise<string | undefined> {
  if (await agent.hasImage(image)) return undefined;
  say(`fetching ${image} (once; at most ${pullSeconds} s)`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it took over ${pullSeconds} s`), pullSeconds * 1000);
  });
  try {
    const fetched = agent.pull(image).then(
      () => undefined,
      (error: unknown) => firstLine(error),
    );
    return await Promise.race([fetched, late]);
  } finally {
    clearTimeout(timer);
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0] ?? text;
}
