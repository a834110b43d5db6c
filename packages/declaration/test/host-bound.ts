import type { HostBound } from "../src/index.ts";

/** A host as delivered, with room for a hundred resources. */
export const BOUND: HostBound = {
  roots: ["/var/lib/mesh", "/etc/mesh"],
  accountRange: { first: 200_000, last: 265_535 },
  registries: ["ghcr.io"],
  rawExec: false,
  maximum: {
    declarationBytes: 1_048_576,
    resources: 100,
    schedules: 20,
    memory: 2 ** 30,
    cpu: 2000,
    pids: 512,
    fileBytes: 65_536,
  },
};
