import type { Db, Tx } from "./store.ts";

export async function hasNamespace(db: Db, name: string): Promise<boolean> {
  const row = await db
    .selectFrom("namespaces")
    .select("name")
    .where("name", "=", name)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listNamespaces(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("namespaces")
    .select("name")
    .orderBy("name")
    .limit(limit)
    .execute();
  return rows.map((row) => row.name);
}

/** Makes the namespace; one that is there stays. The answer tells whether it is new. */
export async function ensureNamespace(tx: Tx, name: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx.db
    .insertInto("namespaces")
    .values({ name, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** Values of the secrets that have one of these names in one of these namespaces. */
export async function readSecrets(
  db: Db,
  of: { namespaces: readonly string[]; names: readonly string[] },
): Promise<{ namespace: string; name: string; key: string; value: string }[]> {
  if (of.names.length === 0) return [];
  return db
    .selectFrom("secrets")
    .select(["namespace", "name", "key", "value"])
    .where("namespace", "in", [...new Set(of.namespaces)])
    .where("name", "in", [...new Set(of.names)])
    .execute();
}

/** Sets all keys of a secret at once; keys that are not given go. */
export async function writeSecret(
  tx: Tx,
  secret: {
    namespace: string;
    name: string;
    values: Readonly<Record<string, string>>;
    now: number;
  },
): Promise<void> {
  const { namespace, name, values, now } = secret;
  await deleteSecret(tx, namespace, name);
  await tx.db
    .insertInto("secrets")
    .values(
      Object.entries(values).map(([key, value]) => ({
        namespace,
        name,
        key,
        value,
        updated_at: now,
      })),
    )
    .execute();
}

export async function deleteSecret(tx: Tx, namespace: string, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom("secrets")
    .where("namespace", "=", namespace)
    .where("name", "=", name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Names and keys only: a value never leaves the server but for the node that runs the work. */
export async function listSecrets(
  db: Db,
  namespace: string,
  limit: number,
): Promise<{ name: string; key: string; updated_at: number }[]> {
  return db
    .selectFrom("secrets")
    .select(["name", "key", "updated_at"])
    .where("namespace", "=", namespace)
    .orderBy("name")
    .orderBy("key")
    .limit(limit)
    .execute();
}
