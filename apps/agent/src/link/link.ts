import {
  type HeartbeatRequest,
  isApiError,
  type Lease,
  type MeshClient,
  type NodeStatus,
  type PollAnswer,
  type RegisterRequest,
} from "@mesh/protocol";
import { backoffMs, type Clock, pause } from "../clock.ts";
import { messageOf } from "../engine/engine-error.ts";
import type { Log } from "../host/log.ts";
import type { Journal } from "../journal/journal.ts";
import type { Bell } from "./bell.ts";
import { createOutbox } from "./outbox.ts";

/** The four calls of an agent. */
export type AgentClient = Pick<MeshClient, "register" | "heartbeat" | "poll" | "report">;

export interface LinkContext {
  readonly client: AgentClient;
  readonly registration: RegisterRequest;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Rings when something is to be reported. */
  readonly reports: Bell;
  /** Rings when the status may have changed. */
  readonly beats: Bell;
  readonly status: () => NodeStatus;
  /** The generation that was taken up. */
  readonly generation: () => number;
  /** A lease was granted by an answer to what was sent at `sentAt` of elapsed time (S4). */
  readonly onLease: (lease: { readonly leaseSeconds: number; readonly sentAt: number }) => void;
  readonly onPoll: (answer: PollAnswer, asked: { readonly askedAt: number }) => void;
  readonly onAcknowledged: () => void;
}

/** The agent's side of the link: it asks, reports and repeats; nothing else waits for it (A2). */
export interface Link {
  /** Runs until the signal aborts; never rejects. */
  run(): Promise<void>;
  /** Sends what is left, once; for a stop that everything else came to an end before. */
  flush(): Promise<void>;
}

/** Longest pause between two tries to reach the server. */
const LONGEST_PAUSE_MS = 30_000;
/** A lease below this could not be renewed in time; one above it would outlive any outage. */
const LEAST_LEASE_SECONDS = 1;
const MOST_LEASE_SECONDS = 86_400;
/** A server holds a poll until there is news; one that answers at once for ever is slowed down. */
const QUICK_MS = 1000;
const QUICK_ANSWERS = 20;
const SLOW_DOWN_MS = 100;

export function createLink(context: LinkContext): Link {
  const { client, registration, beats } = context;
  const { node } = registration;
  const session: Session = { revision: undefined, registered: false, quickAnswers: 0 };
  const outbox = createOutbox(context);
  return {
    flush: async () => {
      await outbox.send();
      await client.heartbeat({ node, status: context.status() });
    },
    run: async () => {
      // Nothing else is asked of the server before it knows the node.
      await repeat(
        context,
        "register",
        () => register(context, session),
        () => session.registered,
      );
      await Promise.all([
        repeat(context, "heartbeat", () => beat(context, session, beats)),
        repeat(context, "poll", () => poll(context, session)),
        repeat(context, "report", async () => {
          if ((await outbox.send()) === 0) await outbox.wait();
        }),
      ]);
    },
  };
}

interface Session {
  /** What the last poll answered; the next one is held until something differs from it. */
  revision: string | undefined;
  registered: boolean;
  /** Polls in a row that were answered at once. */
  quickAnswers: number;
}

async function register(context: LinkContext, session: Session): Promise<void> {
  const { client, registration, clock, onLease, log } = context;
  const sentAt = clock.elapsed();
  const leaseSeconds = leaseOf(await client.register(registration));
  session.registered = true;
  log.info({ leaseSeconds }, "registered");
  onLease({ leaseSeconds, sentAt });
}

async function beat(context: LinkContext, session: Session, bell: Bell): Promise<void> {
  const { client, registration, clock, signal, onLease } = context;
  if (!session.registered) await register(context, session);
  const request: HeartbeatRequest = { node: registration.node, status: context.status() };
  const sentAt = clock.elapsed();
  const answer = await client.heartbeat(request).catch((error: unknown) => {
    // A server that does not know the node any more is told again who it is.
    if (isApiError(error) && error.status === 404) session.registered = false;
    throw error;
  });
  const leaseSeconds = leaseOf(answer);
  onLease({ leaseSeconds, sentAt });
  await bell.wait(signal, { clock, withinMs: (leaseSeconds * 1000) / 4 });
}

async function poll(context: LinkContext, session: Session): Promise<void> {
  const { client, registration, clock, signal, generation, onPoll } = context;
  const askedAt = clock.elapsed();
  const answer = await client.poll(
    {
      node: registration.node,
      generation: generation(),
      ...(session.revision === undefined ? {} : { revision: session.revision }),
    },
    { signal },
  );
  if (signal.aborted) return;
  onPoll(answer, { askedAt });
  session.revision = answer.revision;
  session.quickAnswers = clock.elapsed() - askedAt < QUICK_MS ? session.quickAnswers + 1 : 0;
  if (session.quickAnswers > QUICK_ANSWERS) await pause(clock, SLOW_DOWN_MS, signal);
}

/** How long the lease lasts; a length that is none would never end, or never let work begin. */
function leaseOf({ leaseSeconds }: Lease): number {
  if (leaseSeconds >= LEAST_LEASE_SECONDS && leaseSeconds <= MOST_LEASE_SECONDS) {
    return leaseSeconds;
  }
  throw new RangeError(`the server's lease of ${leaseSeconds} seconds is none`);
}

/** Repeats `action` until the agent stops or it is done; a failure is waited out and logged. */
async function repeat(
  { clock, log, signal }: LinkContext,
  what: string,
  action: () => Promise<void>,
  isDone: () => boolean = () => false,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted && !isDone()) {
    try {
      await action();
      if (failures > 0) log.info({ call: what }, "the server answers again");
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const fields = { call: what, failures, reason: messageOf(error) };
      if (failures === 1 || failures % 20 === 0) log.warn(fields, "the server does not answer");
      await pause(clock, Math.min(backoffMs(failures), LONGEST_PAUSE_MS), signal);
    }
  }
}
