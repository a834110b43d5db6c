export const engineChoices = ["auto", "docker", "podman", "raw-exec"] as const;
export type EngineChoice = (typeof engineChoices)[number];

/** What `mesh dev` can be told. */
export interface DevOptions {
  /** Loopback port of the server; 0 for any that is free. */
  readonly port: number;
  readonly engine: EngineChoice;
  /** Image of the example, pinned by digest. */
  readonly image: string;
}
