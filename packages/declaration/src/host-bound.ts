import type { Fault } from "./finding.ts";

/** What a host's owner allows; it comes from the host's own file, never from the link (R7). */
export interface HostBound {
  /** Where modules may have files and directories, each under its own name; two as delivered. */
  readonly roots: readonly string[];
  /** The uids that accounts are mapped to, both included. */
  readonly accountRange: { readonly first: number; readonly last: number };
  /** Registries that images may come from; any, if absent. */
  readonly registries?: readonly string[] | undefined;
  /** Whether processes without a container engine are allowed. */
  readonly rawExec: boolean;
  readonly maximum: {
    /** Bytes of a declaration as sent; checked by the host before it is parsed. */
    readonly declarationBytes: number;
    /** Resources of all modules together. */
    readonly resources: number;
    /** Scheduled containers of all modules together. */
    readonly schedules: number;
    /** Bytes for one container. */
    readonly memory: number;
    /** Millicores for one container. */
    readonly cpu: number;
    readonly pids: number;
    /** Bytes of one file's content in UTF-8. */
    readonly fileBytes: number;
  };
  /** The host's own name: a declaration for another node is refused. */
  readonly node?: string | undefined;
}

const MEASURES = {
  resources: "resources",
  memory: "bytes of memory for a container",
  cpu: "thousandths of a core for a container",
  fileBytes: "bytes in a file",
} as const;

/** A ceiling of the host that a declaration exceeds. */
export function overMaximum(
  what: keyof typeof MEASURES,
  found: number,
  { maximum }: HostBound,
): Fault | undefined {
  const most = maximum[what];
  if (found <= most) return undefined;
  return {
    code: "bound.maximum",
    message: `this host allows at most ${most} ${MEASURES[what]}`,
    found: String(found),
    help: `use less, or ask the host's owner to raise maximum.${what}`,
  };
}
