import type { Clock } from "../clock.ts";
import type {
  ContainerSpec,
  ContainerState,
  Engine,
  Exit,
  Labels,
  OwnedContainer,
} from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { lastCharacters } from "./output.ts";

/** What a simulated container does once started. */
export interface Behaviour {
  /** The engine refuses to start it, with this reason. */
  readonly refused?: string;
  /** Ends by itself after so long; absent: it runs until it is stopped. */
  readonly afterMs?: number;
  readonly exitCode?: number;
  readonly outOfMemory?: boolean;
  /** Takes no notice of being asked to end. */
  readonly ignoresStop?: boolean;
  /** The exit code when it is asked to end; 143 if absent. */
  readonly stopCode?: number;
  readonly output?: string;
}

export interface SimulatedContainer {
  readonly id: string;
  readonly spec: ContainerSpec;
  state: ContainerState;
  behaviour: Behaviour;
  /** What it wrote outside its mounts; gone with the container. */
  readonly files: Map<string, string>;
  output: string;
}

/** One stretch of time in which a container ran. */
export interface Stretch {
  readonly id: string;
  readonly spec: ContainerSpec;
  readonly startedAt: number;
  /** Place in the order of all beginnings and ends, whatever the wall clock did. */
  readonly begun: number;
  endedBefore: number;
  endedAt?: number;
  exitCode?: number;
}

export interface EngineCall {
  readonly kind: "pull" | "create" | "start" | "stop" | "remove";
  readonly at: number;
  readonly name: string;
}

/** An engine in memory on a virtual clock, which outlives the agents that use it. */
export interface SimulatedEngine extends Engine {
  readonly calls: readonly EngineCall[];
  readonly stretches: readonly Stretch[];
  readonly containers: ReadonlyMap<string, SimulatedContainer>;
  /** While false every call fails as if nobody listened. */
  setAvailable(available: boolean): void;
  /** Ends everything that runs, as an engine does that restarts: code 137. */
  restart(): void;
  /** Ends one container from outside, with a code or in a way that nobody can tell. */
  end(id: string, exit: Exit): void;
}

export interface SimulatedEngineOptions {
  readonly clock: Clock;
  /** Decides what the nth start (from 1) of a container does. */
  readonly behave: (container: SimulatedContainer, nth: number) => Behaviour;
  /** Why an image cannot be pulled; `undefined` when it can. */
  readonly pullFailure?: (image: string) => string | undefined;
  readonly kind?: Engine["kind"];
}

export function simulatedEngine(options: SimulatedEngineOptions): SimulatedEngine {
  const world = createWorld(options);
  const { clock } = options;
  return {
    kind: options.kind ?? "simulated",
    version: "1",
    isolates: true,
    calls: world.calls,
    stretches: world.stretches,
    containers: world.containers,
    setAvailable: world.setAvailable,
    restart: () => {
      for (const { id, state } of world.containers.values()) {
        if (state.phase === "running") world.end(id, code(137));
      }
    },
    end: world.end,
    hasImage: async (image) => world.images.has(image),
    ensureImage: async (image) => {
      world.check();
      if (world.images.has(image)) return;
      world.record("pull", image);
      const failure = options.pullFailure?.(image);
      if (failure !== undefined) {
        throw new EngineError("neverStarted", `image ${image} cannot be pulled: ${failure}`);
      }
      world.images.add(image);
    },
    create: async (spec) => world.create(spec),
    start: async (id) => world.start(id),
    wait: (id, signal) => world.wait(id, signal),
    inspect: async (id) => {
      world.check();
      return world.containers.get(id)?.state;
    },
    stop: (id, graceSeconds) => {
      world.check();
      const container = world.containers.get(id);
      if (container === undefined || container.state.phase !== "running") return Promise.resolve();
      world.record("stop", container.spec.name);
      const { ignoresStop, stopCode } = container.behaviour;
      if (ignoresStop !== true) return Promise.resolve(world.end(id, code(stopCode ?? 143)));
      return new Promise((resolve) => {
        const cancel = clock.after(graceSeconds * 1000, () => world.end(id, code(137)));
        void world.wait(id, new AbortController().signal).then(() => {
          cancel();
          resolve();
        });
      });
    },
    remove: async (idOrName) => {
      world.check();
      const all = [...world.containers.values()];
      const container = all.find(({ id, spec }) => id === idOrName || spec.name === idOrName);
      if (container === undefined) return;
      const { id } = container;
      world.record("remove", container.spec.name);
      if (container.state.phase === "running") world.end(id, code(137));
      world.containers.delete(id);
    },
    list: async (labels) => {
      world.check();
      return [...world.containers.values()].filter(({ spec }) => carries(spec, labels)).map(owned);
    },
    outputTail: async (id, limit) => {
      world.check();
      return lastCharacters(world.containers.get(id)?.output ?? "", limit);
    },
  };
}

type Waiter = (state: ContainerState) => void;

function createWorld(options: SimulatedEngineOptions) {
  const { clock, behave } = options;
  const containers = new Map<string, SimulatedContainer>();
  const calls: EngineCall[] = [];
  const stretches: Stretch[] = [];
  const starts = new Map<string, number>();
  const waiters = new Map<string, Set<Waiter>>();
  let available = true;
  let created = 0;
  let order = 0;
  const check = (): void => {
    if (!available) throw new EngineError("unavailable", "the engine does not answer");
  };
  const record = (kind: EngineCall["kind"], name: string): void => {
    calls.push({ kind, at: clock.now(), name });
  };
  const end = (id: string, exit: Exit): void => {
    const container = containers.get(id);
    if (container?.state.phase !== "running") return;
    const { startedAt } = container.state;
    const finishedAt = clock.now();
    container.state = {
      phase: "exited",
      exit,
      finishedAt,
      ...(startedAt === undefined ? {} : { startedAt }),
    };
    const stretch = stretches.findLast((one) => one.id === id);
    if (stretch !== undefined) {
      stretch.endedAt = finishedAt;
      stretch.endedBefore = order++;
      if (exit.kind === "code") stretch.exitCode = exit.exitCode;
    }
    for (const waiter of waiters.get(id) ?? []) waiter(container.state);
    waiters.delete(id);
  };
  const create = (spec: ContainerSpec): string => {
    check();
    record("create", spec.name);
    for (const one of containers.values()) {
      if (one.spec.name !== spec.name) continue;
      if (carries(one.spec, spec.labels)) return one.id;
      throw new EngineError("neverStarted", `the name ${spec.name} is taken`);
    }
    created += 1;
    const id = `c${created}`;
    const state: ContainerState = { phase: "created" };
    containers.set(id, { id, spec, state, behaviour: {}, files: new Map(), output: "" });
    return id;
  };
  const start = (id: string): void => {
    check();
    const container = containers.get(id);
    if (container === undefined) throw new EngineError("neverStarted", `no container ${id}`);
    if (container.state.phase === "running") return;
    record("start", container.spec.name);
    const nth = (starts.get(container.spec.name) ?? 0) + 1;
    starts.set(container.spec.name, nth);
    container.behaviour = behave(container, nth);
    const { refused, afterMs, exitCode, outOfMemory, output } = container.behaviour;
    if (refused !== undefined) throw new EngineError("neverStarted", refused);
    const startedAt = clock.now();
    container.state = { phase: "running", startedAt };
    container.output += output ?? "";
    stretches.push({
      id,
      spec: container.spec,
      startedAt,
      begun: order++,
      endedBefore: Number.POSITIVE_INFINITY,
    });
    if (afterMs === undefined) return;
    const exit = code(exitCode ?? 0, outOfMemory);
    const mine = container.state;
    clock.after(afterMs, () => {
      if (containers.get(id)?.state === mine) end(id, exit);
    });
  };
  const wait = (id: string, signal: AbortSignal): Promise<ContainerState> =>
    new Promise((resolve, reject) => {
      const state = containers.get(id)?.state ?? GONE;
      if (signal.aborted) return reject(signal.reason);
      if (state.phase !== "running") return resolve(state);
      const set = waiters.get(id) ?? new Set();
      const giveUp = (): void => {
        set.delete(end);
        reject(signal.reason);
      };
      const end: Waiter = (ended) => {
        signal.removeEventListener("abort", giveUp);
        resolve(ended);
      };
      waiters.set(id, set.add(end));
      signal.addEventListener("abort", giveUp);
    });
  return {
    containers,
    calls,
    stretches,
    images: new Set<string>(),
    check,
    record,
    end,
    create,
    start,
    wait,
    setAvailable: (value: boolean) => {
      available = value;
    },
  };
}

const GONE: ContainerState = {
  phase: "exited",
  exit: { kind: "unknown", message: "the container is gone" },
};

function code(exitCode: number, outOfMemory = false): Exit {
  return { kind: "code", exitCode, outOfMemory };
}

function carries(spec: ContainerSpec, labels: Labels): boolean {
  return Object.entries(labels).every(([key, value]) => spec.labels[key] === value);
}

function owned(container: SimulatedContainer): OwnedContainer {
  return { id: container.id, labels: container.spec.labels };
}
