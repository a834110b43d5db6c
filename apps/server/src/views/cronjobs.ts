import { type ActiveRun, parseScheduleState, type ScheduleState } from "@mesh/concurrency";
import { nextOccurrence, parseCron, type ZoneSource } from "@mesh/cron";
import type { JobTemplate } from "@mesh/declaration";
import type { CronJobView } from "@mesh/protocol";
import { requireSchedule } from "../operations/cronjobs.ts";
import { activeRunOf, readableJobs } from "../store/job-rows.ts";
import { liveRuns } from "../store/jobs.ts";
import { readStored } from "../store/read-stored.ts";
import { listSchedules, type StoredSchedule } from "../store/schedules.ts";
import type { Db } from "../store/store.ts";

/** From when the next occurrence is looked for, and in which zone data. */
interface ViewOptions {
  readonly now: number;
  readonly zones: ZoneSource;
}

export async function readCronJob(
  db: Db,
  namespace: string,
  name: string,
  options: ViewOptions,
): Promise<CronJobView> {
  const row = await requireSchedule(db, namespace, name);
  const [view] = await withRuns(db, [row], options);
  return view as CronJobView;
}

export async function readCronJobs(
  db: Db,
  namespace: string,
  options: ViewOptions & { readonly limit: number },
): Promise<CronJobView[]> {
  return withRuns(db, await listSchedules(db, namespace, options.limit), options);
}

async function withRuns(
  db: Db,
  rows: readonly StoredSchedule[],
  options: ViewOptions,
): Promise<CronJobView[]> {
  const runs = await liveRuns(
    db,
    rows.map(({ uid }) => uid),
    readableJobs,
  );
  return rows.map((row) => {
    const active = (runs.get(row.uid) ?? []).map(activeRunOf).filter((run) => run !== undefined);
    return cronJobView(row, active, options);
  });
}

function cronJobView(
  row: StoredSchedule,
  active: readonly ActiveRun[],
  options: ViewOptions,
): CronJobView {
  const schedule = readStored<ScheduleState>(row.scheduleJson) ?? unreadable(row);
  const { nextAt, problem = row.problem } = nextOf(schedule, options);
  return {
    namespace: row.namespace,
    schedule,
    jobTemplate: readStored<JobTemplate>(row.templateJson) ?? { image: "" },
    active,
    ...(nextAt === undefined ? {} : { nextAt }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** The next occurrence; a row that cannot be read is shown as it is, with what is wrong. */
function nextOf(
  stored: ScheduleState,
  { now, zones }: ViewOptions,
): { nextAt?: number; problem?: string } {
  try {
    const { spec, lastScheduleAt = now } = parseScheduleState(stored);
    if (spec.suspended) return {};
    const nextAt = nextOccurrence(parseCron(spec.schedule), Math.max(now, lastScheduleAt), {
      timeZone: spec.timezone,
      dst: spec.dst,
      zones,
    });
    return nextAt === undefined ? {} : { nextAt };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** What the columns still say of a row whose state cannot be read; its `problem` says the rest. */
function unreadable({ uid, name }: StoredSchedule): ScheduleState {
  return { v: 1, uid, spec: { name, schedule: "" }, generation: 0, createdAt: 0 };
}
