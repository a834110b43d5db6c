import type { Decision } from "../../src/index.ts";
import { demand } from "./laws.ts";
import {
  commit,
  decide,
  keyOf,
  type Local,
  loseNode,
  type Move,
  moves,
  renameNodes,
} from "./schedule-world.ts";

/** A move between stores by their numbers. */
export interface Step {
  readonly to: number;
  readonly raised: boolean;
  readonly cost: number;
}

export type Stores = ReturnType<typeof storesOf>;

/**
 * One schedule's stores and decisions by number, from 1, with what can happen to each worked out
 * once: so that the interleavings of two schedules are sums of small numbers, not of objects.
 */
export function storesOf() {
  const locals = numbering<Local>();
  const decisions = numbering<Decision>();
  const number = (local: Local): number => locals.number(keyOf(local), local);
  const toStep = (move: Move): Step => ({ ...move, to: number(move.to) });
  const rename = (store: number, a: string, b: string): number =>
    number(renameNodes(locals.at(store), { a, b }));
  return {
    number,
    size: locals.size,
    /** The decision at a minute, or 0 for a schedule that is deleted. */
    decide: memo((store, minute) => {
      if (locals.at(store).deleted) return 0;
      const decision = decide(locals.at(store), minute);
      const { outcomes, stopRunIds, schedule, wake, evidence } = decision;
      const facts = JSON.stringify([outcomes, stopRunIds, schedule, wake, evidence.now]);
      return decisions.number(facts, decision);
    }),
    commit: memo((store, decision) =>
      number(commitTwice(locals.at(store), decisions.at(decision))),
    ),
    moves: memo((store, minute) => moves(locals.at(store), minute).map(toStep)),
    /** What the loss of each of the two nodes does. */
    loseNode: memo((store, minute): readonly [Step, Step] => [
      toStep(loseNode(locals.at(store), "a", minute)),
      toStep(loseNode(locals.at(store), "b", minute)),
    ]),
    onOneNode: memo((store) => rename(store, "a", "a")),
    swapNodes: memo((store) => rename(store, "b", "a")),
  };
}

/** Commits, and checks that deciding again at the same instant creates nothing more (D11). */
function commitTwice(local: Local, decision: Decision): Local {
  const next = commit(local, decision);
  const again = decide(next, decision.evidence.now / 60_000);
  const more = again.outcomes.some(({ outcome }) => outcome === "create");
  // A run that no node has yet ends within the commit that stops it; that is news.
  const news = decision.evidence.truncated || decision.stopRunIds.length > 0;
  demand(!more || news, () => ["created again", decision, again]);
  return next;
}

function numbering<T>() {
  const values: T[] = [];
  const numbers = new Map<string, number>();
  return {
    at: (n: number): T => values[n - 1] as T,
    size: (): number => values.length,
    number: (key: string, value: T): number => {
      const known = numbers.get(key);
      if (known !== undefined) return known;
      values.push(value);
      numbers.set(key, values.length);
      return values.length;
    },
  };
}

/** Answers that are worked out once, by two small numbers. */
function memo<T>(work: (store: number, other: number) => T) {
  const known: T[][] = [];
  return (store: number, other = 0): T => {
    known[store] ??= [];
    const row = known[store];
    row[other] ??= work(store, other);
    return row[other];
  };
}
