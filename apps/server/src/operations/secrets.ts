import type { JobSpec } from "@mesh/jobs";
import type { StoredJob } from "../store/job-rows.ts";
import { readSecrets } from "../store/namespaces.ts";
import type { Db } from "../store/store.ts";

type References = NonNullable<JobSpec["secrets"]>;

/** A value of a secret, named as the file under which the process finds it. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** The key that a reference without one means. */
const DEFAULT_KEY = "value";

/** Which secret, or key of one, does not exist; no answer when all are there (C31-15). */
export async function missingSecrets(
  db: Db,
  namespace: string,
  references: References,
): Promise<string | undefined> {
  if (references.length === 0) return undefined;
  const names = references.map(({ name }) => name);
  const known = valuesByKey(await readSecrets(db, { namespaces: [namespace], names }));
  for (const { name, key = DEFAULT_KEY } of references) {
    if (known.has(`${namespace}/${name}/${key}`)) continue;
    return `secret ${name} with key ${key} does not exist in namespace ${namespace}`;
  }
  return undefined;
}

/** What each of these Jobs' processes finds under its secrets' names (S6): one query for all. */
export async function resolveSecrets(
  db: Db,
  jobs: readonly StoredJob[],
): Promise<(job: StoredJob) => SecretValue[]> {
  const wanted = jobs.map(({ state }) => state.job).filter(({ spec }) => spec.secrets?.length);
  const rows = await readSecrets(db, {
    namespaces: wanted.map(({ namespace }) => namespace),
    names: wanted.flatMap(({ spec }) => (spec.secrets ?? []).map(({ name }) => name)),
  });
  const known = valuesByKey(rows);
  return ({ state }) => {
    const { namespace, spec } = state.job;
    return (spec.secrets ?? []).flatMap(({ name, key = DEFAULT_KEY }) => {
      const value = known.get(`${namespace}/${name}/${key}`);
      return value === undefined ? [] : [{ name, value }];
    });
  };
}

function valuesByKey(rows: Awaited<ReturnType<typeof readSecrets>>): ReadonlyMap<string, string> {
  return new Map(
    rows.map(({ namespace, name, key, value }) => [`${namespace}/${name}/${key}`, value]),
  );
}
