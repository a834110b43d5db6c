import type { CronJobManifest } from "@mesh/declaration";
import type { ScheduledRunView } from "@mesh/protocol";
import { type Bench, IMAGE } from "./harness.ts";

export const minutely: CronJobManifest = {
  kind: "CronJob",
  name: "report",
  schedule: "* * * * *",
  jobTemplate: { image: IMAGE },
};

/** Passes time at once, as for a server that was down or late, then lets it decide. */
export async function late({ clock, settle }: Bench, ms: number): Promise<void> {
  clock.step(ms);
  await clock.advance(0, settle);
}

export async function created(bench: Bench, schedule = "report"): Promise<number[]> {
  const runs = (await bench.mesh.runs({ schedule, limit: 1000 })) as ScheduledRunView[];
  return runs
    .filter(({ outcome, origin }) => outcome === "create" && origin === "schedule")
    .map(({ firstAt }) => firstAt)
    .sort((a, b) => a - b);
}

export async function runOf(bench: Bench, at: number): Promise<ScheduledRunView> {
  const runs = (await bench.mesh.runs({ schedule: "report", limit: 1000 })) as ScheduledRunView[];
  return runs.find(({ firstAt }) => firstAt === at) as ScheduledRunView;
}

/** Makes the schedule look again, as any wake does. */
export async function decideAgain({ store, settle }: Bench): Promise<void> {
  await store.write(async (tx) => {
    await tx.db.updateTable("schedules").set({ wake_at: 0 }).execute();
    tx.touch("schedules");
  });
  await settle();
}
