import type { Clock } from "./clock.ts";
import type { Store, Topic } from "./store/store.ts";

/** Lets requests wait for what a commit changes, and ends all waits when the server stops. */
export interface Waiters {
  /**
   * The first answer that `read` has, read anew after each commit that touched `topic`; none once
   * `waitSeconds` have passed, the caller has gone, or the server stops.
   */
  wait<T>(options: {
    readonly topic: Topic;
    readonly waitSeconds: number;
    readonly read: () => Promise<T | undefined>;
    /** Calls back when the caller has gone. */
    readonly onGone?: ((gone: () => void) => void) | undefined;
  }): Promise<T | undefined>;
  close(): void;
}

export function createWaiters(store: Store, clock: Clock): Waiters {
  const waiting = new Map<Topic, Set<() => void>>();
  let closed = false;
  const wakeAll = (topic: Topic): void => {
    for (const wake of waiting.get(topic) ?? []) wake();
  };
  const unsubscribe = store.onCommit((topics) => {
    for (const topic of topics) wakeAll(topic);
  });
  return {
    async wait({ topic, waitSeconds, read, onGone }) {
      let over = waitSeconds <= 0;
      let news = false;
      let wake = (): void => {};
      const ring = (): void => {
        news = true;
        wake();
      };
      const end = (): void => {
        over = true;
        wake();
      };
      const cancel = clock.after(waitSeconds * 1000, end);
      onGone?.(end);
      const set = waiting.get(topic) ?? new Set();
      waiting.set(topic, set.add(ring));
      try {
        for (;;) {
          news = false;
          const answer = await read();
          if (answer !== undefined || over || closed) return answer;
          // A commit during the read has rung already.
          if (!news) await new Promise<void>((resolve) => (wake = resolve));
          if (over || closed) return await read();
        }
      } finally {
        cancel();
        set.delete(ring);
        if (set.size === 0) waiting.delete(topic);
      }
    },
    close() {
      closed = true;
      unsubscribe();
      for (const topic of [...waiting.keys()]) wakeAll(topic);
    },
  };
}
