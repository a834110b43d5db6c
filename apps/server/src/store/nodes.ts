import type { HostDeclaration } from "@mesh/declaration";
import type { NodeStatus, RegisterRequest } from "@mesh/protocol";
import { READY } from "./literals.ts";
import type { NodeRow } from "./schema.ts";
import type { Db, Tx } from "./store.ts";

/** What an agent tells of its node at registration, as columns. */
function described(request: RegisterRequest) {
  return {
    labels_json: JSON.stringify(request.labels),
    cpu_millicores: request.capacity.cpuMillicores,
    memory_bytes: request.capacity.memoryBytes,
    engine_json: JSON.stringify(request.engine),
    agent_version: request.agentVersion,
    zone_data: request.zoneData,
  };
}

export async function findNode(db: Db, name: string): Promise<NodeRow | undefined> {
  return db.selectFrom("nodes").selectAll().where("name", "=", name).executeTakeFirst();
}

export async function listNodes(db: Db, limit: number): Promise<NodeRow[]> {
  return db.selectFrom("nodes").selectAll().orderBy("name").limit(limit).execute();
}

/** What placement needs of the nodes. */
export async function nodesForPlacement(db: Db) {
  return db
    .selectFrom("nodes")
    .select(["name", "labels_json", "cpu_millicores", "memory_bytes", "status"])
    .orderBy("name")
    .execute();
}

export async function insertNode(
  tx: Tx,
  request: RegisterRequest,
  first: { declaration: HostDeclaration; now: number; leaseExpiresAt: number },
): Promise<void> {
  await tx.db
    .insertInto("nodes")
    .values({
      name: request.node,
      ...described(request),
      status: "ready",
      lease_expires_at: first.leaseExpiresAt,
      status_json: null,
      generation: first.declaration.generation,
      declaration_json: JSON.stringify(first.declaration),
      revision: 1,
      registered_at: first.now,
    })
    .execute();
}

export async function updateNode(tx: Tx, request: RegisterRequest): Promise<void> {
  await tx.db
    .updateTable("nodes")
    .set(described(request))
    .where("name", "=", request.node)
    .execute();
}

/** The lease anew, and the node's own words about itself where it gave them (S4, A1). */
export async function renewLease(
  tx: Tx,
  node: string,
  options: { leaseExpiresAt: number; status?: NodeStatus | undefined },
): Promise<void> {
  const { leaseExpiresAt, status } = options;
  await tx.db
    .updateTable("nodes")
    .set({
      status: "ready",
      lease_expires_at: leaseExpiresAt,
      ...(status === undefined ? {} : { status_json: JSON.stringify(status) }),
    })
    .where("name", "=", node)
    .execute();
}

/** Names of nodes whose lease has lapsed and that are still held to be ready (S4). */
export async function lapsedNodes(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("nodes")
    .select("name")
    .where("status", "=", READY)
    .where("lease_expires_at", "<=", now)
    .orderBy("lease_expires_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.name);
}

export async function nextLapse(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom("nodes")
    .select("lease_expires_at")
    .where("status", "=", READY)
    .orderBy("lease_expires_at")
    .limit(1)
    .executeTakeFirst();
  return row?.lease_expires_at;
}

/** Moves every lease that holds by a step of the wall clock: a step is no silence of a node. */
export async function shiftLeases(tx: Tx, stepMs: number): Promise<void> {
  await tx.db
    .updateTable("nodes")
    .set((of) => ({ lease_expires_at: of("lease_expires_at", "+", stepMs) }))
    .where("status", "=", READY)
    .execute();
}

export async function setNodeLost(tx: Tx, node: string): Promise<void> {
  await tx.db.updateTable("nodes").set({ status: "lost" }).where("name", "=", node).execute();
}

/** Says that what the node should hold is no longer what it was last told. */
export async function raiseRevision(tx: Tx, node: string): Promise<void> {
  await tx.db
    .updateTable("nodes")
    .set((of) => ({ revision: of("revision", "+", 1) }))
    .where("name", "=", node)
    .execute();
  tx.touch(`node:${node}`);
}

export async function saveDeclaration(tx: Tx, declaration: HostDeclaration): Promise<void> {
  await tx.db
    .updateTable("nodes")
    .set({
      generation: declaration.generation,
      declaration_json: JSON.stringify(declaration),
    })
    .where("name", "=", declaration.node)
    .execute();
  await raiseRevision(tx, declaration.node);
}
