/** Waits for `work` only until the signal aborts, and throws its reason then; the work goes on. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
