import type { Diagnostic } from "@mesh/declaration";

/** Why an export is not exact; a code keeps its meaning. */
export type KubernetesCode =
  | "kubernetes.account"
  | "kubernetes.and-days"
  | "kubernetes.backlog"
  | "kubernetes.claim"
  | "kubernetes.config-size"
  | "kubernetes.daylight-saving"
  | "kubernetes.deadline"
  | "kubernetes.delay"
  | "kubernetes.environment"
  | "kubernetes.failure-policy"
  | "kubernetes.file"
  | "kubernetes.gate"
  | "kubernetes.history"
  | "kubernetes.name"
  | "kubernetes.policy"
  | "kubernetes.resume"
  | "kubernetes.run-once"
  | "kubernetes.secret"
  | "kubernetes.volume";

type Path = readonly (string | number)[];

interface Words {
  readonly message: string;
  readonly help: string;
  readonly found?: string;
}

/** Collects what an export cannot keep. */
export interface Reporter {
  readonly diagnostics: readonly Diagnostic[];
  /** Something that Kubernetes does a little differently. */
  warn(code: KubernetesCode, path: Path, words: Words): void;
  /** Something that would mean another thing there; a warning if the caller accepts it. */
  refuse(code: KubernetesCode, path: Path, words: Words): void;
  /** Something for which there is no object at all. */
  fail(code: KubernetesCode, path: Path, words: Words): void;
}

/** A reporter that lets the accepted refusals pass as warnings. */
export function createReporter(accepted: readonly string[]): Reporter {
  const diagnostics: Diagnostic[] = [];
  const add = (severity: "error" | "warning", code: KubernetesCode, path: Path, words: Words) =>
    diagnostics.push({ code, severity, pointer: pointerTo(path), ...words });
  return {
    diagnostics,
    warn: (code, path, words) => {
      add("warning", code, path, words);
    },
    refuse: (code, path, words) => {
      add(accepted.includes(code) ? "warning" : "error", code, path, words);
    },
    fail: (code, path, words) => {
      add("error", code, path, words);
    },
  };
}

function pointerTo(path: Path): string {
  return path
    .map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}
