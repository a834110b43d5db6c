import { expect, it } from "vitest";
import {
  createJob,
  parseJobEvent,
  parseJobState,
  pendingEffects,
  transitionJob,
} from "../src/index.ts";

it("a Job goes from creation to success", () => {
  const now = Date.UTC(2026, 9, 13, 9);
  const created = createJob(
    { name: "atlas-report", image: "busybox" },
    { jobId: "j1", namespace: "default", now, taskId: "t1" },
  );
  expect(created.state.job.spec).toEqual({
    name: "atlas-report",
    image: "busybox",
    backoffLimit: 0,
    resources: { cpu: "100m", memory: "128Mi" },
  });
  expect(pendingEffects(created.state)).toEqual(created.effects);
  const assigned = transitionJob(created.state, {
    type: "taskAssigned",
    at: now,
    taskId: "t1",
    nodeId: "a",
  });
  const done = transitionJob(
    assigned.state as JobState,
    parseJobEvent({ type: "taskReported", at: now + 1, taskId: "t1", status: "stopped" }),
  );
  expect(done.state?.job.status).toBe("succeeded");
  expect(parseJobState(JSON.parse(JSON.stringify(done.state)))).toEqual(done.state);
});
