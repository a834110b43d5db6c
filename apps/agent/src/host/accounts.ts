import { createHash } from "node:crypto";
import type { Ownership } from "../files/module-files.ts";
import type { Journal } from "../journal/journal.ts";

/** Which user of the host's an account is; asking again gives the same answer. */
export type Accounts = (account: string) => Ownership;

/**
 * Maps each account to a uid of the host's own range (R3). The number is derived from the name, so
 * that a host that lost its journal finds the same one, and moves on where another account has it.
 */
export function mappedAccounts(
  journal: Journal,
  range: { readonly first: number; readonly last: number },
): Accounts {
  return (account) => {
    const uid = journal.uid(account) ?? journal.transaction(() => assign(journal, range, account));
    return { uid, gid: uid };
  };
}

/** For an agent that may not act for others: everything is its own. */
export function ownAccount(owner: Ownership): Accounts {
  return () => owner;
}

/** The account that the Jobs of a namespace run under; no module's account has a slash. */
export function namespaceAccount(namespace: string): string {
  return `namespace/${namespace}`;
}

function assign(
  journal: Journal,
  { first, last }: { readonly first: number; readonly last: number },
  account: string,
): number {
  const size = last - first + 1;
  const taken = new Set(journal.accounts().values());
  const digest = createHash("sha256").update(account).digest();
  const start = Number(digest.readBigUInt64BE() % BigInt(size));
  for (let step = 0; step < size; step += 1) {
    const uid = first + ((start + step) % size);
    if (taken.has(uid)) continue;
    journal.setUid(account, uid);
    return uid;
  }
  throw new RangeError(`no uid is left for ${account} between ${first} and ${last}`);
}
