/**
 * Some nodes, with what each has free and how loaded it is, as a tournament: every inner place
 * holds the least load and the most free cpu and memory below it. So the least loaded node with
 * room is found without looking at the rest, and a change of one costs O(log nodes).
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

/** Free resources of a leaf without a node: nothing fits there, not even a request of nothing. */
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

/** The leaf with the least load that has this much free, the lowest among equals; -1 if none. */
export function leastLoaded(tree: LoadTree, cpu: number, memory: number): number {
  const { width } = tree;
  let best = -1;
  let bestLoad = Number.POSITIVE_INFINITY;
  const visit = (place: number, firstLeaf: number, leaves: number): void => {
    const load = tree.load[place] as number;
    // On a tie only leaves to the left of the best can still win.
    if (load > bestLoad || (load === bestLoad && best >= 0 && firstLeaf > best)) return;
    if ((tree.cpu[place] as number) < cpu || (tree.memory[place] as number) < memory) return;
    if (leaves === 1) {
      best = place - width;
      bestLoad = load;
      return;
    }
    const left = 2 * place;
    const half = leaves / 2;
    const isRightFirst = (tree.load[left + 1] as number) < (tree.load[left] as number);
    if (isRightFirst) visit(left + 1, firstLeaf + half, half);
    visit(left, firstLeaf, half);
    if (!isRightFirst) visit(left + 1, firstLeaf + half, half);
  };
  visit(1, 0, width);
  return best;
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
