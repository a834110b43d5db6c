import type {
  HeartbeatRequest,
  MeshClient,
  NodeStatus,
  PollAnswer,
  RegisterRequest,
  Report,
} from "@mesh/protocol";
import { type ApiError, isApiError } from "@mesh/protocol";
import { backoffMs, type Clock, pause } from "../clock.ts";
import { messageOf } from "../engine/engine-error.ts";
import type { Log } from "../host/log.ts";
import type { Journal } from "../journal/journal.ts";
import type { Bell } from "./bell.ts";

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

/** At most this many at a time; the protocol allows 500. */
const BATCH = 100;
/** At most this many characters of JSON at a time: servers limit what they read at once. */
const BATCH_LENGTH = 200_000;
/** Refusals of the content: the same content sent again would be refused again. */
const UNREADABLE = [400, 413, 422];
/** Longest pause between two tries to reach the server. */
const LONGEST_PAUSE_MS = 30_000;

export function createLink(context: LinkContext): Link {
  const { client, registration, signal, reports, beats } = context;
  const { node } = registration;
  const session: Session = { revision: undefined, registered: false, leaseSeconds: 30 };
  return {
    flush: async () => {
      await sendReports(context);
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
          if ((await sendReports(context)) === 0) await reports.wait(signal);
        }),
      ]);
    },
  };
}

interface Session {
  /** What the last poll answered; the next one is held until something differs from it. */
  revision: string | undefined;
  registered: boolean;
  leaseSeconds: number;
}

async function register(context: LinkContext, session: Session): Promise<void> {
  const { client, registration, clock, onLease, log } = context;
  const sentAt = clock.elapsed();
  const { leaseSeconds } = await client.register(registration);
  session.registered = true;
  session.leaseSeconds = leaseSeconds;
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
  session.leaseSeconds = answer.leaseSeconds;
  onLease({ leaseSeconds: answer.leaseSeconds, sentAt });
  await bell.wait(signal, { clock, withinMs: (answer.leaseSeconds * 1000) / 4 });
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
}

/** Sends the oldest pending reports; resolves with how many the server acknowledged (A8). */
async function sendReports(context: LinkContext): Promise<number> {
  const { client, registration, journal, onAcknowledged } = context;
  const { node } = registration;
  const pending = fitting(journal.pendingReports(BATCH));
  if (pending.length === 0) return 0;
  const acknowledged = await client
    .report({ node, reports: [...pending] })
    .then((answer) => answer.acknowledged)
    .catch(async (error: unknown) => {
      // One report that the server cannot read must not hold up the others.
      if (!isUnreadable(error) || pending.length === 1) throw error;
      return sendEach(context, pending);
    });
  if (acknowledged.length === 0) throw new Error("the server acknowledged no report");
  journal.acknowledge(acknowledged);
  onAcknowledged();
  return acknowledged.length;
}

function isUnreadable(error: unknown): error is ApiError {
  return isApiError(error) && UNREADABLE.includes(error.status);
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

async function sendEach(
  { client, registration, log }: LinkContext,
  pending: readonly Report[],
): Promise<string[]> {
  const acknowledged: string[] = [];
  for (const report of pending) {
    try {
      const answer = await client.report({ node: registration.node, reports: [report] });
      acknowledged.push(...answer.acknowledged);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      log.error({ report, reason: error.message }, "the server cannot read a report");
    }
  }
  return acknowledged;
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
