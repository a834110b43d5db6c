import type { Db, Tx } from "./store.ts";

export interface BoundClaim {
  readonly namespace: string;
  readonly claim: string;
  readonly node: string;
}

/** A claim's name over all namespaces. */
export function claimKey(claim: { readonly namespace: string; readonly claim: string }): string {
  return `${claim.namespace}/${claim.claim}`;
}

/** The claims of these Jobs' specs that a node has already (S6). */
export async function boundClaims(
  db: Db,
  claims: readonly { namespace: string; claim: string }[],
): Promise<BoundClaim[]> {
  if (claims.length === 0) return [];
  return db
    .selectFrom("volume_claims")
    .select(["namespace", "claim", "node"])
    .where((is) =>
      is.or(
        claims.map(({ namespace, claim }) =>
          is.and([is("namespace", "=", namespace), is("claim", "=", claim)]),
        ),
      ),
    )
    .execute();
}

/** Binds the claims to the node at first use, and records which Job uses them. */
export async function useClaims(
  tx: Tx,
  use: { namespace: string; claims: readonly string[]; node: string; jobId: string; now: number },
): Promise<void> {
  const { namespace, claims, node, jobId, now } = use;
  for (const claim of new Set(claims)) {
    await tx.db
      .insertInto("volume_claims")
      .values({ namespace, claim, node, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await tx.db
      .insertInto("volume_uses")
      .values({ namespace, claim, job_id: jobId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** The Job uses its volumes no more; binding and data stay (J9). */
export async function releaseClaims(tx: Tx, jobId: string): Promise<void> {
  await tx.db.deleteFrom("volume_uses").where("job_id", "=", jobId).execute();
}
