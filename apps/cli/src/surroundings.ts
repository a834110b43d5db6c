import type { ZoneSource } from "@mesh/cron";
import type { Fetch } from "@mesh/protocol";

/**
 * All that a command may see of the world. `main.ts` reads it from the process once; a test
 * writes it down. `localZone` is the zone of the person who reads, found before the process
 * puts itself into UTC.
 */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
  readonly processId: number;
  readonly workingDirectory: string;
  readonly localZone: string;
  readonly zones: ZoneSource;
  readonly terminal: Terminal;
  readonly fetch: Fetch;
  readonly now: () => number;
  /** A new identifier, different each time; a UUID. */
  readonly newId: () => string;
  readonly readStdin: () => Promise<string>;
  /** Resolves with the name of the first signal that asks the process to stop. */
  readonly stopAsked: () => Promise<string>;
}

/** Where text goes: one line a call, without its line break. */
export interface Terminal {
  readonly colour: boolean;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}
