import { type Manifest, parseManifest } from "@mesh/declaration";
import { type KubernetesObject, type KubernetesOptions, toKubernetes } from "../src/index.ts";

export const DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
export const IMAGE = `ghcr.io/acme/kometa@sha256:${DIGEST}`;

export const job = (fields: object = {}): Manifest =>
  parseManifest({ name: "report", image: IMAGE, ...fields });

export const cronJob = (fields: object = {}): Manifest =>
  parseManifest({
    name: "report",
    schedule: "0 9 * * 1-5",
    missed: "Latest",
    jobTemplate: { image: IMAGE },
    ...fields,
  });

export const module = (...resources: readonly object[]): Manifest =>
  parseManifest({ module: "kometa", version: 1, resources });

export const container = (fields: object = {}): object => ({
  type: "container",
  name: "sync",
  image: IMAGE,
  ...fields,
});

/** The one object of a manifest that can be exported. */
export function only(manifest: Manifest, options?: KubernetesOptions): KubernetesObject {
  const { objects, diagnostics } = toKubernetes(manifest, options);
  const [object] = objects;
  if (object === undefined) throw new Error(JSON.stringify(diagnostics));
  return object;
}

/** Codes and pointers of what is not exact; errors are marked. */
export function told(manifest: Manifest, options?: KubernetesOptions): readonly string[] {
  return toKubernetes(manifest, options).diagnostics.map(
    ({ code, pointer, severity }) => `${severity === "error" ? "error " : ""}${code} ${pointer}`,
  );
}

/** The value at a path of an object. */
export function at(object: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((holder, key) => (holder as Record<string, unknown>)?.[key], object);
}
