import type { ScheduleSpec } from "@mesh/concurrency";
import { textHash } from "./content-hash.ts";
import type { ContainerResource } from "./manifest.ts";
import { MAX_SCHEDULE_NAME } from "./names.ts";

/**
 * The schedule of a scheduled container as its host decides on it: in UTC (R2), what overlaps is
 * skipped (A4), and what was missed is not started late (A6). `undefined` for any other container.
 * A name that is too long for a schedule (D10) is cut and ends in a hash of the whole.
 *
 * @example
 * scheduleFromContainer({ name: "sync", schedule: "0 3 * * *" })?.concurrencyPolicy; // "Skip"
 */
export function scheduleFromContainer({
  name,
  schedule,
}: Pick<ContainerResource, "name" | "schedule">): ScheduleSpec | undefined {
  if (schedule === undefined) return undefined;
  return {
    name: scheduleName(name),
    schedule,
    timezone: "UTC",
    concurrencyPolicy: "Skip",
    missed: "None",
  };
}

const HASH_DIGITS = 10;

function scheduleName(container: string): string {
  if (container.length <= MAX_SCHEDULE_NAME) return container;
  const kept = container.slice(0, MAX_SCHEDULE_NAME - HASH_DIGITS - 1).replace(/-+$/, "");
  return `${kept}-${textHash(container).slice(0, HASH_DIGITS)}`;
}
