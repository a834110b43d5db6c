import { applyJobEvent } from "../operations/commit-job.ts";
import { unreadable } from "../store/job-rows.ts";
import { jobsToWake, loadJob, nextJobWake } from "../store/jobs.ts";
import { moveJobWake } from "../store/save-job.ts";
import type { Store } from "../store/store.ts";

const BATCH = 100;

/** A Job that cannot be read is looked at again after this, and keeps no other waiting. */
const DAMAGED_RETRY_MS = 5 * 60_000;

/** Tells every Job whose instant has come that it has: deadlines and retention (J8). */
export async function runJobWakes(store: Store, now: number): Promise<number | undefined> {
  for (;;) {
    const ids = await store.read((db) => jobsToWake(db, now, BATCH));
    for (const id of ids) {
      await store.write(async (tx) => {
        const job = await loadJob(tx.db, id).catch(unreadable);
        if (job === "unreadable") return moveJobWake(tx, id, now + DAMAGED_RETRY_MS);
        if (job === undefined) return;
        const applied = await applyJobEvent(tx, job, { type: "timeReached", at: now });
        if (applied.outcome === "ignored") await moveJobWake(tx, id, later(applied.wakeAt, now));
      });
    }
    if (ids.length < BATCH) return store.read(nextJobWake);
  }
}

/** A Job that ignored its time is not woken for the same instant again. */
function later(wakeAt: number | undefined, now: number): number | undefined {
  return wakeAt !== undefined && wakeAt > now ? wakeAt : undefined;
}
