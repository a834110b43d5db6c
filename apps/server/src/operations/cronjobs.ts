import {
  createSchedule,
  isScheduleSpecError,
  parseScheduleState,
  resumeSchedule,
  type ScheduleEdit,
  type ScheduleState,
  suspendSchedule,
  updateSchedule,
} from "@mesh/concurrency";
import { isCronSyntaxError, isTimeZoneError, type ZoneSource } from "@mesh/cron";
import { type JobTemplate, scheduleFromManifest } from "@mesh/declaration";
import type { ApplyAnswer } from "@mesh/protocol";
import { invalid, notFound, type Refusal, refusal } from "../refusal.ts";
import { insertLedger, ledgerEntry } from "../store/ledger.ts";
import { insertEvents } from "../store/records.ts";
import {
  deleteSchedule,
  findSchedule,
  insertSchedule,
  type StoredSchedule,
  saveSchedule,
} from "../store/schedules.ts";
import type { Db, Store, Tx } from "../store/store.ts";
import { passedOverEvent, scheduleEvent } from "../words/schedule-events.ts";
import { type Admitted, requireNamespace } from "./admission.ts";
import { canonical } from "./canonical.ts";
import type { JobOptions } from "./jobs.ts";

/** What the operations on schedules are given beside the manifest. */
export interface ScheduleOptions extends JobOptions {
  readonly zones: ZoneSource;
}

/** A new schedule, which must not be there yet (D1). */
export async function createCronJob(
  store: Store,
  namespace: string,
  admitted: Admitted<"CronJob">,
  options: ScheduleOptions,
): Promise<void> {
  await store.write(async (tx) => {
    await requireNamespace(tx.db, namespace);
    const { name } = admitted.manifest;
    if ((await findSchedule(tx.db, namespace, name)) !== undefined) {
      const help = "apply it to change it, or use another name";
      throw refusal(409, "cronjob.name-in-use", `there is a CronJob ${namespace}/${name}`, help);
    }
    await insertNew(tx, namespace, { admitted, ...options });
  });
}

/** The schedule as the manifest says; a change of its timing is not retroactive (S6, D2a). */
export async function applyCronJob(
  store: Store,
  namespace: string,
  admitted: Admitted<"CronJob">,
  options: ScheduleOptions,
): Promise<ApplyAnswer> {
  const { manifest, warnings } = admitted;
  return store.write(async (tx) => {
    await requireNamespace(tx.db, namespace);
    const row = await findSchedule(tx.db, namespace, manifest.name);
    if (row === undefined) {
      await insertNew(tx, namespace, { admitted, ...options });
      return { outcome: "created", warnings };
    }
    const { schedule: spec, jobTemplate } = scheduleFromManifest(manifest);
    const { now, zones } = options;
    const state = readState(row);
    const edit = refusing(row, () => updateSchedule(state, spec, { now, zones }));
    const sameTemplate = canonical(JSON.parse(row.templateJson)) === canonical(jobTemplate);
    if (edit.schedule === state && sameTemplate) return { outcome: "unchanged", warnings };
    const said = { type: "cronjob.updated", text: "is updated" };
    await commitEdit(tx, row, { edit, template: jobTemplate, now, said });
    return { outcome: "updated", warnings };
  });
}

export async function suspendCronJob(
  store: Store,
  namespace: string,
  name: string,
  now: number,
): Promise<void> {
  await editCronJob(store, { namespace, name, now }, (state) => ({
    edit: suspendSchedule(state, { now }),
    said: { type: "cronjob.suspended", text: "is suspended: nothing comes due" },
  }));
}

/** Occurrences up to now are passed over, unless `catchUp` keeps them due (D2a). */
export async function resumeCronJob(
  store: Store,
  namespace: string,
  name: string,
  options: { now: number; zones: ZoneSource; catchUp: boolean },
): Promise<void> {
  const { now, zones, catchUp } = options;
  const text = catchUp ? "is resumed, and keeps what came due meanwhile" : "is resumed";
  await editCronJob(store, { namespace, name, now }, (state) => ({
    edit: resumeSchedule(state, { now, zones, catchUp }),
    said: { type: "cronjob.resumed", text },
  }));
}

/** Ledger and evidence stay, and so do the runs: they are Jobs and end by themselves. */
export async function deleteCronJob(
  store: Store,
  namespace: string,
  name: string,
  now: number,
): Promise<void> {
  await store.write(async (tx) => {
    const row = await requireSchedule(tx.db, namespace, name);
    await deleteSchedule(tx, row);
    await insertEvents(tx, now, [scheduleEvent(row, "cronjob.deleted", "is deleted")]);
  });
}

export async function requireSchedule(
  db: Db,
  namespace: string,
  name: string,
): Promise<StoredSchedule> {
  await requireNamespace(db, namespace);
  const row = await findSchedule(db, namespace, name);
  if (row === undefined) throw notFound("CronJob", `${namespace}/${name}`);
  return row;
}

async function insertNew(
  tx: Tx,
  namespace: string,
  options: ScheduleOptions & { readonly admitted: Admitted<"CronJob"> },
): Promise<void> {
  const { admitted, now, newId, zones } = options;
  const { schedule: spec, jobTemplate: template } = scheduleFromManifest(admitted.manifest);
  const of = { namespace, name: spec.name };
  const state = refusing(of, () => createSchedule(spec, { uid: newId(), now, zones }));
  // Decided at once: nothing is due yet, and the decision says when something will be.
  await insertSchedule(tx, { namespace, state, template, wakeAt: now });
  const { name, schedule, timezone = "UTC" } = spec;
  const text = `is created: ${schedule} in ${timezone}`;
  await insertEvents(tx, now, [scheduleEvent({ namespace, name }, "cronjob.created", text)]);
}

interface Said {
  readonly type: string;
  readonly text: string;
}

async function editCronJob(
  store: Store,
  of: { namespace: string; name: string; now: number },
  change: (state: ScheduleState) => { edit: ScheduleEdit; said: Said },
): Promise<void> {
  const { namespace, name, now } = of;
  await store.write(async (tx) => {
    const row = await requireSchedule(tx.db, namespace, name);
    const state = readState(row);
    const { edit, said } = refusing(row, () => change(state));
    if (edit.schedule === state) return;
    await commitEdit(tx, row, { edit, now, said });
  });
}

/** The edited schedule and what it passes over, in one commit (D2a); it is decided at once. */
async function commitEdit(
  tx: Tx,
  row: StoredSchedule,
  done: { edit: ScheduleEdit; template?: JobTemplate; now: number; said: Said },
): Promise<void> {
  const { edit, template, now, said } = done;
  await saveSchedule(tx, row, { state: edit.schedule, template, wake: { kind: "at", at: now } });
  const events = [scheduleEvent(row, said.type, said.text)];
  const { passedOver, reason } = edit;
  if (passedOver !== undefined && reason !== undefined) {
    events.push(passedOverEvent(row, { passedOver, reason }));
    const expired = { origin: "schedule", outcome: "expire", reason, decidedAt: now } as const;
    await insertLedger(tx, [ledgerEntry(row, { ...expired, interval: passedOver })]);
  }
  await insertEvents(tx, now, events);
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** Bad input is the caller's; a stored schedule that cannot be worked with is told as such. */
function refusing<T>(of: Named, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isScheduleSpecError(error)) throw invalid(error.diagnostics);
    if (isTimeZoneError(error) || isCronSyntaxError(error)) throw unreadable(of, error);
    throw error;
  }
}

function readState(row: StoredSchedule): ScheduleState {
  try {
    return parseScheduleState(JSON.parse(row.scheduleJson));
  } catch (error) {
    throw unreadable(row, error as Error);
  }
}

function unreadable({ namespace, name }: Named, { message }: Error): Refusal {
  const [headline] = message.split("\n");
  const text = `the stored state of CronJob ${namespace}/${name} cannot be used: ${headline}`;
  return refusal(409, "cronjob.unreadable", text, "delete the CronJob and create it again");
}
