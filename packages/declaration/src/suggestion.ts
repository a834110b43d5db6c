/** Words of other systems, and the name that says the same here. */
const SYNONYMS: Readonly<Record<string, string>> = {
  args: "command",
  claimname: "claim",
  cmd: "command",
  concurrency: "concurrencyPolicy",
  containerpath: "target",
  cron: "schedule",
  destination: "target",
  env: "environment",
  hostpath: "source",
  limits: "resources",
  maxretries: "backoffLimit",
  mountpath: "target",
  mounts: "volumes",
  nodeselector: "placement",
  permissions: "mode",
  placementconstraints: "placement",
  ro: "readOnly",
  retries: "backoffLimit",
  retry: "backoff",
  secretrefs: "secrets",
  src: "source",
  suspend: "suspended",
  template: "jobTemplate",
  timeout: "activeDeadlineSeconds",
  ttl: "ttlSecondsAfterFinished",
  tz: "timezone",
  zone: "timezone",
};

const NOT_KUBERNETES =
  "this is not a Kubernetes object: write its fields here, without metadata and spec";
const ONE_TASK = "a Job runs one task at a time: write several Jobs";

/** What to do instead, for words whose meaning has no field of its own. */
const ADVICE: Readonly<Record<string, string>> = {
  apiversion: NOT_KUBERNETES,
  metadata: NOT_KUBERNETES,
  spec: NOT_KUBERNETES,
  restartpolicy: "a Job is retried by backoffLimit; a service is started again by itself",
  namespace: "a namespace is never in a manifest: name it when you apply the file",
  parallelism: ONE_TASK,
  completions: ONE_TASK,
  enabled: "write suspended: true to stop a schedule",
};

/** Words that name a power which no manifest and no declaration can express (R7). */
const BOUND_OPTIONS: ReadonlySet<string> = new Set(
  (
    "privileged network pid ipc uts userns cgroupns devices gpus cap_add cap_drop security_opt " +
    "user group_add runtime sysctls ulimits volumes_from entrypoint env_file pull engine_args " +
    "labels hooks pre-start post-start pre-remove on-schedule restart extra_hosts dns tmpfs " +
    "ports cgroupns_mode podman_args"
  ).split(" "),
);

const FOLDED_BOUND_OPTIONS: ReadonlySet<string> = new Set([...BOUND_OPTIONS].map(fold));

/** Resource types that name such a power. */
const BOUND_SHAPES: ReadonlySet<string> = new Set(
  "command exec run timer unit package user symlink mount device socket".split(" "),
);

/** Such a word is one however another system spells it: `cap-add`, `capAdd` and `CAP_ADD`. */
export function isBoundOption(key: string): boolean {
  return FOLDED_BOUND_OPTIONS.has(fold(key));
}

export function isBoundShape(type: string): boolean {
  return BOUND_SHAPES.has(type);
}

/** Spellings that differ in case, dashes and underscores only are the same word. */
function fold(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, "");
}

/** The known name that `word` most likely means: same letters, a synonym, or one typing slip. */
export function nearestName(word: string, known: readonly string[]): string | undefined {
  if (word.length > 40) return undefined;
  const folded = fold(word);
  const same = known.find((name) => fold(name) === folded);
  if (same !== undefined) return same;
  const synonym = Object.hasOwn(SYNONYMS, folded) ? SYNONYMS[folded] : undefined;
  if (synonym !== undefined && known.includes(synonym)) return synonym;
  const tolerance = folded.length <= 4 ? 1 : folded.length <= 8 ? 2 : 3;
  let best: string | undefined;
  let least = tolerance + 1;
  for (const name of known) {
    const distance = editDistance(folded, fold(name), least);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

/** What to do about an unknown key that no known name answers. */
export function adviceFor(word: string): string | undefined {
  const folded = fold(word);
  return Object.hasOwn(ADVICE, folded) ? ADVICE[folded] : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours, counted up to `most`. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) >= most) return most;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    before = previous;
    previous = row;
  }
  return Math.min(previous[b.length] ?? most, most);
}
