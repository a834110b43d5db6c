import { type JobManifest, type JobTemplate, parseImageReference } from "@mesh/declaration";
import { checkMounts } from "./mounts.ts";
import { fieldVariable, LABELS, podSpec, variable, type Work } from "./pod.ts";
import type { Reporter } from "./reporter.ts";

type Path = readonly (string | number)[];
type FailurePolicy = NonNullable<JobTemplate["failurePolicy"]>;
type FailureRule = FailurePolicy["rules"][number];

/** A `batch/v1` Job. */
export function jobObject(reporter: Reporter, manifest: JobManifest): object {
  const { name } = manifest;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, labels: { ...LABELS, "app.kubernetes.io/name": name } },
    spec: jobSpec(reporter, [], name, manifest),
  };
}

/** The specification of a Job or of a CronJob's template; every default is written out. */
export function jobSpec(
  reporter: Reporter,
  path: Path,
  name: string,
  template: JobTemplate,
): object {
  const { backoffLimit = 0, activeDeadlineSeconds, ttlSecondsAfterFinished } = template;
  warnOfDelay(reporter, path, template);
  return {
    parallelism: 1,
    completions: 1,
    backoffLimit,
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
    ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
    ...failurePolicy(reporter, [...path, "failurePolicy"], template.failurePolicy),
    template: {
      metadata: { labels: { ...LABELS, "app.kubernetes.io/name": name } },
      spec: podSpec(workOf(reporter, path, name, template), "Never"),
    },
  };
}

/** Retries are counted alike, but their delay is Kubernetes' own. */
function warnOfDelay(reporter: Reporter, path: Path, template: JobTemplate): void {
  const { backoff, backoffLimit = 0 } = template;
  if (backoffLimit === 0 && backoff === undefined) return;
  reporter.warn("kubernetes.delay", [...path, backoff === undefined ? "backoffLimit" : "backoff"], {
    message: "Kubernetes waits 10 s before a retry, doubling up to 6 minutes",
    help: "the number of attempts is the same; a delay of your own cannot be kept",
  });
}

function workOf(reporter: Reporter, path: Path, name: string, template: JobTemplate): Work {
  reporter.warn("kubernetes.environment", path, {
    message: "MESH_ATTEMPT and MESH_SCHEDULED_AT are not set in Kubernetes",
    help: "use MESH_RUN_ID, which is the same for every attempt of a run",
  });
  const { command, environment = {}, resources, placement } = template;
  const storage = [
    secretVolume(reporter, path, template),
    ...claimVolumes(reporter, path, template),
  ];
  const present = storage.filter((one) => one !== undefined);
  checkMounts(reporter, [...path, "volumeClaims"], present);
  return {
    name,
    image: parseImageReference(template.image).canonical,
    command,
    environment: [
      ...Object.entries(environment).map(([key, value]) => variable(key, value)),
      fieldVariable("MESH_RUN_ID", "metadata.labels['batch.kubernetes.io/job-name']"),
      fieldVariable("MESH_TASK_ID", "metadata.name"),
      fieldVariable("MESH_NAMESPACE", "metadata.namespace"),
      variable("MESH_NAME", name),
    ],
    resources: { cpu: resources?.cpu ?? "100m", memory: resources?.memory ?? "128Mi" },
    volumes: present.map(({ volume }) => volume),
    mounts: present.map(({ mount }) => mount),
    placement,
  };
}

interface Storage {
  readonly volume: object;
  readonly mount: { readonly name: string; readonly mountPath: string; readonly readOnly: boolean };
}

/** Each secret is a file under `/run/secrets` that has its name. */
function secretVolume(
  reporter: Reporter,
  path: Path,
  { secrets = [] }: JobTemplate,
): Storage | undefined {
  if (secrets.length === 0) return undefined;
  const sources = secrets.map(({ name, key = "value" }, index) => {
    const place = [...path, "secrets", index];
    checkSubdomain(reporter, [...place, "name"], name, "a Secret");
    reporter.warn("kubernetes.secret", place, {
      message: `a Secret ${name} with the key ${key} must be in the namespace`,
      help: `kubectl create secret generic ${name} --from-file=${key}=<file>`,
    });
    return { secret: { name, items: [{ key, path: name }] } };
  });
  return {
    volume: { name: "secrets", projected: { sources } },
    mount: { name: "secrets", mountPath: "/run/secrets", readOnly: true },
  };
}

function claimVolumes(
  reporter: Reporter,
  path: Path,
  { volumeClaims = [] }: JobTemplate,
): readonly Storage[] {
  const named = new Set<string>();
  return volumeClaims.map(({ claim, target, readOnly = false }, index) => {
    const name = `claim-${index}`;
    if (!named.has(claim)) {
      reporter.warn("kubernetes.claim", [...path, "volumeClaims", index], {
        message: `a PersistentVolumeClaim ${claim} must be in the namespace`,
        help: "Kubernetes does not make a claim on first use",
      });
    }
    named.add(claim);
    return {
      volume: { name, persistentVolumeClaim: { claimName: claim } },
      mount: { name, mountPath: target, readOnly },
    };
  });
}

export function checkSubdomain(reporter: Reporter, path: Path, name: string, what: string): void {
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return;
  reporter.fail("kubernetes.name", path, {
    message: `${what} in Kubernetes cannot have this name`,
    found: JSON.stringify(name),
    help: "use lower-case letters, digits, inner hyphens and dots",
  });
}

function failurePolicy(
  reporter: Reporter,
  path: Path,
  policy: FailurePolicy | undefined,
): { podFailurePolicy?: object } {
  if (policy === undefined || policy.rules.length === 0) return {};
  const rules = policy.rules.flatMap((rule, index) =>
    failureRule(reporter, [...path, "rules", index], rule),
  );
  if (policy.rules.some(({ action }) => action === "Ignore")) {
    reporter.warn("kubernetes.failure-policy", [...path, "maxIgnored"], {
      message: "Kubernetes ignores such failures without an end",
      help: "set activeDeadlineSeconds to bound them",
    });
  }
  if (policy.rules.length > 20) {
    reporter.fail("kubernetes.failure-policy", [...path, "rules"], {
      message: "Kubernetes takes at most 20 rules",
      found: String(policy.rules.length),
      help: "merge rules of one action",
    });
  }
  return rules.length === 0 ? {} : { podFailurePolicy: { rules } };
}

const MAX_EXIT_CODE = 0x7fff_ffff;
const MAX_EXIT_CODES = 255;

/** Kubernetes takes up to 255 codes of 32 bits with a sign. */
function checkExitCodes(reporter: Reporter, path: Path, values: readonly number[]): void {
  const large = values.find((code) => code > MAX_EXIT_CODE);
  if (large === undefined && values.length <= MAX_EXIT_CODES) return;
  reporter.fail("kubernetes.failure-policy", path, {
    message: `Kubernetes takes at most ${MAX_EXIT_CODES} codes, each up to ${MAX_EXIT_CODE}`,
    found: large === undefined ? `${values.length} codes` : String(large),
    help: "use fewer codes, or their opposite with in or notIn",
  });
}

const ACTIONS = { Fail: "FailJob", Ignore: "Ignore", Count: "Count" } as const;

function failureRule(reporter: Reporter, path: Path, rule: FailureRule): readonly object[] {
  const action = ACTIONS[rule.action];
  const { onExitCodes, onReasons } = rule;
  if (onReasons === undefined) {
    if (onExitCodes === undefined) return [];
    const list = "in" in onExitCodes ? onExitCodes.in : onExitCodes.notIn;
    const operator = "in" in onExitCodes ? "In" : "NotIn";
    const nonZero = [...new Set(list)].filter((code) => code !== 0 || operator === "NotIn");
    const values = nonZero.sort((a, b) => a - b);
    checkExitCodes(reporter, [...path, "onExitCodes"], values);
    return values.length === 0 ? [] : [{ action, onExitCodes: { operator, values } }];
  }
  if (onExitCodes !== undefined || onReasons.some((reason) => reason !== "nodeLost")) {
    reporter.refuse("kubernetes.failure-policy", path, {
      message: "Kubernetes knows no rule on both, and none for outOfMemory or neverStarted",
      help: "use a rule on exit codes alone, or on nodeLost alone",
    });
    return [];
  }
  reporter.warn("kubernetes.failure-policy", path, {
    message: "nodeLost becomes DisruptionTarget, which also covers evictions",
    help: "nothing to do if an eviction is to count the same",
  });
  return [{ action, onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }];
}
