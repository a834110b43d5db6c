import {
  type Decision,
  decideSchedule,
  type Interval,
  parseScheduleState,
  type ScheduleState,
} from "@mesh/concurrency";
import type { ZoneSource } from "@mesh/cron";
import type { JobTemplate } from "@mesh/declaration";
import { activeRunOf, type StoredJob } from "../store/job-rows.ts";
import { foreignNames, liveRuns } from "../store/jobs.ts";
import { decidedSince } from "../store/ledger.ts";
import { insertEvents } from "../store/records.ts";
import {
  dueScheduleUids,
  loadSchedules,
  nextScheduleWake,
  type StoredSchedule,
  saveProblem,
} from "../store/schedules.ts";
import type { Store, Tx } from "../store/store.ts";
import { scheduleEvent } from "../words/schedule-events.ts";
import { commitDecisions, type Decided } from "./commit-decision.ts";

/** Schedules decided in one transaction; a failing one is set apart and the others go on. */
const BATCH = 64;

/** A schedule that cannot be decided is looked at again after this. */
const PROBLEM_RETRY_MS = 5 * 60_000;

/** What the schedule controller needs beside the store. */
export interface CronOptions {
  readonly newId: () => string;
  readonly zones: ZoneSource;
}

/**
 * Decides every schedule whose wake has come, in batches: O(due), whatever the number of schedules.
 * The answer is when the next wake comes.
 */
export async function runCronPass(
  store: Store,
  now: number,
  options: CronOptions,
): Promise<number | undefined> {
  for (;;) {
    const uids = await store.read((db) => dueScheduleUids(db, now, BATCH));
    if (uids.length === 0) break;
    await decideAll(store, uids, { now, ...options });
    if (uids.length < BATCH) break;
  }
  return store.read(nextScheduleWake);
}

async function decideAll(
  store: Store,
  uids: readonly string[],
  options: CronOptions & { now: number },
): Promise<void> {
  try {
    await store.write((tx) => decideBatch(tx, uids, options));
  } catch (error) {
    if (uids.length === 1) {
      const [uid] = uids as [string];
      await store.write((tx) => noteProblem(tx, uid, { error, now: options.now }));
      return;
    }
    // One of them cannot be committed: each alone, so that it harms no other (D1).
    for (const uid of uids) await decideAll(store, [uid], options);
  }
}

/** Load, decide, commit, in one snapshot: rows are read before their runs (S2). */
async function decideBatch(
  tx: Tx,
  uids: readonly string[],
  options: CronOptions & { now: number },
): Promise<void> {
  const { now, zones } = options;
  const rows = await loadSchedules(tx.db, uids);
  const readable: Readable[] = [];
  for (const row of rows) {
    try {
      readable.push(read(row));
    } catch (error) {
      await noteProblem(tx, row.uid, { error, now });
    }
  }
  const facts = await gather(tx, readable);
  const decided: Decided[] = [];
  for (const { row, state, template } of readable) {
    const runs = facts.runs.get(row.uid) ?? [];
    try {
      const decision = decide(state, runs, { now, zones, ...facts, uid: row.uid });
      decided.push({ row, template, runs, decision });
    } catch (error) {
      await noteProblem(tx, row.uid, { error, now });
    }
  }
  await commitDecisions(tx, decided, options);
}

interface Readable {
  readonly row: StoredSchedule;
  readonly state: ScheduleState;
  readonly template: JobTemplate;
}

function read(row: StoredSchedule): Readable {
  const state = parseScheduleState(JSON.parse(row.scheduleJson));
  return { row, state, template: JSON.parse(row.templateJson) as JobTemplate };
}

interface Facts {
  readonly runs: ReadonlyMap<string, readonly StoredJob[]>;
  readonly namesInUse: ReadonlyMap<string, readonly string[]>;
  readonly decided: ReadonlyMap<string, readonly Interval[]>;
}

/** What the decisions need of other tables, in one query for each for the whole batch. */
async function gather(tx: Tx, schedules: readonly Readable[]): Promise<Facts> {
  const uids = schedules.map(({ row }) => row.uid);
  const bases = schedules.map(({ row, state }) => ({
    uid: row.uid,
    baseAt: state.lastScheduleAt ?? state.createdAt,
  }));
  return {
    runs: await liveRuns(tx.db, uids),
    namesInUse: await foreignNames(
      tx.db,
      schedules.map(({ row }) => row),
    ),
    decided: await decidedSince(tx.db, bases),
  };
}

function decide(
  state: ScheduleState,
  runs: readonly StoredJob[],
  facts: Facts & { readonly uid: string; readonly now: number; readonly zones: ZoneSource },
): Decision {
  const { uid, now, zones, namesInUse, decided } = facts;
  const active = runs.map(activeRunOf).filter((run) => run !== undefined);
  return decideSchedule(state, active, {
    now,
    zones,
    namesInUse: namesInUse.get(uid),
    decided: decided.get(uid),
  });
}

/** Says once why a schedule cannot be decided; it stops no other (D1). */
async function noteProblem(
  tx: Tx,
  uid: string,
  { error, now }: { error: unknown; now: number },
): Promise<void> {
  const [row] = await loadSchedules(tx.db, [uid]);
  if (row === undefined) return;
  const text = error instanceof Error ? error.message : String(error);
  const problem = text.replaceAll(/\s*\n\s*/g, "; ");
  await saveProblem(tx, uid, { problem, retryAt: now + PROBLEM_RETRY_MS });
  if (row.problem === problem) return;
  await insertEvents(tx, now, [
    scheduleEvent(row, "cronjob.problem", `cannot be decided: ${problem}`),
  ]);
}
