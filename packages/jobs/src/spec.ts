import { exitCode } from "./bounds.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { JobSpecError } from "./errors.ts";
import {
  copyJson,
  list,
  map,
  number,
  oneOf,
  problem,
  type Shape,
  someOf,
  text,
  variant,
} from "./shape.ts";

/** How long a counted failure delays the retry (J6); absent means `None`. */
export type Backoff =
  | { readonly kind: "None" }
  | {
      readonly kind: "Constant";
      readonly delaySeconds: number;
      /** Fraction of the delay, 0 to 1, that a hash may take away; absent means 0. */
      readonly jitter?: number | undefined;
    }
  | {
      readonly kind: "Exponential";
      /** Delay after the first failure. */
      readonly delaySeconds: number;
      /** Growth with each further failure, 1 to 100; absent means 2. */
      readonly factor?: number | undefined;
      /** Longest delay; absent means 600. */
      readonly maxSeconds?: number | undefined;
      readonly jitter?: number | undefined;
    };

/** A condition on a failure and what follows; conditions that are present must all hold (J7). */
export interface FailureRule {
  readonly action: "Fail" | "Ignore" | "Count";
  /** Never matches exit code 0. */
  readonly onExitCodes?:
    | { readonly in: readonly number[] }
    | { readonly notIn: readonly number[] }
    | undefined;
  /** Matches whatever the exit code. */
  readonly onReasons?: readonly ("nodeLost" | "outOfMemory" | "neverStarted")[] | undefined;
}

/** The first rule that matches decides; without one a failure counts (J7). */
export interface FailurePolicy {
  readonly rules: readonly FailureRule[];
  /** How many failures `Ignore` may forgive; absent means 10. */
  readonly maxIgnored?: number | undefined;
}

/** The part of a spec that the lifecycle needs (J1); a spec of your own extends it. */
export interface JobPolicy {
  /** A DNS-1123 label: lower-case letters, digits and hyphens, at most 63. */
  readonly name: string;
  /** Retries beyond the first attempt, 0 to 10 000; absent means 0 (J4). */
  readonly backoffLimit?: number | undefined;
  readonly backoff?: Backoff | undefined;
  /** Counted from creation (J8). */
  readonly activeDeadlineSeconds?: number | undefined;
  /** How long the record stays after the end; absent means until it is deleted (J8). */
  readonly ttlSecondsAfterFinished?: number | undefined;
  readonly failurePolicy?: FailurePolicy | undefined;
}

/** Quantities such as `500m` and `128Mi`; each is request and limit in one. */
export interface Resources {
  readonly cpu?: string | undefined;
  readonly memory?: string | undefined;
}

/** One secret, or one key of it. */
export interface SecretReference {
  readonly name: string;
  readonly key?: string | undefined;
}

/** A node label that must, or must not, have a value. */
export interface PlacementConstraint {
  readonly key: string;
  readonly operator: "equals" | "not_equals";
  readonly value: string;
}

/** A claim on a volume and the path at which the work sees it. */
export interface VolumeClaim {
  readonly claim: string;
  readonly target: string;
  readonly readOnly?: boolean | undefined;
}

/** A container that runs to completion (J1). */
export interface JobSpec extends JobPolicy {
  readonly image: string;
  readonly command?: readonly string[] | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly resources?: Resources | undefined;
  readonly secrets?: readonly SecretReference[] | undefined;
  readonly placement?: readonly PlacementConstraint[] | undefined;
  readonly volumeClaims?: readonly VolumeClaim[] | undefined;
}

const MAX_SECONDS = 1_000_000_000;

/** The policy part, checked whole; other members pass, but for `resources` beside an image. */
export const specShape: Shape = /* @__PURE__ */ shapeOfSpec();

function shapeOfSpec(): Shape {
  const quantities = map({}, { resources: map({}, { cpu: text, memory: text }) }, true);
  const policy = map(
    { name: jobName },
    {
      backoffLimit: number(0, 10_000),
      backoff: shapeOfBackoff(),
      activeDeadlineSeconds: number(1, MAX_SECONDS),
      ttlSecondsAfterFinished: number(0, MAX_SECONDS),
      failurePolicy: map({ rules: list(shapeOfRule()) }, { maxIgnored: number(0, 10_000) }),
    },
    true,
  );
  return (value, pointer, problems) => {
    policy(value, pointer, problems);
    if (hasImage(value)) quantities(value, pointer, problems);
  };
}

function shapeOfBackoff(): Shape {
  const delaySeconds = number(0, MAX_SECONDS, false);
  const jitter = number(0, 1, false);
  const factor = number(1, 100, false);
  return variant("kind", {
    None: map({ kind: text }),
    Constant: map({ kind: text, delaySeconds }, { jitter }),
    Exponential: map({ kind: text, delaySeconds }, { factor, maxSeconds: delaySeconds, jitter }),
  });
}

function shapeOfRule(): Shape {
  const codes = list(exitCode);
  return someOf(
    map(
      { action: oneOf(["Fail", "Ignore", "Count"]) },
      {
        onExitCodes: someOf(map({}, { in: codes, notIn: codes }), ["in", "notIn"], 1),
        onReasons: list(oneOf(["nodeLost", "outOfMemory", "neverStarted"]), 1),
      },
    ),
    ["onExitCodes", "onReasons"],
    2,
  );
}

function jobName(value: unknown, pointer: string, problems: Diagnostic[]): void {
  if (typeof value === "string" && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value)) return;
  const before = problems.length;
  text(value, pointer, problems);
  if (problems.length > before) return;
  problems.push(
    problem("name.invalid", pointer, "must be a DNS-1123 label", {
      found: JSON.stringify(value),
      help: "use 1 to 63 of a-z, 0-9 and -, with no - at either end",
    }),
  );
}

/**
 * The spec as the Job keeps it: a copy with `backoffLimit` and, beside an image, both resources
 * filled in (J1). `nameInUse` says that an active Job of the namespace has the name (J2).
 * Throws a `JobSpecError` with every problem.
 */
export function fillSpec(spec: unknown, { nameInUse }: { nameInUse: boolean }): object {
  const problems: Diagnostic[] = [];
  const copy = copyJson(spec, "", problems);
  if (problems.length === 0) specShape(copy, "", problems);
  if (nameInUse) {
    problems.push(
      problem("job.name-in-use", "/name", "an active Job of this namespace has this name", {
        help: "choose another name, or wait until that Job has ended",
      }),
    );
  }
  if (problems.length > 0) throw new JobSpecError(problems);
  const filled = { backoffLimit: 0, ...(copy as object) };
  if (!hasImage(filled)) return filled;
  return { ...filled, resources: { cpu: "100m", memory: "128Mi", ...filled.resources } };
}

function hasImage(value: unknown): value is { image: unknown; resources?: object } {
  return typeof value === "object" && value !== null && "image" in value;
}
