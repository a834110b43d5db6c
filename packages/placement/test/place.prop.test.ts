import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Assignment,
  type NodeState,
  type PendingTask,
  placeTasks,
  type UnplacedReason,
} from "../src/index.ts";

const plain = { noNullPrototype: true } as const;
const zone = fc.constantFrom("ams", "ber", "par");
const claims = fc.subarray(["data", "logs", "tmp"], { maxLength: 2 });

const tasks = fc
  .array(
    fc.record(
      {
        request: fc.record({ cpuMillicores: fc.nat(40), memoryBytes: fc.nat(40) }, plain),
        placement: fc.array(
          fc.record(
            {
              key: fc.constantFrom("zone", "disk"),
              operator: fc.constantFrom("equals" as const, "not_equals" as const),
              value: zone,
            },
            plain,
          ),
          { maxLength: 2 },
        ),
        claims,
      },
      { requiredKeys: ["request"], noNullPrototype: true },
    ),
    { maxLength: 30 },
  )
  .map((all): readonly PendingTask[] => all.map((task, i) => ({ ...task, taskId: `t${i}` })));

const nodes = fc
  .record({
    all: fc.array(
      fc.record(
        {
          isReady: fc.constantFrom(true, true, true, false),
          labels: fc.record({ zone }, { requiredKeys: [], noNullPrototype: true }),
          capacity: fc.record({ cpuMillicores: fc.nat(100), memoryBytes: fc.nat(100) }, plain),
          used: fc.record({ cpuMillicores: fc.nat(60), memoryBytes: fc.nat(60) }, plain),
        },
        plain,
      ),
      { maxLength: 9 },
    ),
    homes: fc.record({ data: fc.nat(12), logs: fc.nat(12), tmp: fc.nat(12) }),
  })
  .map(({ all, homes }): readonly NodeState[] =>
    all.map((node, i) => ({
      ...node,
      nodeId: `n${i}`,
      claims: Object.entries(homes)
        .filter(([, home]) => home === i)
        .map(([claim]) => claim),
    })),
  );

/** S3 word by word: for each task look at every node. */
function placeOneByOne(pending: readonly PendingTask[], given: readonly NodeState[]): Assignment[] {
  const state = [...given]
    .sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
    .map((node) => ({ ...node, used: { ...node.used }, claims: [...(node.claims ?? [])] }));
  const assignments: Assignment[] = [];
  for (const { taskId, request, placement = [], claims: wanted = [] } of pending) {
    const fitting = state.filter(
      (node) =>
        node.isReady &&
        wanted.every((claim) => !state.some((o) => o !== node && o.claims.includes(claim))) &&
        placement.every(
          ({ key, operator, value }) => (node.labels?.[key] === value) === (operator === "equals"),
        ) &&
        node.capacity.cpuMillicores - node.used.cpuMillicores >= request.cpuMillicores &&
        node.capacity.memoryBytes - node.used.memoryBytes >= request.memoryBytes,
    );
    const loads = fitting.map(({ used, capacity }) =>
      Math.max(
        capacity.cpuMillicores > 0 ? used.cpuMillicores / capacity.cpuMillicores : 1,
        capacity.memoryBytes > 0 ? used.memoryBytes / capacity.memoryBytes : 1,
      ),
    );
    const chosen = fitting[loads.indexOf(Math.min(...loads))];
    if (chosen === undefined) continue;
    chosen.used.cpuMillicores += request.cpuMillicores;
    chosen.used.memoryBytes += request.memoryBytes;
    chosen.claims.push(...wanted.filter((claim) => !chosen.claims.includes(claim)));
    assignments.push({ taskId, nodeId: chosen.nodeId });
  }
  return assignments;
}

describe("placeTasks", () => {
  it("gives each task the node that looking at every node would give it (S3)", () => {
    fc.assert(
      fc.property(tasks, nodes, (pending, given) => {
        expect(placeTasks(pending, given).assignments).toEqual(placeOneByOne(pending, given));
      }),
      { numRuns: 1000 },
    );
  });

  it("places each task or says why not, once, in the order given", () => {
    fc.assert(
      fc.property(tasks, nodes, (pending, given) => {
        const { assignments, unplaced } = placeTasks(pending, given);
        const ids = pending.map(({ taskId }) => taskId);
        const inOrder = (some: readonly { taskId: string }[]) =>
          some.map(({ taskId }) => ids.indexOf(taskId));
        for (const places of [inOrder(assignments), inOrder(unplaced)]) {
          expect(places).toEqual([...places].sort((a, b) => a - b));
        }
        expect([...inOrder(assignments), ...inOrder(unplaced)].sort((a, b) => a - b)).toEqual(
          ids.map((_, i) => i),
        );
      }),
    );
  });

  it("never gives away more than a node has left", () => {
    fc.assert(
      fc.property(tasks, nodes, (pending, given) => {
        const requests = new Map(pending.map(({ taskId, request }) => [taskId, request]));
        const { assignments } = placeTasks(pending, given);
        for (const { nodeId, capacity, used } of given) {
          const taken = assignments.filter((assignment) => assignment.nodeId === nodeId);
          if (taken.length === 0) continue;
          const sum = (of: "cpuMillicores" | "memoryBytes") =>
            taken.reduce(
              (total, { taskId }) => total + (requests.get(taskId)?.[of] ?? 0),
              used[of],
            );
          expect(sum("cpuMillicores")).toBeLessThanOrEqual(capacity.cpuMillicores);
          expect(sum("memoryBytes")).toBeLessThanOrEqual(capacity.memoryBytes);
        }
      }),
    );
  });

  it("counts each node once among the reasons", () => {
    fc.assert(
      fc.property(tasks, nodes, (pending, given) => {
        for (const { reasons } of placeTasks(pending, given).unplaced) {
          expect(reasons.reduce((total, reason) => total + reason.nodes, 0)).toBe(given.length);
        }
      }),
    );
  });

  it("does not depend on the order in which nodes are given", () => {
    const shuffled = nodes.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray([...given], { minLength: given.length })),
    );
    fc.assert(
      fc.property(tasks, shuffled, (pending, [given, other]) => {
        expect(placeTasks(pending, other)).toEqual(placeTasks(pending, given));
      }),
    );
  });

  it("changes none of its arguments, and its answer is plain JSON", () => {
    fc.assert(
      fc.property(tasks, nodes, (pending, given) => {
        const before = structuredClone([pending, given]);
        const answer = placeTasks(pending, given);
        expect([pending, given]).toEqual(before);
        expect(JSON.parse(JSON.stringify(answer))).toStrictEqual(answer);
        expect(structuredClone(answer)).toStrictEqual(answer);
      }),
    );
  });
});

it("the cases of these properties meet each kind of obstacle", () => {
  const seen = new Set<UnplacedReason["reason"]>();
  for (const [pending, given] of fc.sample(fc.tuple(tasks, nodes), 300)) {
    for (const { reasons } of placeTasks(pending, given).unplaced) {
      for (const { reason } of reasons) seen.add(reason);
    }
  }
  expect([...seen].sort()).toEqual([
    "claimElsewhere",
    "cpu",
    "label",
    "memory",
    "noNodes",
    "notReady",
  ]);
});
