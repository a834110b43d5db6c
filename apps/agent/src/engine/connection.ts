import type Dockerode from "dockerode";
import type { Clock } from "../clock.ts";
import { EngineError } from "./engine-error.ts";

export interface Connection {
  readonly docker: Dockerode;
  readonly socketPath: string;
  readonly clock: Clock;
}

/** A start on a busy machine takes seconds; what takes longer than this will not come. */
export const ANSWER_MS = 120_000;

/**
 * Gives up on an answer that does not come: the client library waits for ever where the line
 * breaks in the middle of one. Whoever asked finds out what became of it by looking again.
 */
export function answered<T>(
  { clock }: Pick<Connection, "clock">,
  call: Promise<T>,
  withinMs = ANSWER_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(withinMs, () => {
      reject(new EngineError("unavailable", `the engine gave no answer in ${withinMs / 1000} s`));
    });
    call.then(resolve, reject).finally(cancel);
  });
}
