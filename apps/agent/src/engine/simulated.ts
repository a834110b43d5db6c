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
}

export function simulatedEngine(options: SimulatedEngineOptions): SimulatedEngine {
  const world = emptyWorld(options);
  const answer = <T>(value: () => T): Promise<T> => {
    check(world);
    return Promise.resolve(value());
  };
  return {
    kind: "simulated",
    version: "1",
    isolates: true,
    calls: world.calls,
    stretches: world.stretches,
    containers: world.containers,
    setAvailable: (available) => {
      world.available = available;
    },
    restart: () => {
      for (const id of world.containers.keys()) endContainer(world, id, code(137));
    },
    end: (id, exit) => endContainer(world, id, exit),
    hasImage: async (image) => answer(() => world.images.has(image)),
    ensureImage: async (image) => {
      check(world);
      if (world.images.has(image)) return;
      record(world, "pull", image);
      const failure = options.pullFailure?.(image);
      if (failure !== undefined) {
        throw new EngineError("neverStarted", `image ${image} cannot be pulled: ${failure}`);
      }
      world.images.add(image);
    },
    create: async (spec) => createContainer(world, spec),
    start: async (id) => startContainer(world, id),
    wait: (id, signal) => waitForEnd(world, id, signal),
    inspect: async (id) => answer(() => world.containers.get(id)?.state),
    stop: (id, graceSeconds) => stopContainer(world, id, graceSeconds),
    remove: (idOrName) => removeContainer(world, idOrName),
    list: async (labels) => {
      check(world);
      return [...world.containers.values()].filter(({ spec }) => carries(spec, labels)).map(owned);
    },
    outputTail: async (id, limit) => {
      check(world);
      return lastCharacters(world.containers.get(id)?.output ?? "", limit);
    },
  };
}

/** What the engine holds, and what happened in it. */
interface SimulatedWorld {
  readonly clock: Clock;
  readonly behave: SimulatedEngineOptions["behave"];
  readonly containers: Map<string, SimulatedContainer>;
  readonly calls: EngineCall[];
  readonly stretches: Stretch[];
  readonly images: Set<string>;
  readonly starts: Map<string, number>;
  readonly waiters: Map<string, Set<Waiter>>;
  available: boolean;
  created: number;
  order: number;
}

type Waiter = (state: ContainerState) => void;

function emptyWorld({ clock, behave }: SimulatedEngineOptions): SimulatedWorld {
  return {
    clock,
    behave,
    containers: new Map(),
    calls: [],
    stretches: [],
    images: new Set(),
    starts: new Map(),
    waiters: new Map(),
    available: true,
    created: 0,
    order: 0,
  };
}

function check(world: SimulatedWorld): void {
  if (!world.available) throw new EngineError("unavailable", "the engine does not answer");
}

function record(world: SimulatedWorld, kind: EngineCall["kind"], name: string): void {
  world.calls.push({ kind, at: world.clock.now(), name });
}

function endContainer(world: SimulatedWorld, id: string, exit: Exit): void {
  const container = world.containers.get(id);
  if (container?.state.phase !== "running") return;
  const { startedAt } = container.state;
  const finishedAt = world.clock.now();
  const started = startedAt === undefined ? {} : { startedAt };
  container.state = { phase: "exited", exit, finishedAt, ...started };
  const stretch = world.stretches.findLast((one) => one.id === id);
  if (stretch !== undefined) {
    stretch.endedAt = finishedAt;
    stretch.endedBefore = world.order++;
    if (exit.kind === "code") stretch.exitCode = exit.exitCode;
  }
  for (const waiter of world.waiters.get(id) ?? []) waiter(container.state);
  world.waiters.delete(id);
}

function createContainer(world: SimulatedWorld, spec: ContainerSpec): string {
  check(world);
  record(world, "create", spec.name);
  for (const one of world.containers.values()) {
    if (one.spec.name !== spec.name) continue;
    if (carries(one.spec, spec.labels)) return one.id;
    throw new EngineError("neverStarted", `the name ${spec.name} is taken`);
  }
  world.created += 1;
  const id = `c${world.created}`;
  const state: ContainerState = { phase: "created" };
  world.containers.set(id, { id, spec, state, behaviour: {}, files: new Map(), output: "" });
  return id;
}

function startContainer(world: SimulatedWorld, id: string): void {
  check(world);
  const container = world.containers.get(id);
  if (container === undefined) throw new EngineError("neverStarted", `no container ${id}`);
  if (container.state.phase === "running") return;
  const { spec } = container;
  record(world, "start", spec.name);
  const nth = (world.starts.get(spec.name) ?? 0) + 1;
  world.starts.set(spec.name, nth);
  container.behaviour = world.behave(container, nth);
  const { refused, afterMs, exitCode, outOfMemory, output } = container.behaviour;
  if (refused !== undefined) throw new EngineError("neverStarted", refused);
  const startedAt = world.clock.now();
  const state: ContainerState = { phase: "running", startedAt };
  container.state = state;
  container.output += output ?? "";
  const endedBefore = Number.POSITIVE_INFINITY;
  world.stretches.push({ id, spec, startedAt, begun: world.order++, endedBefore });
  if (afterMs === undefined) return;
  world.clock.after(afterMs, () => {
    if (container.state === state) endContainer(world, id, code(exitCode ?? 0, outOfMemory));
  });
}

function waitForEnd(
  world: SimulatedWorld,
  id: string,
  signal: AbortSignal,
): Promise<ContainerState> {
  return new Promise((resolve, reject) => {
    const state = world.containers.get(id)?.state ?? GONE;
    if (signal.aborted) return reject(signal.reason);
    if (state.phase !== "running") return resolve(state);
    const waiters = world.waiters.get(id) ?? new Set();
    const giveUp = (): void => {
      waiters.delete(end);
      reject(signal.reason);
    };
    const end: Waiter = (ended) => {
      signal.removeEventListener("abort", giveUp);
      resolve(ended);
    };
    world.waiters.set(id, waiters.add(end));
    signal.addEventListener("abort", giveUp);
  });
}

async function stopContainer(
  world: SimulatedWorld,
  id: string,
  graceSeconds: number,
): Promise<void> {
  check(world);
  const container = world.containers.get(id);
  if (container?.state.phase !== "running") return;
  record(world, "stop", container.spec.name);
  const { ignoresStop, stopCode } = container.behaviour;
  if (ignoresStop !== true) return endContainer(world, id, code(stopCode ?? 143));
  const end = waitForEnd(world, id, new AbortController().signal);
  const cancel = world.clock.after(graceSeconds * 1000, () => endContainer(world, id, code(137)));
  await end;
  cancel();
}

async function removeContainer(world: SimulatedWorld, idOrName: string): Promise<void> {
  check(world);
  const all = [...world.containers.values()];
  const container = all.find(({ id, spec }) => id === idOrName || spec.name === idOrName);
  if (container === undefined) return;
  record(world, "remove", container.spec.name);
  endContainer(world, container.id, code(137));
  world.containers.delete(container.id);
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
