import type { ZoneSource } from "@mesh/cron";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { type Ceilings, createStartRate } from "./ceilings.ts";
import type { Clock } from "./clock.ts";
import { runCronPass } from "./controllers/cron.ts";
import { runHousekeeping } from "./controllers/housekeeping.ts";
import { runJobWakes } from "./controllers/job-wakes.ts";
import { runLeases, watchSteps } from "./controllers/leases.ts";
import { type Loop, startLoop } from "./controllers/loop.ts";
import { runPlacement } from "./controllers/placement.ts";
import { buildApp } from "./http/app.ts";
import type { AuthOptions } from "./http/auth.ts";
import { ensureNamespace } from "./store/namespaces.ts";
import type { Store, Topic } from "./store/store.ts";
import { createWaiters } from "./waiters.ts";

/** The namespace that always exists (S6). */
const DEFAULT_NAMESPACE = "default";

/** The controllers and the API over one store: everything but the socket. */
export interface ControlPlane {
  readonly app: FastifyInstance;
  /** Settles when no controller has anything to do now. */
  idle(): Promise<void>;
  /** Answers requests that wait, now and from here on at once. */
  stopWaiting(): void;
  /** Ends waiting requests and controllers; the store stays open. */
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newId: () => string;
  readonly leaseSeconds: number;
  readonly zones: ZoneSource;
  readonly auth: AuthOptions;
  readonly ceilings?: Ceilings | undefined;
}

/** Starts the controllers (S8) and builds the API. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { store, clock, log, newId, leaseSeconds, zones, auth } = options;
  await store.write((tx) => ensureNamespace(tx, DEFAULT_NAMESPACE, clock.now()));
  const waiters = createWaiters(store, clock);
  const stepped = watchSteps(clock, store);
  const followSteps = async (): Promise<void> => {
    const step = await stepped();
    if (step !== 0) log.warn({ stepMs: step }, "the wall clock stepped; leases move with it");
  };
  const loops = startControllers({ ...options, followSteps });
  const quiet = store.onCommit((topics) => {
    for (const topic of topics) loops.get(topic)?.poke();
  });
  const { devMode } = auth;
  const link = { leaseSeconds, followSteps };
  const deps = { store, clock, waiters, newId, zones, devMode, ...link };
  const all = [...loops.values()];
  return {
    app: buildApp(deps, auth, log),
    async idle() {
      // One loop's commit pokes another: until a whole round finds none at work.
      while ((await Promise.all(all.map((loop) => loop.idle()))).includes(true));
    },
    stopWaiting: () => waiters.close(),
    async stop() {
      quiet();
      waiters.close();
      for (const loop of all) await loop.stop();
    },
  };
}

/** By what pokes them beside their own timers. */
function startControllers(
  options: ControlPlaneOptions & { readonly followSteps: () => Promise<void> },
): ReadonlyMap<string, Loop> {
  const { store, clock, log, newId, zones, ceilings = {}, followSteps } = options;
  const { startsPerSecond } = ceilings;
  const rate = startsPerSecond === undefined ? undefined : createStartRate(startsPerSecond);
  const controllers: readonly (readonly [
    Topic | "housekeeping",
    (now: number) => Promise<number | undefined>,
  ])[] = [
    ["schedules", (now) => runCronPass(store, now, { newId, zones })],
    ["jobs", (now) => runJobWakes(store, now)],
    ["placement", (now) => runPlacement(store, { now, ceilings, rate })],
    [
      "leases",
      async () => {
        await followSteps();
        return runLeases(store, clock.now());
      },
    ],
    ["housekeeping", (now) => runHousekeeping(store, now)],
  ];
  return new Map(controllers.map(([name, pass]) => [name, startLoop({ name, clock, log, pass })]));
}
