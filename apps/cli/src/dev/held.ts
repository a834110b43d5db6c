/** What was started, to be stopped in the reverse order; `close` may be called once or often. */
export interface Held {
  /** Waits for what is starting, and remembers how to stop it even if nobody waits any more. */
  hold<T>(starting: Promise<T>, stop: (started: T) => Promise<unknown> | unknown): Promise<T>;
  close(): Promise<void>;
}

export function holdStarted(): Held {
  const stops: (() => Promise<void>)[] = [];
  return {
    async hold(starting, stop) {
      // Remembered before it has started: a Ctrl-C in between must stop it all the same.
      stops.push(async () => {
        const started = await starting.then(
          (value) => ({ value }),
          () => undefined,
        );
        if (started !== undefined) await stop(started.value);
      });
      return starting;
    },
    async close() {
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
    },
  };
}
