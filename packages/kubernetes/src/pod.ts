import { escapeExpansion } from "./expansion.ts";

/** The user that a pod runs as. */
export interface PodUser {
  readonly uid: number;
  readonly gid: number;
}

/** A container before it is a pod: what Jobs, schedules and services have in common. */
export interface Work {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[] | undefined;
  readonly environment: readonly EnvironmentEntry[];
  readonly resources: { readonly cpu?: string | undefined; readonly memory?: string | undefined };
  readonly volumes: readonly object[];
  readonly mounts: readonly object[];
  readonly user?: PodUser | undefined;
  readonly placement?:
    | readonly { key: string; operator: "equals" | "not_equals"; value: string }[]
    | undefined;
}

/** A variable of a container, by value or by a field of its pod. */
export type EnvironmentEntry =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly valueFrom: { fieldRef: { fieldPath: string } } };

export const LABELS = { "app.kubernetes.io/managed-by": "mesh" } as const;

/** A variable whose value reaches the process as it is. */
export function variable(name: string, value: string): EnvironmentEntry {
  return { name, value: escapeExpansion(value) };
}

/** A variable that Kubernetes fills in from the pod. */
export function fieldVariable(name: string, fieldPath: string): EnvironmentEntry {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

/**
 * The pod's specification. `command` of a manifest replaces the image's arguments, hence `args`.
 * What a host adds to every container is written out: no new privileges, no capabilities, the
 * default system calls, no token of the cluster.
 */
export function podSpec(work: Work, restartPolicy: "Never" | "Always"): object {
  const { name, image, command, environment, volumes, mounts, user, placement } = work;
  return {
    restartPolicy,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      ...(user === undefined
        ? {}
        : {
            runAsUser: user.uid,
            runAsGroup: user.gid,
            fsGroup: user.gid,
            ...(user.uid === 0 ? {} : { runAsNonRoot: true }),
          }),
      seccompProfile: { type: "RuntimeDefault" },
    },
    ...affinity(placement),
    containers: [
      {
        name,
        image,
        imagePullPolicy: "IfNotPresent",
        ...(command === undefined ? {} : { args: command.map(escapeExpansion) }),
        env: environment,
        ...limits(work.resources),
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        },
        ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
      },
    ],
    ...(volumes.length === 0 ? {} : { volumes }),
  };
}

/** Request and limit are the same. */
function limits({ cpu, memory }: Work["resources"]): object {
  if (cpu === undefined && memory === undefined) return {};
  const amount = {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
  };
  return { resources: { requests: amount, limits: amount } };
}

/** `NotIn` is also true of a node without the label, as `not_equals` is. */
function affinity(placement: Work["placement"]): object {
  if (placement === undefined || placement.length === 0) return {};
  const matchExpressions = placement.map(({ key, operator, value }) => ({
    key,
    operator: operator === "equals" ? "In" : "NotIn",
    values: [value],
  }));
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions }],
        },
      },
    },
  };
}
