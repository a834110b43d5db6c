import type { ApplyAnswer } from "@mesh/protocol";
import { notFound } from "../refusal.ts";
import {
  assign,
  deleteModule,
  findModule,
  nodesOfModule,
  saveModule,
  unassign,
} from "../store/modules.ts";
import { findNode } from "../store/nodes.ts";
import { insertEvents } from "../store/records.ts";
import type { Store, Tx } from "../store/store.ts";
import { moduleEvent } from "../words/host-events.ts";
import type { Admitted } from "./admission.ts";
import { canonical } from "./canonical.ts";
import { refreshDeclaration } from "./declarations.ts";

/** The module as the manifest says, also on the nodes that hold it (S6, R3). */
export async function applyModule(
  store: Store,
  { manifest, warnings }: Admitted<"Module">,
  now: number,
): Promise<ApplyAnswer> {
  const name = manifest.module;
  return store.write(async (tx) => {
    const known = await findModule(tx.db, name);
    if (known !== undefined && canonical(known.manifest) === canonical(manifest)) {
      return { outcome: "unchanged", warnings };
    }
    await saveModule(tx, manifest, now);
    const nodes = await refreshNodes(tx, name);
    const where = nodes.length === 0 ? "no node has it yet" : `sent to ${nodes.join(", ")}`;
    await insertEvents(tx, now, [moduleEvent(name, "module.applied", `is applied: ${where}`)]);
    return { outcome: known === undefined ? "created" : "updated", warnings };
  });
}

/** Removes the module, also from the nodes that hold it. */
export async function removeModule(store: Store, name: string, now: number): Promise<void> {
  await store.write(async (tx) => {
    await requireModule(tx, name);
    const nodes = await nodesOfModule(tx.db, name);
    await deleteModule(tx, name);
    for (const node of nodes) await refreshDeclaration(tx, node);
    const where = nodes.length === 0 ? "" : `, also from ${nodes.join(", ")}`;
    await insertEvents(tx, now, [moduleEvent(name, "module.deleted", `is deleted${where}`)]);
  });
}

export async function assignModule(
  store: Store,
  to: { name: string; node: string; now: number },
): Promise<void> {
  const { name, node, now } = to;
  await store.write(async (tx) => {
    await requireModule(tx, name);
    if ((await findNode(tx.db, node)) === undefined) throw notFound("node", node);
    if (!(await assign(tx, name, node))) return;
    await refreshDeclaration(tx, node);
    const text = `is assigned to node ${node}`;
    await insertEvents(tx, now, [moduleEvent(name, "module.assigned", text)]);
  });
}

export async function unassignModule(
  store: Store,
  from: { name: string; node: string; now: number },
): Promise<void> {
  const { name, node, now } = from;
  await store.write(async (tx) => {
    await requireModule(tx, name);
    if ((await findNode(tx.db, node)) === undefined) throw notFound("node", node);
    if (!(await unassign(tx, name, node))) return;
    await refreshDeclaration(tx, node);
    const text = `is taken from node ${node}`;
    await insertEvents(tx, now, [moduleEvent(name, "module.unassigned", text)]);
  });
}

async function requireModule(tx: Tx, name: string): Promise<void> {
  if ((await findModule(tx.db, name)) === undefined) throw notFound("module", name);
}

async function refreshNodes(tx: Tx, name: string): Promise<string[]> {
  const nodes = await nodesOfModule(tx.db, name);
  for (const node of nodes) await refreshDeclaration(tx, node);
  return nodes;
}
