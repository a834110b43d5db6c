/**
 * Nodes by position, with what each has free and how loaded it is, in a tournament tree: every
 * inner place holds the least load and the most free cpu and memory below it. So the least loaded
 * node with room is found without looking at the rest, and taking some of it costs O(log nodes).
 */
export interface LoadTree {
  /** Number of leaves, a power of two; leaf `i` is at `width + i`. */
  readonly width: number;
  readonly load: Float64Array;
  readonly cpu: Float64Array;
  readonly memory: Float64Array;
}

export interface Leaf {
  readonly load: number;
  readonly cpu: number;
  readonly memory: number;
}

/** Free resources of places without a node: nothing fits there, not even a request of nothing. */
const NOTHING = -1;

export function createLoadTree(leaves: readonly Leaf[]): LoadTree {
  let width = 1;
  while (width < leaves.length) width *= 2;
  const tree: LoadTree = {
    width,
    load: new Float64Array(2 * width).fill(Number.POSITIVE_INFINITY),
    cpu: new Float64Array(2 * width).fill(NOTHING),
    memory: new Float64Array(2 * width).fill(NOTHING),
  };
  for (const [i, leaf] of leaves.entries()) setLeaf(tree, width + i, leaf);
  for (let place = width - 1; place >= 1; place -= 1) merge(tree, place);
  return tree;
}

/** Leaf `i` as it is now, and the places above it brought into line. */
export function updateLeaf(tree: LoadTree, i: number, leaf: Leaf): void {
  let place = tree.width + i;
  setLeaf(tree, place, leaf);
  for (place >>= 1; place >= 1; place >>= 1) merge(tree, place);
}

/**
 * The leaf with the least load, the lowest among equals, that has this much free and is `eligible`
 * (where given: not 0 at its position); -1 if there is none.
 */
export function leastLoaded(
  tree: LoadTree,
  request: { readonly cpu: number; readonly memory: number },
  eligible: Uint8Array | undefined,
): number {
  const { width, load } = tree;
  let best = -1;
  let bestLoad = Number.POSITIVE_INFINITY;
  const visit = (place: number): void => {
    const least = load[place] as number;
    // A subtree of equal load to the left of the best can still win the tie.
    if (least > bestLoad || (best >= 0 && least === bestLoad && firstLeaf(place, width) > best)) {
      return;
    }
    if ((tree.cpu[place] as number) < request.cpu) return;
    if ((tree.memory[place] as number) < request.memory) return;
    if (place >= width) {
      const leaf = place - width;
      if (eligible !== undefined && eligible[leaf] === 0) return;
      best = leaf;
      bestLoad = least;
      return;
    }
    const left = 2 * place;
    const rightFirst = (load[left + 1] as number) < (load[left] as number);
    visit(rightFirst ? left + 1 : left);
    visit(rightFirst ? left : left + 1);
  };
  visit(1);
  return best;
}

function firstLeaf(place: number, width: number): number {
  let leaf = place;
  while (leaf < width) leaf *= 2;
  return leaf - width;
}

function setLeaf(tree: LoadTree, place: number, leaf: Leaf): void {
  tree.load[place] = leaf.load;
  tree.cpu[place] = leaf.cpu;
  tree.memory[place] = leaf.memory;
}

function merge({ load, cpu, memory }: LoadTree, place: number): void {
  const left = 2 * place;
  load[place] = Math.min(load[left] as number, load[left + 1] as number);
  cpu[place] = Math.max(cpu[left] as number, cpu[left + 1] as number);
  memory[place] = Math.max(memory[left] as number, memory[left + 1] as number);
}
