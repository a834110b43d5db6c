import type { ScheduleSpec } from "../../src/index.ts";
import { firstLocal, MINUTES } from "./schedule-world.ts";
import { type Stores, storesOf } from "./stores.ts";

/**
 * Two schedules, two controllers, two nodes, one clock: a list of small numbers, packed into one.
 * A controller's number is 0, or a decision that it has made and not yet committed: twice the
 * decision's number, plus 1 if it is for the right schedule.
 */
interface World {
  minute: number;
  /** How many disturbances may still happen. */
  budget: number;
  left: number;
  right: number;
  first: number;
  second: number;
}

export interface Explored {
  readonly states: number;
  readonly steps: number;
  /** How many different stores one schedule can have. */
  readonly stores: number;
}

/**
 * Visits every world that any interleaving of the events reaches, each once; the invariants are
 * checked where a store's moves are worked out. A crash before the commit drops what a controller
 * has decided; a crash after it loses nothing, since everything is in the store by then. A decision
 * whose version was passed by is refused at its commit, so it is dropped at once.
 */
export function explore(
  spec: Omit<ScheduleSpec, "name" | "schedule">,
  { disturbances }: { readonly disturbances: number },
): Explored {
  const stores = storesOf();
  const start = stores.number(firstLocal(spec));
  // One set for each minute, budget and half: a single one holds 2^24 entries at most.
  const seen = Array.from({ length: 32 }, () => new Set<number>());
  const queue: number[] = [];
  const explored = { steps: 0 };
  const visit = (
    minute: number,
    budget: number,
    left: number,
    right: number,
    first: number,
    second: number,
  ): void => {
    explored.steps += 1;
    const key = canonical(stores, minute, budget, left, right, first, second);
    const shard = seen[(budget * 4 + minute) * 2 + (key & 1)] as Set<number>;
    if (shard.has(key)) return;
    shard.add(key);
    queue.push(key);
  };
  visit(0, disturbances, start, start, 0, 0);
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    const world = unpack(key);
    visitClock(world, visit);
    visitControllers(world, stores, visit);
    visitStores(world, stores, visit);
  }
  const states = seen.reduce((sum, { size }) => sum + size, 0);
  return { states, steps: explored.steps, stores: stores.size() };
}

type Visit = (
  minute: number,
  budget: number,
  left: number,
  right: number,
  first: number,
  second: number,
) => void;

function visitClock({ minute, budget, left, right, first, second }: World, visit: Visit): void {
  if (minute < MINUTES) visit(minute + 1, budget, left, right, first, second);
  if (minute > 0 && budget > 0) visit(minute - 1, budget - 1, left, right, first, second);
}

/** Each controller reads and decides, or commits what it has decided, or crashes before it. */
function visitControllers(world: World, stores: Stores, visit: Visit): void {
  const { minute, budget, left, right, first, second } = world;
  // The controllers are alike, and an idle one comes first: so only `second` may be busy alone.
  for (const [held, other] of first === second
    ? [[first, second]]
    : [
        [first, second],
        [second, first],
      ]) {
    if (held !== 0) {
      visit(minute, budget, left, right, 0, other as number);
      const decision = (held as number) >> 1;
      if (((held as number) & 1) === 0) {
        visit(minute, budget, stores.commit(left, decision), right, 0, keep(other as number, 1));
      } else {
        visit(minute, budget, left, stores.commit(right, decision), 0, keep(other as number, 0));
      }
      continue;
    }
    // Decisions of different schedules do not meet: one after the other stands for both.
    const busyWith = other === 0 ? undefined : (other as number) & 1;
    for (const side of [0, 1]) {
      if (busyWith !== undefined && busyWith !== side) continue;
      const decision = stores.decide(side === 0 ? left : right, minute);
      if (decision !== 0) visit(minute, budget, left, right, other as number, decision * 2 + side);
    }
  }
}

/** What happens to one schedule's store, or to both when a node is lost. */
function visitStores(world: World, stores: Stores, visit: Visit): void {
  const { minute, budget, left, right, first, second } = world;
  for (const { to, raised, cost } of stores.moves(left, minute)) {
    if (cost > budget) continue;
    if (!raised) visit(minute, budget - cost, to, right, first, second);
    else visit(minute, budget - cost, to, right, keep(first, 1), keep(second, 1));
  }
  for (const { to, raised, cost } of stores.moves(right, minute)) {
    if (cost > budget) continue;
    if (!raised) visit(minute, budget - cost, left, to, first, second);
    else visit(minute, budget - cost, left, to, keep(first, 0), keep(second, 0));
  }
  if (budget === 0) return;
  const ofLeft = stores.loseNode(left, minute);
  const ofRight = stores.loseNode(right, minute);
  for (const node of [0, 1] as const) {
    const [l, r] = [ofLeft[node], ofRight[node]];
    const kept = (held: number): number => {
      const afterLeft = l.raised ? keep(held, 1) : held;
      return r.raised ? keep(afterLeft, 0) : afterLeft;
    };
    visit(minute, budget - 1, l.to, r.to, kept(first), kept(second));
  }
}

/** The other schedule's version was raised: a decision is kept only if it is for `side`. */
function keep(held: number, side: 0 | 1): number {
  return (held & 1) === side ? held : 0;
}

/**
 * One number for all worlds that differ in names only: the two schedules, the two controllers and
 * the two nodes are alike, and once no node can be lost any more, the nodes are one.
 */
function canonical(
  stores: Stores,
  minute: number,
  budget: number,
  left: number,
  right: number,
  first: number,
  second: number,
): number {
  if (budget === 0) {
    return pack(minute, budget, stores.onOneNode(left), stores.onOneNode(right), first, second);
  }
  return Math.min(
    pack(minute, budget, left, right, first, second),
    pack(minute, budget, stores.swapNodes(left), stores.swapNodes(right), first, second),
  );
}

/**
 * 2 + 2 bits for minute and budget, 1 + 9 + 9 for what is held (both controllers hold decisions of
 * one schedule, if they hold any), 15 + 15 for the stores: a whole number that a double can hold.
 */
function pack(
  minute: number,
  budget: number,
  left: number,
  right: number,
  first: number,
  second: number,
): number {
  const flip = left > right ? 1 : 0;
  const side = (((first || second) & 1) ^ flip) & (first || second ? 1 : 0);
  const one = first >> 1;
  const two = second >> 1;
  const most = Math.max(one, two);
  const low = flip === 1 ? right : left;
  const high = flip === 1 ? left : right;
  if (high >= 2 ** 15 || most >= 512 || budget > 3) {
    throw new RangeError("the scope is too large for its numbers");
  }
  const held = (side * 512 + Math.min(one, two)) * 512 + most;
  return (((budget * 2 ** 19 + held) * 4 + minute) * 2 ** 15 + low) * 2 ** 15 + high;
}

function unpack(key: number): World {
  const stores = key % 2 ** 30;
  const rest = Math.floor(key / 2 ** 30);
  const held = Math.floor(rest / 4) % 2 ** 19;
  const side = held >> 18;
  const one = (held >> 9) & 511;
  const two = held & 511;
  return {
    minute: rest % 4,
    budget: Math.floor(rest / 2 ** 21),
    left: stores >> 15,
    right: stores & (2 ** 15 - 1),
    first: one === 0 ? 0 : one * 2 + side,
    second: two === 0 ? 0 : two * 2 + side,
  };
}
