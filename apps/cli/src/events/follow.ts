import type { EventView, MeshClient } from "@mesh/protocol";

const page = 500;

/**
 * The id of the newest event there is; 0 when there is none. Ids grow, so it is found by doubling
 * and halving: a few dozen short questions, however long the history is.
 */
export async function newestEvent(client: MeshClient): Promise<number> {
  const nothingAfter = async (id: number): Promise<boolean> =>
    (await client.events({ after: id, limit: 1, waitSeconds: 0 })).length === 0;
  let low = 0;
  let high = 1;
  if (await nothingAfter(0)) return 0;
  while (!(await nothingAfter(high))) {
    low = high;
    high *= 2;
  }
  // There is something after `low` and nothing after `high`.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await nothingAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const looked = 500;

/** The last few events that `about` picks, oldest first, among the newest 500 there are. */
export async function recentEvents(
  client: MeshClient,
  about: (event: EventView) => boolean,
): Promise<readonly EventView[]> {
  const after = Math.max(0, (await newestEvent(client)) - looked);
  const events = await client.events({ after, limit: looked, waitSeconds: 0 });
  return events.filter(about).slice(-10);
}

/** Hands over each event after `after`, in order, as it happens, until `signal` aborts. */
export async function followEvents(
  client: MeshClient,
  {
    after,
    signal,
    tell,
  }: {
    readonly after: number;
    readonly signal: AbortSignal;
    readonly tell: (event: EventView) => Promise<void> | void;
  },
): Promise<void> {
  let seen = after;
  while (!signal.aborted) {
    let events: readonly EventView[];
    try {
      events = await client.events({ after: seen, limit: page, waitSeconds: 20, signal });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    for (const event of events) {
      seen = event.id;
      await tell(event);
    }
  }
}
