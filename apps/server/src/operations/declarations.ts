import { type HostDeclaration, renderDeclaration } from "@mesh/declaration";
import { modulesOfNode } from "../store/modules.ts";
import { findNode, saveDeclaration } from "../store/nodes.ts";
import { readStored } from "../store/read-stored.ts";
import type { Db, Tx } from "../store/store.ts";

/** What the node should hold now, under this generation (R3). */
export async function declarationFor(
  db: Db,
  node: string,
  generation: number,
): Promise<HostDeclaration> {
  const modules = await modulesOfNode(db, node);
  return renderDeclaration(
    modules.map(({ manifest }) => manifest),
    { node, generation },
  );
}

/**
 * Renders the node's declaration anew; its generation grows only when the content differs. A node
 * that has seen a higher generation than the server remembers gets one above that: the server's
 * state was set back, and a host refuses to go back.
 */
export async function refreshDeclaration(
  tx: Tx,
  node: string,
  options: { atLeast?: number } = {},
): Promise<boolean> {
  const row = await findNode(tx.db, node);
  if (row === undefined) return false;
  const { atLeast = 0 } = options;
  const now = readStored<HostDeclaration>(row.declaration_json);
  const fresh = await declarationFor(tx.db, node, Math.max(row.generation + 1, atLeast));
  const isSame = now !== undefined && content(now) === content(fresh);
  if (isSame && row.generation >= atLeast) return false;
  await saveDeclaration(tx, fresh);
  return true;
}

function content(declaration: HostDeclaration): string {
  return JSON.stringify({ ...declaration, generation: 0 });
}
