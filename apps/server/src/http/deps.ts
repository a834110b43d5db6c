import type { ZoneSource } from "@mesh/cron";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../clock.ts";
import type { Store } from "../store/store.ts";
import type { Waiters } from "../waiters.ts";

/** What the routes work with. */
export interface HttpDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly waiters: Waiters;
  readonly newId: () => string;
  readonly leaseSeconds: number;
  /** Awaited before a lease is written: a step of the wall clock must not move it afterwards. */
  readonly followSteps: () => Promise<void>;
  readonly zones: ZoneSource;
  readonly devMode: boolean;
}

/** Adds some routes to the server. */
export type Routes = (app: FastifyInstance, deps: HttpDeps) => void;
