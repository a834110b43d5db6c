import { backoffMs, type Clock, pause } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { messageOf } from "../engine/engine-error.ts";
import { containerLabels, readLabels, writeLabels } from "../engine/labels.ts";
import type { ContainerSpecs, ModuleContainer } from "./container-specs.ts";
import type { Log } from "./log.ts";
import { orAborted } from "./or-aborted.ts";
import type { HostSettings } from "./settings.ts";

/** Containers that stay up: started again when they end, with capped backoff (R1). */
export interface Services {
  /** Has the service run with this content; resolves once it runs, rejects if it cannot start. */
  ensure(container: ModuleContainer): Promise<void>;
  /** Stops with grace and removes every container of the service, whatever its content. */
  remove(module: string, container: string): Promise<void>;
  /** Gives up on starts of a module's services whose content nobody wants any more. */
  supersede(module: string, wanted: ReadonlySet<string>): void;
  /** Resolves when no start is under way. */
  idle(): Promise<void>;
  /** Services that keep ending: they are to be up and are not (A1). */
  troubles(): readonly ServiceTrouble[];
}

export interface ServiceTrouble {
  readonly module: string;
  readonly container: string;
  readonly message: string;
}

/** A service that ran this long has recovered. */
const STEADY_MS = 60_000;
/** So many ends in a row, none after a steady time, are a trouble and no accident. */
const TROUBLE_AFTER = 3;

interface Watch {
  readonly container: ModuleContainer;
  readonly end: AbortController;
  /** Settles when nothing is done for it any more; before that it may still start a container. */
  done: Promise<void>;
  isUp: boolean;
  /** Ends and failed starts since the last steady time. */
  failures: number;
}

export interface ServicesContext {
  readonly engine: Engine;
  readonly specs: ContainerSpecs;
  readonly clock: Clock;
  readonly settings: HostSettings;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called when a service gets into trouble or out of it. */
  readonly onChange: () => void;
}

export function createServices(context: ServicesContext): Services {
  const { engine, settings, signal } = context;
  const watches = new Map<string, Watch>();
  const forget = async (key: string): Promise<void> => {
    const watch = watches.get(key);
    if (watch === undefined) return;
    watch.end.abort();
    // A start that is under way would leave a container behind that nobody looks after.
    await watch.done;
    if (watches.get(key) === watch) watches.delete(key);
  };
  const removeOthers = async (module: string, name: string, keep?: string): Promise<void> => {
    const labels = containerLabels(settings.host, "service", { module, container: name });
    for (const found of await engine.list(labels)) {
      const owner = readLabels(settings.host, found.labels);
      if (owner?.kind !== "service" || owner.hash === keep) continue;
      await engine.stop(found.id, settings.stopGraceSeconds);
      await engine.remove(found.id);
    }
  };
  return {
    ensure: async (container) => {
      const { module, resource } = container;
      const key = `${module} ${resource.name}`;
      const before = watches.get(key);
      // A watched service of this content is started again by its watch, at the watch's pace.
      if (before?.container.resource.hash === resource.hash && !before.end.signal.aborted) return;
      await forget(key);
      await removeOthers(module, resource.name, resource.hash);
      signal.throwIfAborted();
      const watch = newWatch(container, signal);
      watches.set(key, watch);
      const started = start(context, container, watch.end.signal);
      watch.done = started.then(
        (id) => keepUp(context, watch, id),
        () => undefined,
      );
      await started.catch((error: unknown) => {
        watches.delete(key);
        throw error;
      });
    },
    supersede: (module, wanted) => {
      for (const { container, end, isUp } of watches.values()) {
        if (container.module !== module || isUp || wanted.has(container.resource.hash)) continue;
        end.abort(new Error("it is declared no more"));
      }
    },
    idle: async () => {
      await Promise.all([...watches.values()].map(({ done }) => done));
    },
    remove: async (module, name) => {
      await forget(`${module} ${name}`);
      await removeOthers(module, name);
    },
    troubles: () =>
      [...watches.values()]
        .filter(({ failures }) => failures >= TROUBLE_AFTER)
        .map(({ container, failures }) => ({
          module: container.module,
          container: container.resource.name,
          message: `it has ended ${failures} times in a row, each within a minute of its start`,
        })),
  };
}

function newWatch(container: ModuleContainer, signal: AbortSignal): Watch {
  const end = new AbortController();
  signal.addEventListener("abort", () => end.abort(), { signal: end.signal });
  return { container, end, done: Promise.resolve(), isUp: false, failures: 0 };
}

/** Creates and starts the container, or adopts the one that runs, until `signal` aborts. */
async function start(
  context: ServicesContext,
  container: ModuleContainer,
  signal: AbortSignal,
): Promise<string> {
  const { engine, specs } = context;
  const { module, resource } = container;
  const owner = { kind: "service", module, container: resource.name, hash: resource.hash } as const;
  const spec = specs.forModule(container, owner, { attempt: 1, name: resource.name });
  const labels = writeLabels(context.settings.host, owner);
  const [adopted] = await engine.list(labels);
  if (adopted === undefined) await orAborted(engine.ensureImage(spec.image), signal);
  signal.throwIfAborted();
  const id = adopted?.id ?? (await engine.create(spec));
  try {
    signal.throwIfAborted();
    // One that runs is left alone: it is adopted (A7).
    await engine.start(id);
  } catch (error) {
    await engine.remove(id).catch(() => undefined);
    throw error;
  }
  return id;
}

/** Starts the container again after each end, until the watch or the agent ends. */
async function keepUp(context: ServicesContext, watch: Watch, started: string): Promise<void> {
  const { clock, log } = context;
  const { module, resource } = watch.container;
  const place = { module, container: resource.name };
  const { signal } = watch.end;
  watch.isUp = true;
  try {
    let id = started;
    for (;;) {
      await untilEnd(context, watch, id);
      for (let up = false; !up; ) {
        await pause(clock, backoffMs(watch.failures), signal);
        signal.throwIfAborted();
        try {
          id = await start(context, watch.container, signal);
          up = true;
        } catch (error) {
          signal.throwIfAborted();
          setFailures(context, watch, watch.failures + 1);
          log.warn({ ...place, reason: messageOf(error) }, "service does not start");
        }
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    watch.end.abort();
    log.error({ ...place, reason: messageOf(error) }, "lost");
  }
}

async function untilEnd(context: ServicesContext, watch: Watch, id: string): Promise<void> {
  const { engine, clock, log } = context;
  const { module, resource } = watch.container;
  const cancel = clock.after(STEADY_MS, () => setFailures(context, watch, 0));
  const state = await engine.wait(id, watch.end.signal).finally(cancel);
  setFailures(context, watch, watch.failures + 1);
  const end = state.phase === "exited" ? state.exit : state.phase;
  const place = { module, container: resource.name };
  log.warn({ ...place, end, failures: watch.failures }, "service ended");
}

function setFailures({ onChange }: ServicesContext, watch: Watch, failures: number): void {
  const inTrouble = watch.failures >= TROUBLE_AFTER;
  watch.failures = failures;
  if (inTrouble !== failures >= TROUBLE_AFTER) onChange();
}
