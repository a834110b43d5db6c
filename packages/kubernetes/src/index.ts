export { formatKubernetesYaml } from "./format.ts";
export type { PodUser } from "./pod.ts";
export type { KubernetesCode } from "./reporter.ts";
export {
  type KubernetesExport,
  type KubernetesObject,
  type KubernetesOptions,
  toKubernetes,
} from "./to-kubernetes.ts";
