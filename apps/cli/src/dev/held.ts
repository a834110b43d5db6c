/** What was started, to be stopped in the reverse order; `close` may be called once or often. */
export interface Held {
  /**
   * Waits for what is starting, and remembers how to stop it even if nobody waits any more.
   * What comes up after `close` is stopped at once, and the wait is rejected.
   */
  hold<T>(starting: Promise<T>, stop: (started: T) => Promise<unknown>): Promise<Holding<T>>;
  close(): Promise<void>;
}

export interface Holding<T> {
  readonly started: T;
  /** Stops it now and forgets it. */
  readonly stop: () => Promise<void>;
}

export function holdStarted(): Held {
  const stops: (() => Promise<void>)[] = [];
  let closed = false;
  return {
    async hold(starting, stop) {
      let stopped: Promise<void> | undefined;
      const stopOnce = (): Promise<void> => {
        stopped ??= starting.then(
          async (started) => void (await stop(started)),
          () => undefined,
        );
        return stopped;
      };
      // Remembered before it has started: a Ctrl-C in between must stop it all the same.
      stops.push(stopOnce);
      const started = await starting;
      if (!closed) return { started, stop: stopOnce };
      await stopOnce();
      throw new Error("it was stopped while it started");
    },
    async close() {
      closed = true;
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
    },
  };
}
