/** What an editor says about a field; `pattern` is never stricter than the parser. */
export interface FieldWords {
  readonly description: string;
  readonly examples: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
}

type MapWords = Readonly<Record<string, FieldWords>>;

const DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const LABEL = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
const PATH = "^/";
const QUANTITY = "^\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$";
const CRON = "^[ \\t\\r\\n]*[0-9*/,-]+([ \\t]+[0-9*/,-]+){4}[ \\t\\r\\n]*$";

const schedule: FieldWords = {
  description:
    "Five cron fields: minute, hour, day of month, month, weekday (0 is Sunday). " +
    "All five must match, also when both day fields are restricted. No names, no macros.",
  examples: ["0 3 * * *", "*/5 * * * *", "0 9 * * 1-5"],
  pattern: CRON,
  maxLength: 256,
};

const place = {
  path: {
    description: "Absolute path under /var/lib/mesh/<module> or /etc/mesh/<module>.",
    examples: ["/var/lib/mesh/kometa", "/etc/mesh/kometa/config.yml"],
    pattern: "^/(var/lib|etc)/mesh/",
  },
  owner: {
    description: "The module's name, if given: nobody else can own it.",
    examples: ["kometa"],
  },
} satisfies MapWords;

const mode = {
  description:
    "Four octal digits as a string, the first one 0; no setuid, setgid or sticky bit, " +
    "no write permission for others.",
  pattern: "^0[0-7]{2}[0145]$",
} as const;

const image: FieldWords = {
  description: "The container image, pinned by its sha256 digest.",
  examples: [`ghcr.io/acme/kometa@sha256:${DIGEST}`],
  pattern: "^[^\\s$]+@sha256:[0-9a-f]{64}$",
};

const command: FieldWords = {
  description: "Arguments inside the image, in place of the image's own.",
  examples: [
    ["sync", "--all"],
    ["sh", "-c", "printf 'report\\n'"],
  ],
};

const environment: FieldWords = {
  description:
    "Environment variables. Values are strings: quote numbers and booleans. " +
    "Names that begin with MESH_ are set by the host.",
  examples: [{ TZ: "Europe/Amsterdam", PORT: "8080" }],
};

const resources: FieldWords = {
  description: "Processor time and memory; request and limit are the same.",
  examples: [{ cpu: "500m", memory: "128Mi" }],
};

const target: FieldWords = {
  description: "Where the container sees it: an absolute path outside /proc, /sys and /dev.",
  examples: ["/data"],
  pattern: PATH,
};

const readOnly: FieldWords = {
  description: "Whether the container may only read it.",
  examples: [true],
  default: false,
};

const seconds = (description: string, ...examples: readonly number[]): FieldWords => ({
  description,
  examples,
});

const jitter: FieldWords = {
  description:
    "Fraction of the delay, 0 to 1, that a hash of the Job and the attempt may take away.",
  examples: [0.2],
  default: 0,
};

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

const name = (what: string): FieldWords => ({
  description: `${what}: lower-case letters, digits and inner hyphens.`,
  examples: ["atlas-report"],
  pattern: LABEL,
});

/** Words for every field of every map, by the map's title in the schema. */
export const WORDS: Readonly<Record<string, MapWords>> = {
  module: {
    kind: { description: "May be left out: the shape tells it.", examples: ["Module"] },
    module: name("The module's name"),
    version: { description: "Version of this format.", examples: [1] },
    account: { description: "The module's own name, if given.", examples: ["kometa"] },
    resources: {
      description: "What the module needs on a node, in the order in which it is made.",
      examples: [[{ type: "directory", path: "/var/lib/mesh/kometa" }]],
    },
  },
  directory: {
    type: { description: "A directory.", examples: ["directory"] },
    ...place,
    mode: { ...mode, examples: ["0750"], default: "0750" },
  },
  file: {
    type: { description: "A file with the content given here.", examples: ["file"] },
    ...place,
    mode: { ...mode, examples: ["0640"], default: "0640" },
    content: {
      description: "The whole content of the file; a block after | keeps line breaks.",
      examples: ["cache: true\n"],
    },
  },
  container: {
    type: {
      description: "A container: a service, a run-once or a scheduled step.",
      examples: ["container"],
    },
    name: name("The container's name"),
    image,
    command,
    environment,
    volumes: {
      description: "Directories of this module that the container sees.",
      examples: [[{ source: "/var/lib/mesh/kometa", target: "/config" }]],
    },
    resources: { ...resources, description: `${resources.description} The host's own if absent.` },
    "run-once": {
      description:
        "Run to completion once, before what follows; a failure stops what follows. " +
        "Not together with schedule.",
      examples: [true],
      default: false,
    },
    schedule: {
      ...schedule,
      description: `Run to completion on this cadence, in UTC. ${schedule.description}`,
    },
  },
  volume: {
    source: {
      description: "A directory that this module declares, or below it.",
      examples: ["/var/lib/mesh/kometa"],
      pattern: PATH,
    },
    target,
    readOnly,
  },
  resources: {
    cpu: {
      description: "Cores, or thousandths of a core with m; above 0, at most 1000 cores.",
      examples: ["100m", "0.5", "2"],
      default: "100m",
      pattern: QUANTITY,
    },
    memory: {
      description: "Bytes, with a suffix such as Mi or Gi; above 0, in whole bytes.",
      examples: ["128Mi", "1Gi"],
      default: "128Mi",
      pattern: QUANTITY,
    },
  },
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
