/** A directory as a host is told to keep it. */
export interface HostDirectory {
  readonly type: "directory";
  readonly path: string;
  readonly mode: string;
  /** The module's account. */
  readonly owner: string;
  readonly hash: string;
}

/** A file as a host is told to keep it. */
export interface HostFile {
  readonly type: "file";
  readonly path: string;
  readonly mode: string;
  readonly owner: string;
  readonly content: string;
  readonly hash: string;
}

/** A directory of the module, as a container sees it. */
export interface HostVolume {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** A container as a host is told to run it; without `schedule` and `run-once` it is a service. */
export interface HostContainer {
  readonly type: "container";
  readonly name: string;
  /** The module's account. */
  readonly account: string;
  /** Fully qualified and pinned by digest. */
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly HostVolume[];
  /** Absent members are the host's to set; never unlimited. */
  readonly resources: { readonly cpu?: string; readonly memory?: string };
  readonly "run-once": boolean;
  /** The manifest's text, unchanged; evaluated in UTC. */
  readonly schedule?: string;
  readonly hash: string;
}

export type HostResource = HostDirectory | HostFile | HostContainer;

/** A module as a host is told to keep it: its resources in the manifest's order. */
export interface HostModule {
  readonly module: string;
  /** `mesh-<module>`; the host maps it to a uid of its own range. */
  readonly account: string;
  readonly resources: readonly HostResource[];
}

/** Everything that one node should have, with every default written out (R3). */
export interface HostDeclaration {
  readonly v: 1;
  readonly node: string;
  /** Grows with each change of what the node should have. */
  readonly generation: number;
  readonly modules: readonly HostModule[];
}

/** One resource that was applied; recorded after it worked. */
export interface AppliedResource {
  readonly module: string;
  /** `type:path` or `container:name`. */
  readonly key: string;
  readonly hash: string;
  /** When a run-once container ended with exit code 0, in epoch milliseconds. */
  readonly ranOnceAt?: number;
  /** When a scheduled container of this content was installed, in epoch milliseconds. */
  readonly installedAt?: number;
}

/** What a host recorded as applied. */
export interface AppliedState {
  readonly v: 1;
  /** Of the last declaration that was applied whole; 0 before the first. */
  readonly generation: number;
  readonly resources: readonly AppliedResource[];
}

/** What a resource is known by within its module: two resources of one key are one resource. */
export function resourceKey(
  resource:
    | { readonly type: "directory" | "file"; readonly path: string }
    | { readonly type: "container"; readonly name: string },
): string {
  return `${resource.type}:${resource.type === "container" ? resource.name : resource.path}`;
}

/** A key taken apart. */
export function parseResourceKey(key: string): { type: HostResource["type"]; name: string } {
  const colon = key.indexOf(":");
  const type = key.slice(0, Math.max(colon, 0));
  if (type !== "directory" && type !== "file" && type !== "container") {
    throw new RangeError(`key must begin with directory:, file: or container:, found ${key}`);
  }
  return { type, name: key.slice(colon + 1) };
}
