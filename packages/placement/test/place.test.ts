import { describe, expect, it } from "vitest";
import { explainUnplaced, type NodeState, type PendingTask, placeTasks } from "../src/index.ts";

const Gi = 1024 ** 3;

function node(nodeId: string, more: Partial<NodeState> = {}): NodeState {
  return {
    nodeId,
    isReady: true,
    capacity: { cpuMillicores: 2000, memoryBytes: 4 * Gi },
    used: { cpuMillicores: 0, memoryBytes: 0 },
    ...more,
  };
}

function task(taskId: string, more: Partial<PendingTask> = {}): PendingTask {
  return { taskId, request: { cpuMillicores: 500, memoryBytes: Gi }, ...more };
}

describe("placeTasks", () => {
  it("[C31-12] takes a Job's task as any other work, by its constraint, or says why not (S3)", () => {
    const ams = node("a", { labels: { zone: "ams" } });
    const ber = node("b", { labels: { zone: "ber" } });
    const t1 = task("t1", { placement: [{ key: "zone", operator: "equals", value: "ams" }] });
    expect(placeTasks([t1], [ams, ber])).toEqual({
      assignments: [{ taskId: "t1", nodeId: "a" }],
      unplaced: [],
    });

    const full = { ...ams, used: { cpuMillicores: 1600, memoryBytes: 0 } };
    const answer = placeTasks([t1], [full, ber]);
    expect(answer.assignments).toEqual([]);
    expect(answer.unplaced).toEqual([
      {
        taskId: "t1",
        reasons: [
          { reason: "label", nodes: 1, key: "zone", found: "ber" },
          { reason: "cpu", nodes: 1 },
        ],
      },
    ]);
    expect(explainUnplaced(answer.unplaced[0]?.reasons ?? [])).toBe(
      "2 nodes: 1 has zone=ber, 1 lacks cpu",
    );
  });
});
