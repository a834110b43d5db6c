import { setMaxListeners } from "node:events";
import type { NodeStatus, PollAnswer, RegisterRequest } from "@mesh/protocol";
import type { Clock } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { messageOf } from "../engine/engine-error.ts";
import { hostLabels } from "../engine/labels.ts";
import type { ModuleFiles } from "../files/module-files.ts";
import type { Journal } from "../journal/journal.ts";
import { judgeDeclaration } from "../link/judge.ts";
import { type AgentClient, createLink } from "../link/link.ts";
import type { Accounts } from "./accounts.ts";
import { createAppliers } from "./appliers.ts";
import { createContainerSpecs } from "./container-specs.ts";
import { createConverger, type Problem } from "./converge.ts";
import { createLeaseGuard } from "./lease-guard.ts";
import type { Log } from "./log.ts";
import { persist } from "./persist.ts";
import { recover } from "./recover.ts";
import { createRuns } from "./runs.ts";
import { createSchedules } from "./schedules.ts";
import type { Secrets } from "./secrets.ts";
import { createServices } from "./services.ts";
import type { HostSettings } from "./settings.ts";
import { createTasks } from "./tasks.ts";

/** Everything a host works with; the outside is all in here. */
export interface HostParts {
  readonly settings: HostSettings;
  readonly engine: Engine;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly files: ModuleFiles;
  readonly accounts: Accounts;
  readonly secrets: Secrets;
  readonly client: AgentClient;
  readonly log: Log;
}

export interface Host {
  status(): NodeStatus;
  /** Resolves with the reason if the agent had to end by itself. */
  readonly failed: Promise<unknown>;
  /**
   * Ends the agent; its containers go on and are adopted at the next start (A7), or, with
   * `stopWorkloads`, are stopped and removed first, and what became of them is reported.
   */
  stop(options?: { readonly stopWorkloads?: boolean | undefined }): Promise<void>;
}

/** How long a stop waits for the server to take the last reports. */
const FLUSH_MS = 2000;

/** Wires a host together and starts it: it goes on with what its journal holds, link or no link. */
export function startHost(parts: HostParts): Host {
  const { settings, engine, journal, clock, log } = parts;
  const ending = new AbortController();
  const intake = new AbortController();
  const signal = ending.signal;
  const accepting = intake.signal;
  // Everything that waits listens for the end, so there is no usual number of listeners.
  setMaxListeners(0, signal, accepting);
  let refusal: Problem | undefined;
  let held: { answer: PollAnswer; askedAt: number } | undefined;
  let recovered = false;

  const specs = createContainerSpecs(settings, parts.files, parts.accounts);
  let tell: (error: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    tell = resolve;
  });
  // An agent that cannot write its records must not go on: what it did would be forgotten. Its
  // containers do, and the next start adopts them.
  const onFatal = (error: unknown): void => {
    log.error({ reason: messageOf(error) }, "the journal cannot be written: the agent ends");
    intake.abort();
    ending.abort();
    tell(error);
  };
  const common = { ...parts, specs, signal, onFatal, onReport: () => link.reportSoon() };
  const onChange = (): void => link.beatSoon();
  const runs = createRuns(common);
  const services = createServices({ ...common, signal: accepting, onChange });
  const schedules = createSchedules({ ...common, runs, signal: accepting });
  const appliers = createAppliers({ ...parts, services, schedules, runs });
  const converger = createConverger({
    ...parts,
    appliers,
    node: settings.node,
    signal: accepting,
    onChange,
    onFatal,
  });
  const guard = createLeaseGuard({
    clock,
    journal,
    settings,
    signal: accepting,
    onLapse: (graceSeconds) => tasks.stopAll("nodeLost", graceSeconds),
  });
  const tasks = createTasks({ ...common, holdsLease: guard.holds });

  const status = (): NodeStatus => {
    const { generation, applied, problems } = converger.progress();
    const troubles = services.troubles().map(({ module, container, message }) => ({
      module,
      key: `container:${container}`,
      code: "service.keeps-ending",
      message,
    }));
    const all = [...problems, ...troubles, ...(refusal === undefined ? [] : [refusal])];
    return { generation, applied, current: applied && all.length === 0, problems: all };
  };
  const take = ({ answer, askedAt }: { answer: PollAnswer; askedAt: number }): void => {
    const { declaration } = answer;
    if (declaration !== undefined) takeDeclaration(declaration);
    tasks.take(answer.tasks, { askedAt });
  };
  const takeDeclaration = (value: unknown): void => {
    const { generation } = converger.progress();
    const judged = judgeDeclaration(value, { bound: settings.bound, generation });
    if (judged.ok) {
      refusal = undefined;
      converger.take(judged.declaration);
      return;
    }
    const { code, message, diagnostics } = judged.refusal;
    log.error({ code, diagnostics }, `a declaration was refused whole: ${message}`);
    refusal = { module: moduleAt(value, diagnostics[0]?.pointer), code, message };
    onChange();
  };
  const link = createLink({
    client: parts.client,
    registration: registrationOf(settings, engine),
    journal,
    clock,
    log,
    signal: accepting,
    status,
    generation: () => converger.progress().generation,
    onLease: guard.granted,
    onPoll: (answer, { askedAt }) => {
      if (recovered) take({ answer, askedAt });
      else held = { answer, askedAt };
    },
    onAcknowledged: tasks.afterAcknowledgement,
  });

  const begin = async (): Promise<void> => {
    await recover({ ...parts, signal, runs, tasks });
    if (accepting.aborted) return;
    recovered = true;
    tasks.afterAcknowledgement();
    guard.start();
    schedules.start();
    converger.resume();
    if (held !== undefined) take(held);
    held = undefined;
  };
  const begun = begin().catch((error: unknown) => {
    if (!signal.aborted) onFatal(error);
  });
  const linked = link.run();

  return {
    status,
    failed,
    stop: async ({ stopWorkloads = false } = {}) => {
      intake.abort();
      if (stopWorkloads) {
        await begun;
        await stopEverything();
        let cancel = (): void => {};
        const patience = new Promise((resolve) => {
          cancel = clock.after(FLUSH_MS, () => resolve(undefined));
        });
        await Promise.race([link.flush().catch(() => undefined), patience]);
        // A timer that is left keeps the process alive for as long.
        cancel();
      }
      ending.abort();
      await Promise.allSettled([begun, linked, runs.idle()]);
      journal.close();
    },
  };

  async function stopEverything(): Promise<void> {
    await Promise.allSettled([
      ...runs.active().map(({ run }) => runs.stop(run.runId, "agentStops")),
      tasks.stopAll("agentStops", settings.stopGraceSeconds),
    ]);
    const left = await persist(clock, signal, () => engine.list(hostLabels(settings.host)));
    await Promise.allSettled(
      left.map(async ({ id }) => {
        await engine.stop(id, settings.stopGraceSeconds);
        await engine.remove(id);
      }),
    );
  }
}

function registrationOf(settings: HostSettings, engine: Engine): RegisterRequest {
  const { node, labels, capacity, agentVersion, zoneData } = settings;
  const { kind, version } = engine;
  return {
    node,
    labels: { ...labels },
    capacity,
    engine: { kind, version },
    agentVersion,
    zoneData,
  };
}

/** The module that a refusal is about, if it is about one. */
function moduleAt(value: unknown, pointer: string | undefined): string {
  const index = /^\/modules\/([0-9]+)/.exec(pointer ?? "")?.[1];
  const modules = (value as { modules?: unknown } | null)?.modules;
  if (index === undefined || !Array.isArray(modules)) return "*";
  const name: unknown = modules[Number(index)]?.module;
  return typeof name === "string" && name !== "" ? name.slice(0, 253) : "*";
}
