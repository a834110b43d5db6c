import { backoffMs, type Clock, pause } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { messageOf } from "../engine/engine-error.ts";
import { containerLabels, readLabels, writeLabels } from "../engine/labels.ts";
import type { ContainerSpecs, ModuleContainer } from "./container-specs.ts";
import type { Log } from "./log.ts";
import type { HostSettings } from "./settings.ts";

/** Containers that stay up: started again when they end, with capped backoff (R1). */
export interface Services {
  /** Has the service run with this content; resolves once it runs, rejects if it cannot start. */
  ensure(container: ModuleContainer): Promise<void>;
  /** Stops with grace and removes every container of the service, whatever its content. */
  remove(module: string, container: string): Promise<void>;
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
  readonly id: string;
  readonly end: AbortController;
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
  const forget = (key: string): void => {
    watches.get(key)?.end.abort();
    watches.delete(key);
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
      const watch = watches.get(key);
      // A watched service of this content is started again by its watch, at the watch's pace.
      if (watch?.container.resource.hash === resource.hash && !watch.end.signal.aborted) return;
      forget(key);
      await removeOthers(module, resource.name, resource.hash);
      const id = await start(context, container);
      signal.throwIfAborted();
      const end = new AbortController();
      signal.addEventListener("abort", () => end.abort(), { signal: end.signal });
      const fresh: Watch = { container, id, end, failures: 0 };
      watches.set(key, fresh);
      keepUp(context, fresh).catch((error: unknown) => {
        if (end.signal.aborted || signal.aborted) return;
        end.abort();
        context.log.error({ module, container: resource.name, reason: messageOf(error) }, "lost");
      });
    },
    remove: async (module, name) => {
      forget(`${module} ${name}`);
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

async function start(context: ServicesContext, container: ModuleContainer): Promise<string> {
  const { engine, specs } = context;
  const { module, resource } = container;
  const owner = { kind: "service", module, container: resource.name, hash: resource.hash } as const;
  const spec = specs.forModule(container, owner, { attempt: 1, name: resource.name });
  const labels = writeLabels(context.settings.host, owner);
  const [adopted] = await engine.list(labels);
  if (adopted === undefined) await engine.ensureImage(spec.image);
  const id = adopted?.id ?? (await engine.create(spec));
  try {
    // One that runs is left alone: it is adopted (A7).
    await engine.start(id);
  } catch (error) {
    await engine.remove(id).catch(() => undefined);
    throw error;
  }
  return id;
}

/** Starts the container again after each end, until the watch or the agent ends. */
async function keepUp(context: ServicesContext, watch: Watch): Promise<void> {
  const { engine, clock, log } = context;
  const { module, resource } = watch.container;
  const place = { module, container: resource.name };
  const { signal } = watch.end;
  let id = watch.id;
  for (;;) {
    const cancel = clock.after(STEADY_MS, () => setFailures(context, watch, 0));
    const state = await engine.wait(id, signal).finally(cancel);
    setFailures(context, watch, watch.failures + 1);
    const end = state.phase === "exited" ? state.exit : state.phase;
    log.warn({ ...place, end, failures: watch.failures }, "service ended");
    for (let up = false; !up; ) {
      await pause(clock, backoffMs(watch.failures), signal);
      signal.throwIfAborted();
      try {
        id = await start(context, watch.container);
        up = true;
      } catch (error) {
        setFailures(context, watch, watch.failures + 1);
        log.warn({ ...place, reason: messageOf(error) }, "service does not start");
      }
    }
  }
}

function setFailures({ onChange }: ServicesContext, watch: Watch, failures: number): void {
  const inTrouble = watch.failures >= TROUBLE_AFTER;
  watch.failures = failures;
  if (inTrouble !== failures >= TROUBLE_AFTER) onChange();
}
