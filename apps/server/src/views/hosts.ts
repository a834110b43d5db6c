import type { ModuleView, NodeStatus, NodeView } from "@mesh/protocol";
import { notFound } from "../refusal.ts";
import {
  assignmentsOf,
  findModule,
  listModules,
  modulesByNode,
  nodesOfModule,
  type StoredModule,
} from "../store/modules.ts";
import { findNode, listNodes } from "../store/nodes.ts";
import { readStored } from "../store/read-stored.ts";
import type { NodeRow } from "../store/schema.ts";
import type { Db } from "../store/store.ts";
import { usedByNode } from "../store/tasks.ts";

export async function readModule(db: Db, name: string): Promise<ModuleView> {
  const module = await findModule(db, name);
  if (module === undefined) throw notFound("module", name);
  return moduleView(module, await nodesOfModule(db, name));
}

export async function readModules(db: Db, limit: number): Promise<ModuleView[]> {
  const modules = await listModules(db, limit);
  const assignments = await assignmentsOf(
    db,
    modules.map(({ name }) => name),
  );
  return modules.map((module) =>
    moduleView(
      module,
      assignments.filter((one) => one.module === module.name).map(({ node }) => node),
    ),
  );
}

function moduleView(module: StoredModule, nodes: readonly string[]): ModuleView {
  const { name, manifest, updatedAt } = module;
  return { module: name, manifest, updatedAt, nodes };
}

export async function readNode(db: Db, name: string): Promise<NodeView> {
  const row = await findNode(db, name);
  if (row === undefined) throw notFound("node", name);
  const [view] = await nodeViews(db, [row]);
  return view as NodeView;
}

export async function readNodes(db: Db, limit: number): Promise<NodeView[]> {
  return nodeViews(db, await listNodes(db, limit));
}

async function nodeViews(db: Db, rows: readonly NodeRow[]): Promise<NodeView[]> {
  const used = await usedByNode(db);
  const modules = await modulesByNode(
    db,
    rows.map(({ name }) => name),
  );
  return rows.map((row) => ({
    node: row.name,
    labels: readStored<Record<string, string>>(row.labels_json) ?? {},
    capacity: { cpuMillicores: row.cpu_millicores, memoryBytes: row.memory_bytes },
    used: used.get(row.name) ?? { cpuMillicores: 0, memoryBytes: 0 },
    engine: readStored<NodeView["engine"]>(row.engine_json) ?? unknownEngine,
    agentVersion: row.agent_version,
    zoneData: row.zone_data,
    ready: row.status === "ready",
    leaseExpiresAt: row.lease_expires_at,
    modules: modules.get(row.name) ?? [],
    generation: row.generation,
    ...statusOf(row),
  }));
}

/** Until the node registers again. */
const unknownEngine = { kind: "simulated", version: "unknown" } as const;

function statusOf({ status_json }: NodeRow): Pick<NodeView, "status"> {
  const status = readStored<NodeStatus | null>(status_json ?? "null") ?? undefined;
  return status === undefined ? {} : { status };
}
