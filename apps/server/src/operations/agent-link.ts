import type { HostDeclaration } from "@mesh/declaration";
import type {
  HeartbeatRequest,
  Lease,
  PollAnswer,
  PollRequest,
  RegisterRequest,
} from "@mesh/protocol";
import { notFound, refusal } from "../refusal.ts";
import { findNode, insertNode, renewLease, updateNode } from "../store/nodes.ts";
import { readStored } from "../store/read-stored.ts";
import { insertEvents } from "../store/records.ts";
import type { Db, Store } from "../store/store.ts";
import { jobsOnNode } from "../store/tasks.ts";
import { serverVersion } from "../version.ts";
import { nodeEvent } from "../words/host-events.ts";
import { declarationFor, refreshDeclaration } from "./declarations.ts";
import { resolveSecrets } from "./secrets.ts";
import { assignmentOf } from "./task-assignment.ts";

/** What the link's operations are given: the time of acceptance, and how long a lease holds. */
export interface LinkOptions {
  readonly now: number;
  readonly leaseSeconds: number;
}

/** The node makes itself known, or comes back; repeating it changes nothing (S3, S4). */
export async function registerNode(
  store: Store,
  request: RegisterRequest,
  { now, leaseSeconds }: LinkOptions,
): Promise<Lease> {
  const leaseExpiresAt = now + leaseSeconds * 1000;
  await store.write(async (tx) => {
    const known = await findNode(tx.db, request.node);
    if (known === undefined) {
      const declaration = await declarationFor(tx.db, request.node, 1);
      await insertNode(tx, request, { declaration, now, leaseExpiresAt });
    } else {
      await updateNode(tx, request);
      await renewLease(tx, request.node, { leaseExpiresAt });
    }
    tx.touch("placement");
    tx.touch("leases");
    if (known?.status === "ready") return;
    const { kind, version } = request.engine;
    const text = `${known === undefined ? "joins" : "is back"}, with ${kind} ${version}`;
    await insertEvents(tx, now, [nodeEvent(request.node, "node.joined", text)]);
  });
  return { leaseSeconds, serverVersion };
}

/** Renews the lease and takes the node's word on how it stands with its declaration (A1). */
export async function acceptHeartbeat(
  store: Store,
  { node, status }: HeartbeatRequest,
  { now, leaseSeconds }: LinkOptions,
): Promise<Lease> {
  await store.write(async (tx) => {
    const known = await findNode(tx.db, node);
    if (known === undefined) throw notFound("node", node);
    await renewLease(tx, node, { leaseExpiresAt: now + leaseSeconds * 1000, status });
    const events = statusEvents(node, known.status_json, status);
    if (known.status !== "ready") {
      tx.touch("placement");
      tx.touch("leases");
      events.unshift(nodeEvent(node, "node.joined", "is back"));
    }
    await insertEvents(tx, now, events);
  });
  return { leaseSeconds, serverVersion };
}

/** What changed in the node's own words: it became current, or says why it is not. */
function statusEvents(node: string, before: string | null, status: HeartbeatRequest["status"]) {
  const old = readStored<HeartbeatRequest["status"] | null>(before ?? "null") ?? undefined;
  const { generation, applied, current, problems } = status;
  const events = [];
  if (applied && current && !(old?.current === true && old.generation === generation)) {
    const text = `is current with generation ${generation}`;
    events.push(nodeEvent(node, "node.current", text, { generation }));
  }
  const known = new Set(old?.problems.map((problem) => JSON.stringify(problem)));
  for (const problem of problems) {
    if (known.has(JSON.stringify(problem))) continue;
    const { module, key, code, message } = problem;
    const where = key === undefined ? module : `${module}, ${key}`;
    events.push(
      nodeEvent(node, "node.problem", `has a problem with ${where}: ${message}`, { code }),
    );
  }
  return events;
}

/** No count of edits comes near it, and above it there is room for all that may follow. */
const HIGHEST_GENERATION = 2 ** 52;

/** What the node should hold, if it differs from the revision that the node has. */
export async function readDesired(
  store: Store,
  request: PollRequest,
): Promise<PollAnswer | undefined> {
  const answer = await store.read(async (db) => {
    const row = await findNode(db, request.node);
    if (row === undefined) throw notFound("node", request.node);
    const { generation } = request;
    if (generation !== undefined && generation > row.generation) {
      if (generation <= HIGHEST_GENERATION) return "ahead" as const;
      throw refusal(400, "poll.generation", `no declaration was ever numbered ${generation}`);
    }
    // Unlike a bare number it differs from what a server with other data would say.
    const revision = `${row.registered_at.toString(36)}.${row.revision}`;
    if (request.revision === revision) return undefined;
    const declaration = JSON.parse(row.declaration_json) as HostDeclaration;
    return {
      revision,
      ...(generation === row.generation ? {} : { declaration }),
      tasks: await desiredTasks(db, request.node),
    };
  });
  if (answer !== "ahead") return answer;
  const atLeast = (request.generation ?? 0) + 1;
  await store.write((tx) => refreshDeclaration(tx, request.node, { atLeast }));
  return readDesired(store, request);
}

async function desiredTasks(db: Db, node: string) {
  const { jobs } = await jobsOnNode(db, node);
  const secretsOf = await resolveSecrets(db, jobs);
  return jobs.map((job) => assignmentOf(job, secretsOf(job)));
}
