import { setMaxListeners } from "node:events";
import type { NodeStatus, RegisterRequest } from "@mesh/protocol";
import type { Clock } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { messageOf } from "../engine/engine-error.ts";
import { hostLabels } from "../engine/labels.ts";
import type { ModuleFiles } from "../files/module-files.ts";
import { guardedJournal } from "../journal/guarded-journal.ts";
import type { Journal } from "../journal/journal.ts";
import { createBell } from "../link/bell.ts";
import { type AgentClient, createLink } from "../link/link.ts";
import type { Accounts } from "./accounts.ts";
import { createAppliers } from "./appliers.ts";
import { createContainerSpecs } from "./container-specs.ts";
import { createConverger } from "./converge.ts";
import { createIntake } from "./intake.ts";
import { createLeaseGuard } from "./lease-guard.ts";
import type { Log } from "./log.ts";
import { persist } from "./persist.ts";
import { recover } from "./recover.ts";
import { createRuns, type Runs } from "./runs.ts";
import { createSchedules } from "./schedules.ts";
import type { Secrets } from "./secrets.ts";
import { createServices } from "./services.ts";
import type { HostSettings } from "./settings.ts";
import { createTasks, type Tasks } from "./tasks.ts";

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

/** Starts a host: it goes on with what its journal holds, link or no link. */
export function startHost(outside: HostParts): Host {
  const { clock, log } = outside;
  const end = createEnd(log);
  const journal = guardedJournal(outside.journal, end.fail);
  const parts = { ...outside, journal };
  const { runs, tasks, services, link, intake, begin } = wire(parts, end);
  const begun = begin().catch(end.fail);
  const linked = link.run();
  return {
    status: intake.status,
    failed: end.failed,
    stop: async ({ stopWorkloads = false } = {}) => {
      end.stopAccepting();
      if (stopWorkloads) {
        await begun;
        await services.idle();
        await stopEverything(parts, runs, tasks, end.signal);
        let cancel = (): void => {};
        const patience = new Promise<void>((resolve) => {
          cancel = clock.after(FLUSH_MS, resolve);
        });
        await Promise.race([link.flush().catch(() => undefined), patience]);
        // A timer that is left keeps the process alive for as long.
        cancel();
      }
      end.stop();
      await Promise.allSettled([begun, linked, runs.idle()]);
      journal.close();
    },
  };
}

/** How a host ends: it first takes nothing new, and then lets go of what goes on. */
interface End {
  /** Aborts when nothing new is begun any more. */
  readonly accepting: AbortSignal;
  /** Aborts when the agent lets go; containers go on. */
  readonly signal: AbortSignal;
  readonly failed: Promise<unknown>;
  stopAccepting(): void;
  stop(): void;
  fail(error: unknown): void;
}

function createEnd(log: Log): End {
  const intake = new AbortController();
  const ending = new AbortController();
  // Everything that waits listens for the end, so there is no usual number of listeners.
  setMaxListeners(0, intake.signal, ending.signal);
  let tell: (error: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    tell = resolve;
  });
  const stop = (): void => {
    intake.abort();
    ending.abort();
  };
  return {
    accepting: intake.signal,
    signal: ending.signal,
    failed,
    stopAccepting: () => intake.abort(),
    stop,
    // An agent that cannot write its records must not go on: what it did would be forgotten. Its
    // containers do, and the next start adopts them.
    fail: (error) => {
      if (ending.signal.aborted) return;
      log.error({ reason: messageOf(error) }, "the journal cannot be used: the agent ends");
      stop();
      tell(error);
    },
  };
}

/** Puts the host's rooms together; each knows only those that it is given here. */
function wire(parts: HostParts, end: End) {
  const { settings, journal, clock } = parts;
  const { signal, accepting, fail: onFatal } = end;
  const [reports, beats] = [createBell(), createBell()];
  const specs = createContainerSpecs(settings, parts.files, parts.accounts);
  const common = { ...parts, specs, signal, onFatal, onReport: reports.ring };
  const onChange = beats.ring;
  const runs = createRuns(common);
  const services = createServices({ ...common, signal: accepting, onChange });
  const schedules = createSchedules({ ...common, runs, signal: accepting });
  const appliers = createAppliers({ ...parts, services, schedules, runs });
  const { node } = settings;
  const converging = { ...parts, appliers, node, signal: accepting, onChange, onFatal };
  const converger = createConverger(converging);
  const guard = createLeaseGuard({
    clock,
    journal,
    settings,
    signal: accepting,
    onLapse: (graceSeconds) => tasks.stopAll("nodeLost", graceSeconds),
  });
  const tasks = createTasks({ ...common, holdsLease: guard.holds });
  const intake = createIntake({ ...parts, converger, services, tasks, onChange });
  const link = createLink({
    ...parts,
    registration: registrationOf(settings, parts.engine),
    signal: accepting,
    reports,
    beats,
    status: intake.status,
    generation: () => converger.progress().generation,
    onLease: guard.granted,
    onPoll: intake.take,
    onAcknowledged: tasks.afterAcknowledgement,
  });
  const begin = async (): Promise<void> => {
    await recover({ ...parts, signal, runs, tasks });
    if (accepting.aborted) return;
    tasks.afterAcknowledgement();
    guard.start();
    schedules.start();
    converger.resume();
    intake.open();
  };
  return { runs, tasks, services, link, intake, begin };
}

async function stopEverything(
  { engine, clock, settings }: HostParts,
  runs: Runs,
  tasks: Tasks,
  signal: AbortSignal,
): Promise<void> {
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
