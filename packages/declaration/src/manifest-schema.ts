import type { FailureRule } from "@mesh/jobs";
import * as v from "valibot";

/**
 * The shape of every manifest, in one place: the parser runs these schemas, and the published JSON
 * Schema is generated from them (R4 to R6). Grammar that a shape cannot say (cron, images, paths)
 * is checked afterwards, in `check-module.ts` and `check-job.ts`.
 */

/** The names that each kind of map knows, by the title that its schema carries. */
export const KNOWN_KEYS = new Map<string, readonly string[]>();

/** A map with exactly these entries. Entries inherit nothing, so `toString` is no known key. */
export function closedMap<const E extends v.ObjectEntries>(title: string, entries: E) {
  KNOWN_KEYS.set(title, Object.keys(entries));
  const own: E = Object.assign(Object.create(null), entries);
  return refusingLists(v.strictObject(own, title));
}

/** A list has no names, so that a map without required ones would take an empty list for a map. */
function refusingLists<const S extends v.GenericSchema>(schema: S): S {
  const run = schema["~run"];
  return {
    ...schema,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const list = dataset.value;
      if (!Array.isArray(list)) return run.call(this, dataset, config);
      const refused = run.call(this, { value: null }, config);
      return { ...refused, issues: refused.issues?.map((issue) => ({ ...issue, input: list })) };
    },
  } as S;
}

export const text = v.string();
export const nonEmpty = v.pipe(v.string(), v.nonEmpty());
export const flag = v.boolean();
const MAX_SECONDS = 1_000_000_000;
export const whole = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
const real = (least: number, most: number) =>
  v.pipe(v.number(), v.minValue(least), v.maxValue(most));

const command = v.pipe(v.array(text), v.nonEmpty());
export const environment = refusingLists(v.record(v.string(), v.string()));
export const resources = closedMap("resources", {
  cpu: v.optional(text),
  memory: v.optional(text),
});

export const directory = {
  type: v.literal("directory"),
  path: nonEmpty,
  mode: v.optional(text),
  owner: v.optional(nonEmpty),
};

export const file = {
  type: v.literal("file"),
  path: nonEmpty,
  mode: v.optional(text),
  content: text,
  owner: v.optional(nonEmpty),
};

export const volume = { source: nonEmpty, target: nonEmpty, readOnly: v.optional(flag) };

export const container = {
  type: v.literal("container"),
  name: nonEmpty,
  image: nonEmpty,
  command: v.optional(command),
  environment: v.optional(environment),
  volumes: v.optional(v.array(closedMap("volume", volume))),
  resources: v.optional(resources),
  "run-once": v.optional(flag),
  schedule: v.optional(nonEmpty),
};

export const moduleSchema = closedMap("module", {
  kind: v.optional(v.literal("Module")),
  module: nonEmpty,
  version: v.literal(1),
  account: v.optional(nonEmpty),
  resources: v.array(
    v.variant("type", [
      closedMap("directory", directory),
      closedMap("file", file),
      closedMap("container", container),
    ]),
  ),
});

const seconds = real(0, MAX_SECONDS);
const jitter = v.optional(real(0, 1));

const backoff = v.variant("kind", [
  closedMap("backoff None", { kind: v.literal("None") }),
  closedMap("backoff Constant", { kind: v.literal("Constant"), delaySeconds: seconds, jitter }),
  closedMap("backoff Exponential", {
    kind: v.literal("Exponential"),
    delaySeconds: seconds,
    factor: v.optional(real(1, 100)),
    maxSeconds: v.optional(seconds),
    jitter,
  }),
]);

const exitCodes = v.pipe(v.array(whole(-0x8000_0000, 0xffff_ffff)), v.nonEmpty());

/** That it is one of the two, and not both, is said by `check-job.ts`: it has a code of its own. */
const onExitCodes = closedMap("onExitCodes", {
  in: v.optional(exitCodes),
  notIn: v.optional(exitCodes),
}) as unknown as v.GenericSchema<NonNullable<FailureRule["onExitCodes"]>>;

const failureRule = closedMap("failure rule", {
  action: v.picklist(["Fail", "Ignore", "Count"]),
  onExitCodes: v.optional(onExitCodes),
  onReasons: v.optional(
    v.pipe(v.array(v.picklist(["nodeLost", "outOfMemory", "neverStarted"])), v.nonEmpty()),
  ),
});

const jobTemplate = {
  image: nonEmpty,
  command: v.optional(command),
  environment: v.optional(environment),
  resources: v.optional(resources),
  secrets: v.optional(v.array(closedMap("secret", { name: nonEmpty, key: v.optional(nonEmpty) }))),
  placement: v.optional(
    v.array(
      closedMap("placement", {
        key: nonEmpty,
        operator: v.picklist(["equals", "not_equals"]),
        value: text,
      }),
    ),
  ),
  volumeClaims: v.optional(
    v.array(
      closedMap("volume claim", {
        claim: nonEmpty,
        target: nonEmpty,
        readOnly: v.optional(flag),
      }),
    ),
  ),
  backoffLimit: v.optional(whole(0, 10_000)),
  backoff: v.optional(backoff),
  activeDeadlineSeconds: v.optional(whole(1, MAX_SECONDS)),
  ttlSecondsAfterFinished: v.optional(whole(0, MAX_SECONDS)),
  failurePolicy: v.optional(
    closedMap("failurePolicy", {
      rules: v.array(failureRule),
      maxIgnored: v.optional(whole(0, 10_000)),
    }),
  ),
};

export const jobSchema = closedMap("Job", {
  kind: v.optional(v.literal("Job")),
  name: nonEmpty,
  ...jobTemplate,
});

export const cronJobSchema = closedMap("CronJob", {
  kind: v.optional(v.literal("CronJob")),
  name: nonEmpty,
  schedule: nonEmpty,
  timezone: v.optional(nonEmpty),
  dst: v.optional(v.picklist(["Literal", "Once"])),
  concurrencyPolicy: v.optional(
    v.picklist(["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"]),
  ),
  missed: v.optional(v.picklist(["All", "Latest", "None"])),
  missedScheduleLimit: v.optional(whole(0, 10_000)),
  startingDeadlineSeconds: v.optional(whole(0, MAX_SECONDS)),
  suspended: v.optional(flag),
  successfulJobsHistoryLimit: v.optional(whole(0, MAX_SECONDS)),
  failedJobsHistoryLimit: v.optional(whole(0, MAX_SECONDS)),
  jobTemplate: closedMap("jobTemplate", jobTemplate),
});
