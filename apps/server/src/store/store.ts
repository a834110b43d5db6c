import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

export type Db = Kysely<Database>;

/** What a commit may have changed, for those who wait: some work, or what a node should hold. */
export type Topic = "schedules" | "jobs" | "placement" | "leases" | "events" | `node:${string}`;

/** An open transaction. */
export interface Tx {
  readonly db: Db;
  /** Tells those who wait for `topic`, after the commit. */
  touch(topic: Topic): void;
}

/**
 * Durable state (S1). Both databases run the same queries (the other files of this folder); an
 * adapter adds only how to open, how to lock and how a conflict looks.
 *
 * **Architecture invariant:** inside `read` and `write` nothing is awaited but the database.
 */
export interface Store {
  /** One consistent snapshot. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * All of `work` or nothing. Where another writer came first (a `Conflict`), `work` is run anew
   * from the start, at most `ATTEMPTS` times: it must load what it decides on by itself, or say
   * `retryConflicts: false` and meet the conflict.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Calls `listener` after each commit that touched something; the answer stops it. */
  onCommit(listener: (topics: ReadonlySet<Topic>) => void): () => void;
  close(): Promise<void>;
}

export interface WriteOptions {
  readonly retryConflicts?: boolean | undefined;
}

/** How often a transaction is tried before a conflict is given up as an error. */
export const ATTEMPTS = 20;

const brand = Symbol.for("@mesh/server/Conflict");

/** Another writer changed the row since it was read (S2, S3): nothing was written. */
export class Conflict extends Error {
  readonly [brand] = true;

  constructor(what: string) {
    super(`${what} was changed by another writer`);
    this.name = "Conflict";
  }
}

export function isConflict(error: unknown): error is Conflict {
  return typeof error === "object" && error !== null && brand in error;
}

/** Throws a `Conflict` unless a guarded update found its row as it had been read. */
export function guarded(result: { readonly numUpdatedRows: bigint }, what: string): void {
  if (result.numUpdatedRows !== 1n) throw new Conflict(what);
}
