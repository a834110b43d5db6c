import { type Manifest, type ModuleManifest, parseManifest } from "../src/index.ts";

export const DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
export const IMAGE = `ghcr.io/acme/kometa@sha256:${DIGEST}`;

/** The container `kometa-sync` with the given fields besides. */
export function container(fields: object = {}): object {
  return { type: "container", name: "kometa-sync", image: IMAGE, ...fields };
}

/** Module `kometa` as plain data, not parsed. */
export function moduleOf(...resources: readonly object[]): object {
  return { module: "kometa", version: 1, resources };
}

/** Module `kometa`, parsed. */
export function parsedModule(...resources: readonly object[]): ModuleManifest {
  return asModule(parseManifest(moduleOf(...resources)));
}

export function asModule(manifest: Manifest): ModuleManifest {
  if (manifest.kind !== "Module") throw new Error(`not a module but a ${manifest.kind}`);
  return manifest;
}

export const DIRECTORY = { type: "directory", path: "/var/lib/mesh/kometa" } as const;
