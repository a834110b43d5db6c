import { triggerName } from "@mesh/concurrency";
import type { JobTemplate } from "@mesh/declaration";
import { createJob } from "@mesh/jobs";
import { refusal } from "../refusal.ts";
import { isNameActive } from "../store/jobs.ts";
import { hasOrigin, insertLedger, ledgerEntry } from "../store/ledger.ts";
import { insertEvents } from "../store/records.ts";
import { insertJobs } from "../store/save-job.ts";
import { runEnded } from "../store/schedules.ts";
import type { Store } from "../store/store.ts";
import { jobCreated } from "../words/job-events.ts";
import { scheduleEvent } from "../words/schedule-events.ts";
import { requireSchedule } from "./cronjobs.ts";
import type { JobOptions } from "./jobs.ts";

/** A run at once, whatever the policy; the same id starts no second one (D10). */
export async function triggerCronJob(
  store: Store,
  namespace: string,
  name: string,
  options: JobOptions & { readonly id: string },
): Promise<void> {
  const { now, id, newId } = options;
  await store.write(async (tx) => {
    const row = await requireSchedule(tx.db, namespace, name);
    const runName = triggered(name, id);
    const origin = `trigger:${id}`;
    if (await hasOrigin(tx.db, row.uid, origin)) return;
    if (await isNameActive(tx.db, namespace, runName)) {
      throw refusal(409, "job.name-in-use", `an active Job has the name ${runName}`);
    }
    const template = JSON.parse(row.templateJson) as JobTemplate;
    const jobId = newId();
    const { state, wake } = createJob({ ...template, name: runName }, { jobId, namespace, now });
    const runOrigin = { scheduleUid: row.uid, scheduleName: name, origin };
    // The version first: a decision that was made on the runs of before is made anew (S2).
    await runEnded(tx, row.uid, now);
    const entry = ledgerEntry(row, {
      origin,
      interval: { firstAt: now, lastAt: now, count: 1, countIsExact: true },
      outcome: "create",
      reason: "triggered",
      run: { name: runName, jobId },
      decidedAt: now,
    });
    await insertLedger(tx, [entry]);
    await insertJobs(tx, [{ state, wakeAt: wake?.at, origin: runOrigin }]);
    const text = `is triggered: it creates ${runName}`;
    await insertEvents(tx, now, [
      scheduleEvent(row, "cronjob.triggered", text, { runName }),
      jobCreated(state),
    ]);
    tx.touch("placement");
    if (wake !== undefined) tx.touch("jobs");
  });
}

function triggered(name: string, id: string): string {
  try {
    return triggerName(name, id);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refusal(400, "trigger.id", error.message);
  }
}
