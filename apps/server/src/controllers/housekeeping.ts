import { prune } from "../store/records.ts";
import type { Store } from "../store/store.ts";

const HOUR_MS = 3_600_000;

/** Removes what is past retention, a bounded number of rows in each transaction. */
export async function runHousekeeping(store: Store, now: number): Promise<number> {
  while (await store.write((tx) => prune(tx, now)));
  return now + HOUR_MS;
}
