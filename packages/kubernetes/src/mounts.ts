import type { Reporter } from "./reporter.ts";

type Path = readonly (string | number)[];

/** What Kubernetes' validation asks of the places of one container: no colon, and none twice. */
export function checkMounts(
  reporter: Reporter,
  path: Path,
  storage: readonly { readonly mount: { readonly mountPath: string } }[],
): void {
  const seen = new Set<string>();
  for (const { mountPath } of storage.map(({ mount }) => mount)) {
    if (mountPath.includes(":") || seen.has(mountPath)) {
      reporter.fail("kubernetes.volume", path, {
        message: seen.has(mountPath)
          ? "two volumes or files would have one place in the container"
          : "a place in a container cannot have a colon in Kubernetes",
        found: JSON.stringify(mountPath),
        help: "use another target",
      });
    }
    seen.add(mountPath);
  }
}
