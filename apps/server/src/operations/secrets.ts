import type { JobSpec } from "@mesh/jobs";
import { readSecrets } from "../store/namespaces.ts";
import type { Db } from "../store/store.ts";
import type { SecretValue } from "../work.ts";

type References = NonNullable<JobSpec["secrets"]>;

/** The key that a reference without one means. */
export const DEFAULT_KEY = "value";

/** Which secret, or key of one, does not exist; no answer when all are there (C31-15). */
export async function missingSecrets(
  db: Db,
  namespace: string,
  references: References,
): Promise<string | undefined> {
  if (references.length === 0) return undefined;
  const known = await valuesOf(db, namespace, references);
  for (const { name, key = DEFAULT_KEY } of references) {
    if (known.get(`${name}/${key}`) !== undefined) continue;
    return `secret ${name} with key ${key} does not exist in namespace ${namespace}`;
  }
  return undefined;
}

/** The values as the process finds them, under the secrets' names (S6). */
export async function resolveSecrets(
  db: Db,
  namespace: string,
  references: References,
): Promise<SecretValue[]> {
  if (references.length === 0) return [];
  const known = await valuesOf(db, namespace, references);
  return references.flatMap(({ name, key = DEFAULT_KEY }) => {
    const value = known.get(`${name}/${key}`);
    return value === undefined ? [] : [{ name, value }];
  });
}

async function valuesOf(
  db: Db,
  namespace: string,
  references: References,
): Promise<Map<string, string>> {
  const names = [...new Set(references.map(({ name }) => name))];
  const rows = await readSecrets(db, namespace, names);
  return new Map(rows.map(({ name, key, value }) => [`${name}/${key}`, value]));
}
