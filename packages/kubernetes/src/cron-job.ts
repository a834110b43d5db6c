import { type CronExpression, formatCron, parseCron } from "@mesh/cron";
import type { CronJobManifest } from "@mesh/declaration";
import { jobSpec } from "./job.ts";
import { LABELS } from "./pod.ts";
import type { Reporter } from "./reporter.ts";

type Path = readonly (string | number)[];
type Policy = NonNullable<CronJobManifest["concurrencyPolicy"]>;

/** Kubernetes' controller looks every 10 s: a shorter deadline may never be met. */
const SHORTEST_DEADLINE_SECONDS = 10;
/** What `missed: None` calls on time (D8). */
const ON_TIME_SECONDS = 60;

/** A `batch/v1` CronJob; time zone, policy and limits are always written out. */
export function cronJobObject(reporter: Reporter, manifest: CronJobManifest): object {
  const { name, timezone = "UTC", suspended = false } = manifest;
  warnOfTime(reporter, manifest);
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name, labels: { ...LABELS, "app.kubernetes.io/name": name } },
    spec: {
      schedule: cronText(reporter, ["schedule"], manifest.schedule),
      timeZone: timezone,
      concurrencyPolicy: policyOf(reporter, manifest),
      ...deadlineOf(reporter, manifest),
      suspend: suspended,
      ...historyOf(reporter, manifest),
      jobTemplate: {
        metadata: { labels: { ...LABELS, "app.kubernetes.io/name": name } },
        spec: jobSpec(reporter, ["jobTemplate"], name, manifest.jobTemplate),
      },
    },
  };
}

/**
 * The expression in five fields. Kubernetes takes day of month OR weekday when both are given, and
 * counts `1-31` as given; so a field that is its whole range becomes `*`, and two that are not are
 * refused (C3).
 */
export function cronText(reporter: Reporter, path: Path, text: string): string {
  const cron = parseCron(text);
  const fields = formatCron(cron).split(" ");
  if (isEveryDay(cron)) fields[2] = "*";
  if (isEveryWeekday(cron)) fields[4] = "*";
  if (!isEveryDay(cron) && !isEveryWeekday(cron)) {
    reporter.refuse("kubernetes.and-days", path, {
      message: "Kubernetes starts a run when either day field matches; here both must",
      found: JSON.stringify(text),
      help: "restrict one of the two, and let the work check the other",
    });
  }
  return fields.join(" ");
}

function isEveryDay(cron: CronExpression): boolean {
  return cron.dayOfMonth.length === 31;
}

function isEveryWeekday(cron: CronExpression): boolean {
  return cron.dayOfWeek.length === 7;
}

function warnOfTime(
  reporter: Reporter,
  { timezone = "UTC", dst, suspended }: CronJobManifest,
): void {
  if (!/^(Etc\/)?UTC$/i.test(timezone)) {
    reporter.warn("kubernetes.daylight-saving", dst === undefined ? ["timezone"] : ["dst"], {
      message: "a wall time that a change of the clock skips or repeats is Kubernetes' to judge",
      help: "use UTC, or a time of day at which the clock does not change",
    });
  }
  if (suspended === true) {
    reporter.warn("kubernetes.resume", ["suspended"], {
      message: "resuming in Kubernetes starts the latest run that was missed meanwhile",
      help: "set startingDeadlineSeconds to bound how late that may be",
    });
  }
}

function policyOf(reporter: Reporter, manifest: CronJobManifest): "Allow" | "Forbid" | "Replace" {
  const { concurrencyPolicy: policy = "Allow" } = manifest;
  const path = ["concurrencyPolicy"];
  switch (policy) {
    case "Allow":
    case "Replace":
      return policy;
    case "Forbid":
      reporter.warn("kubernetes.policy", path, {
        message: "of the runs that Forbid held back Kubernetes starts the latest only",
        help: "nothing to do if one late run is enough",
      });
      return policy;
    case "Skip":
      reporter.warn("kubernetes.policy", path, {
        message: "a run that is skipped is not recorded, and one due in the last 10 s still starts",
        help: "nothing to do if that is enough",
      });
      return "Forbid";
    default:
      return refusePolicy(reporter, path, policy);
  }
}

function refusePolicy(reporter: Reporter, path: Path, policy: Policy): "Forbid" | "Replace" {
  const nearest = policy === "Queue" ? "Forbid" : "Replace";
  reporter.refuse("kubernetes.policy", path, {
    message: `Kubernetes has no policy ${policy}`,
    found: policy,
    help: `${nearest} is the nearest, but ${
      policy === "Queue" ? "drops all runs but the latest" : "starts before the old run has stopped"
    }`,
  });
  return nearest;
}

/** How late a run may start; what a manifest says about a backlog is kept or refused (D8). */
function deadlineOf(
  reporter: Reporter,
  manifest: CronJobManifest,
): { startingDeadlineSeconds?: number } {
  const { missed, missedScheduleLimit, concurrencyPolicy, startingDeadlineSeconds } = manifest;
  const words = {
    message: "of several missed runs Kubernetes starts the latest only",
    help: "write missed: Latest if that is enough",
  };
  // A limit says how much of a backlog to start: it means nothing where only the latest is.
  const limited = missed === undefined && (missedScheduleLimit ?? 1) !== 1;
  if (missed === "All" || limited) {
    reporter.refuse("kubernetes.backlog", [limited ? "missedScheduleLimit" : "missed"], words);
  } else if (missed === undefined) {
    reporter.warn("kubernetes.backlog", ["schedule"], words);
  }
  const bounds = [startingDeadlineSeconds ?? Number.POSITIVE_INFINITY];
  if (missed === "None") bounds.push(ON_TIME_SECONDS);
  if (concurrencyPolicy === "Skip") bounds.push(SHORTEST_DEADLINE_SECONDS);
  const deadline = Math.min(...bounds);
  if (deadline < SHORTEST_DEADLINE_SECONDS) {
    reporter.refuse("kubernetes.deadline", ["startingDeadlineSeconds"], {
      message: "Kubernetes looks every 10 s: with a shorter deadline a run may never start",
      found: String(deadline),
      help: "use 10 or more",
    });
  }
  return deadline === Number.POSITIVE_INFINITY ? {} : { startingDeadlineSeconds: deadline };
}

/** Kubernetes keeps 3 succeeded and 1 failed Job; it is written out, since here all are kept. */
function historyOf(reporter: Reporter, manifest: CronJobManifest): object {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = manifest;
  if (
    manifest.successfulJobsHistoryLimit === undefined ||
    manifest.failedJobsHistoryLimit === undefined
  ) {
    reporter.warn("kubernetes.history", ["schedule"], {
      message: "Kubernetes keeps 3 succeeded and 1 failed Job of a schedule",
      help: "set successfulJobsHistoryLimit and failedJobsHistoryLimit to keep more",
    });
  }
  return { successfulJobsHistoryLimit, failedJobsHistoryLimit };
}
