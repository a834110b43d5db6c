import { expect, it } from "vitest";
import { attemptEnvironment, runEnvironment } from "../src/index.ts";
import { after, at, atlas, failed } from "./atlas.ts";

it("an attempt is told its run, its number and itself; the run is the same for all (J12)", () => {
  const state = after(atlas({ backoffLimit: 1 }), failed("09:05"));
  expect(attemptEnvironment(state, { taskId: "t1" })).toEqual({
    MESH_NAME: "atlas-report",
    MESH_NAMESPACE: "default",
    MESH_RUN_ID: "j1",
    MESH_TASK_ID: "t1",
    MESH_ATTEMPT: "1",
  });
  expect(attemptEnvironment(state, { taskId: "t2" })).toMatchObject({
    MESH_RUN_ID: "j1",
    MESH_TASK_ID: "t2",
    MESH_ATTEMPT: "2",
  });
});

it("scheduled work is told its occurrence, RFC 3339 in UTC (J12)", () => {
  const environment = attemptEnvironment(atlas(), { taskId: "t1", occurrenceAt: at("09:00") });
  expect(environment).toMatchObject({ MESH_SCHEDULED_AT: "2026-10-13T09:00:00Z" });
});

it("work that is no Job is told what it has: a module, and no task or namespace (J12)", () => {
  const facts = {
    name: "kometa-sync",
    attempt: 1,
    runId: "n1.kometa.kometa-sync",
    module: "kometa",
  };
  expect(runEnvironment({ ...facts, scheduledAt: at("03:00") })).toEqual({
    MESH_NAME: "kometa-sync",
    MESH_ATTEMPT: "1",
    MESH_RUN_ID: "n1.kometa.kometa-sync",
    MESH_SCHEDULED_AT: "2026-10-13T03:00:00Z",
    MESH_MODULE: "kometa",
  });
  expect(runEnvironment({ name: "kometa-web", attempt: 1 })).toEqual({
    MESH_NAME: "kometa-web",
    MESH_ATTEMPT: "1",
  });
});

it("a task of another Job is a programming mistake", () => {
  expect(() => attemptEnvironment(atlas(), { taskId: "t9" })).toThrow(RangeError);
});
