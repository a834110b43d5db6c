import type { EventView, MeshClient } from "@mesh/protocol";

const page = 500;

/** The id after which everything is new: that of the newest event there is. */
export async function newestEvent(client: MeshClient): Promise<number> {
  for (let after = 0; ; ) {
    const events = await client.events({ after, limit: page, waitSeconds: 0 });
    const last = events.at(-1);
    if (last === undefined) return after;
    after = last.id;
  }
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
