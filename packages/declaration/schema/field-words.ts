/** What an editor says about a field; `pattern` is never stricter than the parser. */
export interface FieldWords {
  readonly description: string;
  readonly examples: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
}

export type MapWords = Readonly<Record<string, FieldWords>>;

export const DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
export const LABEL = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
export const PATH = "^/";
export const QUANTITY =
  "^\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$";
export const CRON = "^[ \\t\\r\\n]*[0-9*/,-]+([ \\t]+[0-9*/,-]+){4}[ \\t\\r\\n]*$";

export const schedule: FieldWords = {
  description:
    "Five cron fields: minute, hour, day of month, month, weekday (0 is Sunday). " +
    "All five must match, also when both day fields are restricted. No names, no macros.",
  examples: ["0 3 * * *", "*/5 * * * *", "0 9 * * 1-5"],
  pattern: CRON,
  maxLength: 256,
};

export const place = {
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

export const mode = {
  description:
    "Four octal digits as a string, the first one 0; no setuid, setgid or sticky bit, " +
    "no write permission for others.",
  pattern: "^0[0-7]{2}[0145]$",
} as const;

export const image: FieldWords = {
  description: "The container image, pinned by its sha256 digest.",
  examples: [`ghcr.io/acme/kometa@sha256:${DIGEST}`],
  pattern: "^[^\\s$]+@sha256:[0-9a-f]{64}$",
};

export const command: FieldWords = {
  description: "Arguments inside the image, in place of the image's own.",
  examples: [
    ["sync", "--all"],
    ["sh", "-c", "printf 'report\\n'"],
  ],
};

export const environment: FieldWords = {
  description:
    "Environment variables. Values are strings: quote numbers and booleans. " +
    "Names that begin with MESH_ are set by the host.",
  examples: [{ TZ: "Europe/Amsterdam", PORT: "8080" }],
};

export const resources: FieldWords = {
  description: "Processor time and memory; request and limit are the same.",
  examples: [{ cpu: "500m", memory: "128Mi" }],
};

export const target: FieldWords = {
  description: "Where the container sees it: an absolute path outside /proc, /sys and /dev.",
  examples: ["/data"],
  pattern: PATH,
};

export const readOnly: FieldWords = {
  description: "Whether the container may only read it.",
  examples: [true],
  default: false,
};

export const seconds = (description: string, ...examples: readonly number[]): FieldWords => ({
  description,
  examples,
});

export const jitter: FieldWords = {
  description:
    "Fraction of the delay, 0 to 1, that a hash of the Job and the attempt may take away.",
  examples: [0.2],
  default: 0,
};

export const name = (what: string): FieldWords => ({
  description: `${what}: lower-case letters, digits and inner hyphens.`,
  examples: ["atlas-report"],
  pattern: LABEL,
});
