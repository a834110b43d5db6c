import {
  command,
  DIGEST,
  environment,
  jitter,
  type MapWords,
  name,
  readOnly,
  resources,
  schedule,
  seconds,
  target,
} from "./field-words.ts";

const jobTemplate: MapWords = {
  image: {
    description: "The container image; pin it by its digest, so that what runs cannot change.",
    examples: [`docker.io/library/busybox@sha256:${DIGEST}`, "busybox:1.36"],
    pattern: "^[^\\s$]+$",
  },
  command,
  environment,
  resources: { ...resources, description: `${resources.description} 100m and 128Mi if absent.` },
  secrets: {
    description: "Secrets that reach the process as files under /run/secrets.",
    examples: [[{ name: "token", key: "value" }]],
  },
  placement: {
    description: "Labels that the node must have, or must not have; all must hold.",
    examples: [[{ key: "zone", operator: "equals", value: "ams" }]],
  },
  volumeClaims: {
    description: "Volumes by their claims; a claim is made on first use and stays on that node.",
    examples: [[{ claim: "data", target: "/data" }]],
  },
  backoffLimit: {
    description: "How many failed attempts are tried again: 0 means one attempt in all.",
    examples: [0, 2],
    default: 0,
  },
  backoff: {
    description: "How long a failed attempt waits before the next; at once if absent.",
    examples: [{ kind: "Exponential", delaySeconds: 10, maxSeconds: 600 }],
  },
  activeDeadlineSeconds: seconds("Seconds from creation after which the Job has failed.", 3600),
  ttlSecondsAfterFinished: seconds("Seconds after its end at which the Job is deleted.", 86_400),
  failurePolicy: {
    description: "Rules that decide what a failure means; the first that matches decides.",
    examples: [{ rules: [{ action: "Fail", onExitCodes: { in: [42] } }] }],
  },
};

/** Words for the fields of Jobs and CronJobs, by the map's title in the schema. */
export const JOB_WORDS: Readonly<Record<string, MapWords>> = {
  Job: {
    kind: { description: "May be left out: the shape tells it.", examples: ["Job"] },
    name: name("The Job's name"),
    ...jobTemplate,
  },
  jobTemplate,
  CronJob: {
    kind: { description: "May be left out: the shape tells it.", examples: ["CronJob"] },
    name: {
      ...name("The schedule's name, at most 40 characters"),
      pattern: "^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$",
    },
    schedule,
    timezone: {
      description: "The IANA time zone in which the schedule is read.",
      examples: ["UTC", "Europe/Belgrade"],
      default: "UTC",
    },
    dst: {
      description:
        "Literal: a wall time that a change of the clock skips does not occur, one that it " +
        "repeats occurs twice. Once: each wall time occurs once.",
      examples: ["Once"],
      default: "Literal",
    },
    concurrencyPolicy: {
      description:
        "What happens when an occurrence is due while a run is active. Allow: both run. " +
        "Forbid: it stays due. Replace: the active run is deleted. Skip: it is passed over. " +
        "Queue: one at a time, in order. Supersede: the newest wins.",
      examples: ["Forbid", "Skip"],
      default: "Allow",
    },
    missed: {
      description: "Which missed occurrences are still started: All, the Latest, or None.",
      examples: ["Latest"],
      default: "All",
    },
    missedScheduleLimit: {
      description: "How many due occurrences one pass takes, earliest first; 0 means 100.",
      examples: [100],
      default: 100,
    },
    startingDeadlineSeconds: seconds("An occurrence older than this is not started.", 300),
    suspended: {
      description: "Whether the schedule creates nothing.",
      examples: [true],
      default: false,
    },
    successfulJobsHistoryLimit: seconds("How many succeeded Jobs are kept.", 3),
    failedJobsHistoryLimit: seconds("How many failed Jobs are kept.", 3),
    jobTemplate: {
      description: "The Job of each occurrence; its name comes from the schedule.",
      examples: [{ image: `docker.io/library/busybox@sha256:${DIGEST}` }],
    },
  },
  secret: {
    name: { description: "The secret's name.", examples: ["token"] },
    key: { description: "One key of it; all of it if absent.", examples: ["value"] },
  },
  placement: {
    key: { description: "The label's key.", examples: ["zone"] },
    operator: {
      description: "Whether the label must have the value, or must not.",
      examples: ["equals", "not_equals"],
    },
    value: { description: "The label's value.", examples: ["ams"] },
  },
  "volume claim": {
    claim: name("The claim's name"),
    target,
    readOnly,
  },
  "backoff None": { kind: { description: "Try again at once.", examples: ["None"] } },
  "backoff Constant": {
    kind: { description: "Wait the same time after each failure.", examples: ["Constant"] },
    delaySeconds: seconds("Seconds to wait.", 10),
    jitter,
  },
  "backoff Exponential": {
    kind: { description: "Wait longer after each failure.", examples: ["Exponential"] },
    delaySeconds: seconds("Seconds to wait after the first failure.", 10),
    factor: { ...seconds("Growth with each further failure.", 2), default: 2 },
    maxSeconds: { ...seconds("Longest wait in seconds.", 600), default: 600 },
    jitter,
  },
  failurePolicy: {
    rules: {
      description: "The first rule that matches decides; without one a failure counts.",
      examples: [[{ action: "Ignore", onReasons: ["nodeLost"] }]],
    },
    maxIgnored: {
      description: "How many failures Ignore may forgive before they count.",
      examples: [10],
      default: 10,
    },
  },
  "failure rule": {
    action: {
      description: "Fail: the Job fails now. Ignore: retry at once, uncounted. Count: as usual.",
      examples: ["Fail", "Ignore", "Count"],
    },
    onExitCodes: {
      description: "Matches by exit code, either in or notIn; never 0.",
      examples: [{ in: [42] }],
    },
    onReasons: {
      description: "Matches by what happened, whatever the exit code.",
      examples: [["nodeLost", "outOfMemory"]],
    },
  },
  onExitCodes: {
    in: { description: "One of these exit codes.", examples: [[1, 2]] },
    notIn: { description: "None of these exit codes.", examples: [[42]] },
  },
};
