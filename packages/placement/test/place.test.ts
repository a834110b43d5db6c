import { describe, expect, it } from "vitest";
import { explainUnplaced, type NodeState, type PendingTask, placeTasks } from "../src/index.ts";

const Gi = 1024 ** 3;

/** A ready node of 2 cores and 4 GiB with nothing on it. */
function node(nodeId: string, more: Partial<NodeState> = {}): NodeState {
  return {
    nodeId,
    isReady: true,
    capacity: { cpuMillicores: 2000, memoryBytes: 4 * Gi },
    used: { cpuMillicores: 0, memoryBytes: 0 },
    ...more,
  };
}

/** A task of half a core and 1 GiB. */
function task(taskId: string, more: Partial<PendingTask> = {}): PendingTask {
  return { taskId, request: { cpuMillicores: 500, memoryBytes: Gi }, ...more };
}

function cpu(nodeId: string, cpuMillicores: number, more: Partial<NodeState> = {}): NodeState {
  return node(nodeId, { used: { cpuMillicores, memoryBytes: 0 }, ...more });
}

const inZone = (value: string) => [{ key: "zone", operator: "equals", value } as const];
const notInZone = (value: string) => [{ key: "zone", operator: "not_equals", value } as const];

/** "t1:a t2:b", and the reasons of those that got no node. */
function placed(pending: readonly PendingTask[], nodes: readonly NodeState[]): string {
  const { assignments, unplaced } = placeTasks(pending, nodes);
  return [
    ...assignments.map(({ taskId, nodeId }) => `${taskId}:${nodeId}`),
    ...unplaced.map(({ taskId, reasons }) => `${taskId} (${explainUnplaced(reasons)})`),
  ].join(" ");
}

describe("placeTasks", () => {
  it("[C31-12] takes a Job's task as any other work, by its constraint, or says why not (S3)", () => {
    const ams = node("a", { labels: { zone: "ams" } });
    const ber = node("b", { labels: { zone: "ber" } });
    const t1 = task("t1", { placement: inZone("ams") });
    expect(placeTasks([t1], [ams, ber])).toEqual({
      assignments: [{ taskId: "t1", nodeId: "a" }],
      unplaced: [],
    });
    const full = { ...ams, used: { cpuMillicores: 1600, memoryBytes: 0 } };
    expect(placeTasks([t1], [full, ber])).toEqual({
      assignments: [],
      unplaced: [
        {
          taskId: "t1",
          reasons: [
            { reason: "label", nodes: 1, key: "zone", found: "ber" },
            { reason: "cpu", nodes: 1 },
          ],
        },
      ],
    });
  });

  it.each<[string, readonly PendingTask[], readonly NodeState[], string]>([
    ["nothing to place", [], [node("a")], ""],
    ["the only node", [task("t1")], [node("a")], "t1:a"],
    ["the least loaded first", [task("t1")], [cpu("a", 600), cpu("b", 500)], "t1:b"],
    ["ties by name", [task("t1")], [node("b"), node("a"), node("c")], "t1:a"],
    ["names in code point order, not the locale's", [task("t1")], [node("b"), node("B")], "t1:B"],
    [
      "each task weighs on the next",
      [task("t1"), task("t2"), task("t3"), task("t4")],
      [node("a"), cpu("b", 400)],
      "t1:a t2:b t3:a t4:b",
    ],
    [
      "load is the larger of both shares",
      [task("t1")],
      [cpu("a", 1000), node("b", { used: { cpuMillicores: 0, memoryBytes: 2.5 * Gi } })],
      "t1:a",
    ],
    [
      "load is a share, not an amount",
      [task("t1")],
      [cpu("a", 1000), cpu("b", 1500, { capacity: { cpuMillicores: 8000, memoryBytes: 4 * Gi } })],
      "t1:b",
    ],
    ["exactly what is left is enough", [task("t1")], [cpu("a", 1500)], "t1:a"],
    [
      "one thousandth too little is not",
      [task("t1")],
      [cpu("a", 1501)],
      "t1 (1 node: 1 lacks cpu)",
    ],
    [
      "one byte too little is not",
      [task("t1")],
      [node("a", { used: { cpuMillicores: 0, memoryBytes: 3 * Gi + 1 } })],
      "t1 (1 node: 1 lacks memory)",
    ],
    [
      "a task that fits nowhere does not keep the next from its place",
      [task("t1", { request: { cpuMillicores: 9000, memoryBytes: 0 } }), task("t2")],
      [node("a")],
      "t2:a t1 (1 node: 1 lacks cpu)",
    ],
    [
      "a node that is not ready takes nothing, not even a request of nothing",
      [task("t1", { request: { cpuMillicores: 0, memoryBytes: 0 } })],
      [node("a", { isReady: false }), node("b", { isReady: false })],
      "t1 (2 nodes: 2 are not ready)",
    ],
    [
      "a node that is too full already takes nothing",
      [task("t1")],
      [cpu("a", 2500)],
      "t1 (1 node: 1 lacks cpu)",
    ],
    [
      "a node without a resource counts as full",
      [task("t1", { request: { cpuMillicores: 0, memoryBytes: 1 } })],
      [node("a", { capacity: { cpuMillicores: 0, memoryBytes: 8 } }), cpu("b", 1999)],
      "t1:b",
    ],
    ["no nodes", [task("t1")], [], "t1 (there are no nodes)"],
  ])("%s (S3)", (_, pending, nodes, expected) => {
    expect(placed(pending, nodes)).toBe(expected);
  });

  const ams = node("a", { labels: { zone: "ams" } });
  const ber = node("b", { labels: { zone: "ber" } });
  const bare = node("c");

  it.each<[string, Partial<PendingTask>, readonly NodeState[], string]>([
    ["equals", { placement: inZone("ber") }, [ams, ber, bare], "t1:b"],
    ["not_equals", { placement: notInZone("ams") }, [ams, ber, bare], "t1:b"],
    ["a missing label equals nothing", { placement: notInZone("ams") }, [ams, bare], "t1:c"],
    [
      "all constraints must hold",
      { placement: [...notInZone("ber"), ...notInZone("ams")] },
      [ams, ber, bare],
      "t1:c",
    ],
    [
      "every obstacle is counted",
      { placement: inZone("par") },
      [ams, ber, bare, { ...ber, nodeId: "d" }, node("e", { isReady: false })],
      "t1 (5 nodes: 1 is not ready, 2 have zone=ber, 1 has zone=ams, 1 has no label zone)",
    ],
    [
      "a label of the prototype is no label",
      { placement: [{ key: "constructor", operator: "equals", value: "a" }] },
      [ams],
      "t1 (1 node: 1 has no label constructor)",
    ],
    [
      "the issue's own example",
      { placement: inZone("ams"), request: { cpuMillicores: 1, memoryBytes: 5 * Gi } },
      [ams, { ...ams, nodeId: "d" }, ber],
      "t1 (3 nodes: 1 has zone=ber, 2 lack memory)",
    ],
  ])("a constraint: %s (S3)", (_, more, nodes, expected) => {
    expect(placed([task("t1", more)], nodes)).toBe(expected);
  });

  it.each<[string, readonly PendingTask[], readonly NodeState[], string]>([
    [
      "work goes where its claim is, however loaded",
      [task("t1", { claims: ["data"] })],
      [node("a"), cpu("b", 1000, { claims: ["data"] })],
      "t1:b",
    ],
    [
      "or nowhere, when there is no room",
      [task("t1", { claims: ["data"] })],
      [node("a"), cpu("b", 1600, { claims: ["data"] }), node("c")],
      "t1 (3 nodes: 2 lack claim data, bound to b, 1 lacks cpu)",
    ],
    [
      "or nowhere, when its node is not ready",
      [task("t1", { claims: ["data"] })],
      [node("a"), node("b", { isReady: false, claims: ["data"] })],
      "t1 (2 nodes: 1 is not ready, 1 lacks claim data, bound to b)",
    ],
    [
      "or nowhere, when a constraint forbids it",
      [task("t1", { claims: ["data"], placement: inZone("ams") })],
      [ams, { ...ber, claims: ["data"] }],
      "t1 (2 nodes: 1 lacks claim data, bound to b, 1 has zone=ber)",
    ],
    [
      "a new claim binds to the node of its first task, and the next follows",
      [task("t1", { claims: ["new"] }), task("t2"), task("t3", { claims: ["new"] })],
      [node("a"), node("b")],
      "t1:a t2:b t3:a",
    ],
    [
      "a new claim follows one that is bound",
      [task("t1", { claims: ["new", "data"] }), task("t2", { claims: ["new"] })],
      [node("a"), cpu("b", 500, { claims: ["data"] })],
      "t1:b t2:b",
    ],
    [
      "claims on two nodes have no place",
      [task("t1", { claims: ["x", "y"] })],
      [node("a", { claims: ["x"] }), node("b", { claims: ["y"] })],
      "t1 (2 nodes: 1 lacks claim y, bound to b, 1 lacks claim x, bound to a)",
    ],
  ])("a claim: %s (S6)", (_, pending, nodes, expected) => {
    expect(placed(pending, nodes)).toBe(expected);
  });
});

describe("a programming mistake is thrown with what is wrong", () => {
  it.each<[string, readonly PendingTask[], readonly NodeState[]]>([
    ["task t1 is given twice", [task("t1"), task("t1")], [node("a")]],
    ["node a is given twice", [], [node("a"), node("a")]],
    [
      "claim data is bound to two nodes",
      [],
      [node("a", { claims: ["data"] }), node("b", { claims: ["data"] })],
    ],
    [
      "request of task t1 must be from 0 to 2^53 - 1, found -1",
      [task("t1", { request: { cpuMillicores: -1, memoryBytes: 0 } })],
      [node("a")],
    ],
    [
      "request of task t1 must be from 0 to 2^53 - 1, found NaN",
      [task("t1", { request: { cpuMillicores: 0, memoryBytes: Number.NaN } })],
      [],
    ],
    [
      "capacity of node a must be from 0 to 2^53 - 1, found Infinity",
      [],
      [node("a", { capacity: { cpuMillicores: Number.POSITIVE_INFINITY, memoryBytes: 0 } })],
    ],
    [
      "used of node a must be from 0 to 2^53 - 1, found -1",
      [],
      [node("a", { used: { cpuMillicores: 0, memoryBytes: -1 } })],
    ],
    [
      "used of node a must be from 0 to 2^53 - 1, found 100",
      [],
      [node("a", { used: { cpuMillicores: "100" as never, memoryBytes: 0 } })],
    ],
    [
      "operator of task t1 must be equals or not_equals, found Equals",
      [task("t1", { placement: [{ key: "k", operator: "Equals" as never, value: "v" }] })],
      [],
    ],
  ])("%s", (message, pending, nodes) => {
    expect(() => placeTasks(pending, nodes)).toThrow(new RangeError(message));
  });
});
