import { type ApiError, isApiError, type Report } from "@mesh/protocol";
import type { LinkContext } from "./link.ts";

/** The reports that the server has not acknowledged, on their way to it (A8). */
export interface Outbox {
  /** Sends the oldest that are due; resolves with how many the server took or refused. */
  send(): Promise<number>;
  /** Resolves when there may be something to send again. */
  wait(): Promise<void>;
}

/** At most this many at a time; the protocol allows 500. */
const BATCH = 100;
/** At most this many characters of JSON at a time: servers limit what they read at once. */
const BATCH_LENGTH = 200_000;
/** Refusals that a single report's content can cause, so that others must not wait behind it. */
const REFUSALS = [400, 413, 422, 500];
/** When a report is sent again that the server refused. */
const REFUSED_MS = 60_000;

/** A report that the server refuses is put aside for a while and holds up no other. */
export function createOutbox(context: LinkContext): Outbox {
  const { client, registration, journal, clock, log, signal } = context;
  const { node } = registration;
  /** Until when of elapsed time each refused report is left aside. */
  const aside = new Map<string, number>();
  const deliver = async (reports: readonly Report[]): Promise<void> => {
    const { acknowledged } = await client.report({ node, reports: [...reports] });
    const sent = new Set(reports.map(({ id }) => id));
    const known = acknowledged.filter((id) => sent.has(id));
    if (known.length === 0) throw new Error("the server acknowledged no report");
    for (const id of known) aside.delete(id);
    journal.acknowledge(known);
    context.onAcknowledged();
  };
  const deliverEach = async (reports: readonly Report[]): Promise<void> => {
    for (const report of reports) {
      try {
        await deliver([report]);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        aside.set(report.id, clock.elapsed() + REFUSED_MS);
        log.error({ report, reason: error.message }, "the server refuses a report");
      }
    }
  };
  return {
    send: async () => {
      const pending = journal
        .pendingReports(BATCH + aside.size)
        .filter(({ id }) => (aside.get(id) ?? 0) <= clock.elapsed());
      const batch = fitting(pending.slice(0, BATCH));
      if (batch.length === 0) return 0;
      try {
        await deliver(batch);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        await deliverEach(batch);
      }
      return batch.length;
    },
    wait: () =>
      context.reports.wait(signal, aside.size > 0 ? { clock, withinMs: REFUSED_MS } : undefined),
  };
}

function isRefusal(error: unknown): error is ApiError {
  return isApiError(error) && REFUSALS.includes(error.status);
}

/** The first of these that one request can hold; at least one. */
function fitting(pending: readonly Report[]): readonly Report[] {
  let length = 0;
  const end = pending.findIndex((report, index) => {
    length += JSON.stringify(report).length;
    return index > 0 && length > BATCH_LENGTH;
  });
  return end < 0 ? pending : pending.slice(0, end);
}
