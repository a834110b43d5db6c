import { formatYaml } from "@mesh/declaration/yaml";
import type { KubernetesObject } from "./to-kubernetes.ts";

/** Objects as one YAML text of several documents, for `kubectl apply -f`. */
export function formatKubernetesYaml(objects: readonly KubernetesObject[]): string {
  return objects.map(formatYaml).join("---\n");
}
