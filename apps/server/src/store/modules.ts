import type { ModuleManifest } from "@mesh/declaration";
import type { Db, Tx } from "./store.ts";

export interface StoredModule {
  readonly name: string;
  readonly manifest: ModuleManifest;
  readonly updatedAt: number;
}

export async function findModule(db: Db, name: string): Promise<StoredModule | undefined> {
  const row = await db
    .selectFrom("modules")
    .selectAll()
    .where("name", "=", name)
    .executeTakeFirst();
  return row === undefined ? undefined : fromRow(row);
}

export async function listModules(db: Db, limit: number): Promise<StoredModule[]> {
  const rows = await db.selectFrom("modules").selectAll().orderBy("name").limit(limit).execute();
  return rows.map(fromRow);
}

/** The modules of one node, in the order of their names. */
export async function modulesOfNode(db: Db, node: string): Promise<StoredModule[]> {
  const rows = await db
    .selectFrom("assignments")
    .innerJoin("modules", "modules.name", "assignments.module")
    .selectAll("modules")
    .where("node", "=", node)
    .orderBy("modules.name")
    .execute();
  return rows.map(fromRow);
}

export async function nodesOfModule(db: Db, module: string): Promise<string[]> {
  const rows = await db
    .selectFrom("assignments")
    .select("node")
    .where("module", "=", module)
    .orderBy("node")
    .execute();
  return rows.map((row) => row.node);
}

/** All assignments of these modules, module by module. */
export async function assignmentsOf(
  db: Db,
  modules: readonly string[],
): Promise<{ module: string; node: string }[]> {
  if (modules.length === 0) return [];
  return db
    .selectFrom("assignments")
    .selectAll()
    .where("module", "in", modules)
    .orderBy("module")
    .orderBy("node")
    .execute();
}

/** Names of the modules of each of these nodes. */
export async function modulesByNode(
  db: Db,
  nodes: readonly string[],
): Promise<Map<string, string[]>> {
  const byNode = new Map<string, string[]>(nodes.map((node) => [node, []]));
  if (nodes.length === 0) return byNode;
  const rows = await db
    .selectFrom("assignments")
    .selectAll()
    .where("node", "in", nodes)
    .orderBy("module")
    .execute();
  for (const row of rows) byNode.get(row.node)?.push(row.module);
  return byNode;
}

export async function saveModule(tx: Tx, manifest: ModuleManifest, now: number): Promise<void> {
  const row = { manifest_json: JSON.stringify(manifest), updated_at: now };
  await tx.db
    .insertInto("modules")
    .values({ name: manifest.module, ...row })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
    .execute();
}

export async function deleteModule(tx: Tx, name: string): Promise<void> {
  await tx.db.deleteFrom("assignments").where("module", "=", name).execute();
  await tx.db.deleteFrom("modules").where("name", "=", name).execute();
}

/** The answer tells whether the assignment is new. */
export async function assign(tx: Tx, module: string, node: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx.db
    .insertInto("assignments")
    .values({ module, node })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

export async function unassign(tx: Tx, module: string, node: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom("assignments")
    .where("module", "=", module)
    .where("node", "=", node)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function fromRow(row: { name: string; manifest_json: string; updated_at: number }): StoredModule {
  return {
    name: row.name,
    manifest: JSON.parse(row.manifest_json) as ModuleManifest,
    updatedAt: row.updated_at,
  };
}
