import { type Decision, type Outcome, stopRequest } from "@mesh/concurrency";
import type { JobTemplate } from "@mesh/declaration";
import { createJob } from "@mesh/jobs";
import { applyJobEvent } from "../operations/commit-job.ts";
import type { NewJob, StoredJob } from "../store/job-rows.ts";
import { insertDecision, insertLedger, type LedgerEntry, ledgerEntry } from "../store/ledger.ts";
import { insertEvents, type NewEvent } from "../store/records.ts";
import { insertJobs } from "../store/save-job.ts";
import { type StoredSchedule, saveSchedule } from "../store/schedules.ts";
import type { Tx } from "../store/store.ts";
import { jobCreated } from "../words/job-events.ts";
import { decisionEvents } from "../words/schedule-events.ts";

/** A decision with what it was made on. */
export interface Decided {
  readonly row: StoredSchedule;
  readonly template: JobTemplate;
  readonly runs: readonly StoredJob[];
  readonly decision: Decision;
}

/** Nothing spins: a decision that changed nothing and wants to be made at once waits this long. */
const PAUSE_MS = 1_000;

/**
 * Everything that the decisions say, in the caller's transaction (S2): each schedule's row under
 * its version with state, checkpoint and wake; evidence; ledger rows; runs with their first tasks;
 * and last the stop requests, so that a run that ends with them wakes its schedule.
 */
export async function commitDecisions(
  tx: Tx,
  decided: readonly Decided[],
  options: { now: number; newId: () => string },
): Promise<void> {
  const { now } = options;
  const ledger: LedgerEntry[] = [];
  const jobs: NewJob[] = [];
  const events: NewEvent[] = [];
  for (const one of decided) {
    const { row, decision } = one;
    await saveSchedule(tx, row, { state: decision.schedule, wake: wakeOf(decision, now) });
    if (decision.outcomes.length === 0 && decision.clockBehind === undefined) continue;
    const { namespace, name } = row;
    const decisionId = await insertDecision(tx, {
      namespace,
      scheduleName: name,
      at: now,
      decision,
    });
    events.push(...decisionEvents(row, decision));
    for (const outcome of decision.outcomes) {
      const job = outcome.outcome === "create" ? newRun(one, outcome, options) : undefined;
      if (job !== undefined) {
        jobs.push(job);
        events.push(jobCreated(job.state));
      }
      const entry = rowOf(one, { outcome, job, decisionId, now });
      if (entry !== undefined) ledger.push(entry);
    }
  }
  await insertLedger(tx, ledger);
  await insertJobs(tx, jobs);
  if (jobs.length > 0) tx.touch("placement");
  if (jobs.some(({ wakeAt }) => wakeAt !== undefined)) tx.touch("jobs");
  await insertEvents(tx, now, events);
  for (const one of decided) await requestStops(tx, one, now);
}

function newRun(
  { row, template, decision }: Decided,
  outcome: Extract<Outcome, { outcome: "create" }>,
  options: { now: number; newId: () => string },
): NewJob {
  const { state, wake } = createJob(
    { ...template, name: outcome.runName },
    { jobId: options.newId(), namespace: row.namespace, now: options.now },
  );
  return {
    state,
    wakeAt: wake?.at,
    origin: {
      scheduleUid: decision.schedule.uid,
      scheduleName: row.name,
      origin: "schedule",
      occurrenceAt: outcome.at,
    },
  };
}

/** A final outcome's row; what is held stays due and has none. */
function rowOf(
  { row }: Decided,
  made: { outcome: Outcome; job: NewJob | undefined; decisionId: number; now: number },
): LedgerEntry | undefined {
  const { outcome, job, decisionId, now } = made;
  if (outcome.outcome === "hold") return undefined;
  const common = { origin: "schedule", reason: outcome.reason, decisionId, decidedAt: now };
  if (outcome.outcome !== "create") {
    return ledgerEntry(row, { ...common, outcome: outcome.outcome, interval: outcome });
  }
  const { at, runName } = outcome;
  const interval = { firstAt: at, lastAt: at, count: 1, countIsExact: true };
  const run = job && { name: runName, jobId: job.state.job.id };
  return ledgerEntry(row, { ...common, outcome: "create", interval, run });
}

async function requestStops(tx: Tx, { runs, decision }: Decided, now: number): Promise<void> {
  const type = stopRequest(decision);
  const byId = new Map(runs.map((run) => [run.state.job.id, run]));
  for (const id of decision.stopRunIds) {
    const run = byId.get(id);
    if (run !== undefined) await applyJobEvent(tx, run, { type, at: now });
  }
}

function wakeOf({ wake, outcomes }: Decision, now: number): Decision["wake"] {
  if (wake.kind !== "at" || wake.at > now) return wake;
  const moved = outcomes.some(({ outcome }) => outcome !== "hold");
  return { kind: "at", at: moved ? now : now + PAUSE_MS };
}
