import { describe, expect, it } from "vitest";
import { type JobEvent, parseJobEvent, pendingEffects } from "../src/index.ts";
import {
  after,
  ask,
  assigned,
  at,
  atlas,
  failed,
  gone,
  healthy,
  jobAfter,
  running,
  step,
  stopped,
  taskOf,
} from "./atlas.ts";

describe("a report that work has begun", () => {
  it("[C31-18] running makes the Job running, in the same attempt (J3)", () => {
    const state = after(atlas(), assigned("09:01"), running("09:02", "t1", "c1"));
    expect(state.job).toMatchObject({ status: "running", attempts: 1 });
    expect(state.job).not.toHaveProperty("completedAt");
    expect(taskOf(state, "t1")).toMatchObject({
      actualStatus: "running",
      nodeId: "a",
      containerId: "c1",
      startedAt: at("09:02"),
      updatedAt: at("09:02"),
    });
  });

  it("[C31-19] healthy makes the Job running, from assigned and from running (J3)", () => {
    const fromAssigned = after(atlas(), assigned("09:01"), healthy("09:02"));
    const fromRunning = after(atlas(), assigned("09:01"), running("09:02"), healthy("09:03"));
    for (const state of [fromAssigned, fromRunning]) {
      expect(state.job.status).toBe("running");
      expect(taskOf(state, "t1")).toMatchObject({
        actualStatus: "healthy",
        startedAt: at("09:02"),
      });
    }
  });

  it("[C31-27] every accepted report moves updatedAt, though the status stays (J3)", () => {
    const begun = after(atlas(), running("09:01"));
    expect(begun.job.updatedAt).toBe(at("09:01"));
    expect(jobAfter(begun, healthy("09:02"))).toMatchObject({
      status: "running",
      updatedAt: at("09:02"),
    });
  });

  it("needs no node: work that runs in the caller's own process reports as it is (J3)", () => {
    const state = after(atlas(), running("09:01"));
    expect(state.job.status).toBe("running");
    expect(taskOf(state, "t1")).not.toHaveProperty("nodeId");
    expect(taskOf(state, "t1")).not.toHaveProperty("containerId");
  });
});

describe("a report that work has ended", () => {
  it("[C31-20] stopped with 0 makes the Job succeeded (J3)", () => {
    const state = after(atlas(), assigned("09:01"), running("09:02"), stopped("09:05", 0));
    expect(state.job).toMatchObject({
      status: "succeeded",
      completedAt: at("09:05"),
      lastExitCode: 0,
    });
    expect(state.job).not.toHaveProperty("reason");
    expect(taskOf(state, "t1")).toMatchObject({
      actualStatus: "stopped",
      exitCode: 0,
      finishedAt: at("09:05"),
    });
  });

  it("[C31-21] stopped with another code fails the Job, or retries (J3)", () => {
    expect(jobAfter(atlas(), running("09:02"), stopped("09:05", 3))).toMatchObject({
      status: "failed",
      reason: "backoffLimit",
      lastExitCode: 3,
      completedAt: at("09:05"),
    });
    expect(jobAfter(atlas({ backoffLimit: 1 }), stopped("09:05", 3))).toMatchObject({
      status: "pending",
      attempts: 2,
    });
  });

  it("[C31-22] failed fails the Job, or retries (J3)", () => {
    const failure = failed("09:05", { exitCode: 137, reason: "outOfMemory" });
    const state = after(atlas(), failure);
    expect(state.job).toMatchObject({ status: "failed", lastExitCode: 137 });
    expect(taskOf(state, "t1")).toMatchObject({
      actualStatus: "failed",
      exitCode: 137,
      failureReason: "outOfMemory",
    });
    expect(jobAfter(atlas({ backoffLimit: 1 }), failure)).toMatchObject({ attempts: 2 });
  });

  it("[C31-23] failed is a failure even with exit code 0 (J3)", () => {
    expect(jobAfter(atlas(), failed("09:05", { exitCode: 0 }))).toMatchObject({
      status: "failed",
      lastExitCode: 0,
    });
  });

  it("[C31-24][C31-143] an untyped stopped report without a code reads as 0 (J3)", () => {
    const event = parseJobEvent({
      type: "taskReported",
      at: at("09:05"),
      taskId: "t1",
      status: "stopped",
    });
    expect(event).toMatchObject({ exitCode: 0 });
    expect(jobAfter(atlas(), event)).toMatchObject({ status: "succeeded", lastExitCode: 0 });
  });

  it("[C31-25][C31-143] a failed report without a code counts as 1 (J3)", () => {
    const state = after(atlas(), failed("09:05"));
    expect(state.job).toMatchObject({ status: "failed", lastExitCode: 1 });
    expect(taskOf(state, "t1").exitCode).toBe(1);
    expect(jobAfter(atlas({ backoffLimit: 1 }), failed("09:05"))).toMatchObject({
      status: "pending",
      attempts: 2,
      lastExitCode: 1,
    });
  });

  it("[C31-26] the last exit code is kept through the retry (J3)", () => {
    const retried = after(atlas({ backoffLimit: 1 }), stopped("09:05", 3));
    expect(retried.job).toMatchObject({ status: "pending", lastExitCode: 3 });
    expect(jobAfter(retried, stopped("09:07", 0, "t2"))).toMatchObject({
      status: "succeeded",
      lastExitCode: 0,
    });
  });

  it("[C31-31] a stopped report without a code does not compile, nor does it run (J3, A8)", () => {
    const event = { type: "taskReported", at: 0, taskId: "t1", status: "stopped" } as const;
    // @ts-expect-error the typed API asks for the exit code
    expect(() => step(atlas(), event)).toThrow("this is no job event");
  });

  it("a task that vanished while its Job was not over reads as failed with code 1 (J3)", () => {
    const state = after(atlas(), assigned("09:01"), gone("09:05"));
    expect(state.job).toMatchObject({ status: "failed", lastExitCode: 1, reason: "backoffLimit" });
    expect(taskOf(state, "t1")).toMatchObject({ actualStatus: "failed", exitCode: 1 });
    expect(taskOf(state, "t1")).not.toHaveProperty("failureReason");
    expect(jobAfter(atlas({ backoffLimit: 1 }), gone("09:05")).attempts).toBe(2);
  });
});

describe("a whole life", () => {
  it("[C31-29] one success, from creation to the end (J2, J3)", () => {
    const created = atlas();
    const placed = after(created, assigned("09:01"));
    const begun = after(placed, running("09:02"));
    const ended = after(begun, stopped("09:05", 0));
    expect([created, placed, begun, ended].map(({ job }) => job.status)).toEqual([
      "pending",
      "pending",
      "running",
      "succeeded",
    ]);
    expect(ended.tasks).toHaveLength(1);
    expect(ended.job.attempts).toBe(1);
  });

  it("[C31-30] one bounded failure, from creation to the end (J3, J4)", () => {
    const state = after(atlas({ backoffLimit: 1 }), stopped("09:05", 1), stopped("09:07", 2, "t2"));
    expect(state.job).toMatchObject({
      status: "failed",
      attempts: 2,
      taskIds: ["t1", "t2"],
      lastExitCode: 2,
    });
    expect(taskOf(state, "t1").exitCode).toBe(1);
  });

  it("[C31-28] an exit is an outcome: nothing starts again after it (J3, J10)", () => {
    const ended = after(atlas({ backoffLimit: 5 }), stopped("09:05", 0));
    expect(pendingEffects(ended)).toEqual([]);
    const dayLater = at("09:05") + 86_400_000;
    const answer = step(ended, { type: "timeReached", at: dayLater });
    expect(answer).toEqual({ state: ended, effects: [], outcome: "ignored", reason: "jobEnded" });
  });
});

describe("late, repeated and stale events", () => {
  it("[C31-32] change nothing once the Job has ended, and do not spend an attempt (J5)", () => {
    const ended = after(atlas(), running("09:02"), stopped("09:05", 0));
    for (const late of [running("09:06"), failed("09:06"), stopped("09:06", 1)]) {
      const answer = step(ended, late);
      expect(answer.state).toBe(ended);
      expect(answer).toMatchObject({ outcome: "ignored", reason: "taskOver", effects: [] });
    }
    const twice = after(atlas({ backoffLimit: 5 }), failed("09:05"), failed("09:05"));
    expect(twice.job.attempts).toBe(2);
  });

  it("[C31-14] only a pending task is assigned (J5)", () => {
    const pending = atlas();
    const rows: readonly [ReturnType<typeof atlas>, JobEvent, string][] = [
      [after(pending, running("09:02")), assigned("09:03"), "notForward"],
      [after(pending, assigned("09:02")), assigned("09:03", "t1", "b"), "notForward"],
      [after(pending, stopped("09:02", 0)), assigned("09:03"), "taskOver"],
      [pending, assigned("09:03", "t9"), "unknownTask"],
      [
        after(pending, assigned("09:01"), ask("cancelRequested", "09:02")),
        assigned("09:03"),
        "jobEnded",
      ],
    ];
    for (const [state, event, reason] of rows) {
      const answer = step(state, event);
      expect(answer).toMatchObject({ outcome: "ignored", reason, effects: [] });
      expect(answer.state).toBe(state);
    }
  });

  it.each<[string, readonly JobEvent[], JobEvent, string]>([
    ["a running task runs already", [running("09:02")], running("09:03"), "notForward"],
    ["a healthy task is beyond running", [healthy("09:02")], running("09:03"), "notForward"],
    ["a healthy task is healthy already", [healthy("09:02")], healthy("09:03"), "notForward"],
    ["there is no such task", [], running("09:03", "t9"), "unknownTask"],
    ["there is no such task to stop", [], stopped("09:03", 0, "t9"), "unknownTask"],
    ["an earlier attempt is over", [failed("09:02")], running("09:03"), "taskOver"],
    ["an earlier attempt has ended", [failed("09:02")], stopped("09:03", 0), "taskOver"],
    ["an earlier attempt is not assigned anew", [failed("09:02")], assigned("09:03"), "taskOver"],
    [
      "work that goes on in an ended Job",
      [assigned("09:01"), ask("cancelRequested", "09:02")],
      running("09:03"),
      "jobEnded",
    ],
    [
      "a second cancel",
      [ask("cancelRequested", "09:02")],
      ask("cancelRequested", "09:03"),
      "jobEnded",
    ],
    [
      "a second delete",
      [running("09:01"), ask("deleteRequested", "09:02")],
      ask("deleteRequested", "09:03"),
      "alreadyDeleted",
    ],
    [
      "a second suspend",
      [ask("suspendRequested", "09:02")],
      ask("suspendRequested", "09:03"),
      "alreadySuspended",
    ],
    ["a resume of what goes on", [], ask("resumeRequested", "09:03"), "notSuspended"],
    [
      "a suspend after the end",
      [stopped("09:02", 0)],
      ask("suspendRequested", "09:03"),
      "jobEnded",
    ],
    ["a resume after the end", [stopped("09:02", 0)], ask("resumeRequested", "09:03"), "jobEnded"],
    ["a time that means nothing", [], ask("timeReached", "09:03"), "tooEarly"],
    ["a time after the end", [stopped("09:02", 0)], ask("timeReached", "09:03"), "jobEnded"],
    [
      "a time while it is being deleted",
      [running("09:01"), ask("deleteRequested", "09:02")],
      ask("timeReached", "09:03"),
      "alreadyDeleted",
    ],
  ])("are ignored with a reason (J5): %s", (_, events, event, reason) => {
    const state = after(atlas({ backoffLimit: 1 }), ...events);
    const answer = step(state, event);
    expect(answer.state).toBe(state);
    expect(answer).toMatchObject({ outcome: "ignored", reason, effects: [] });
  });

  it("an event's time is clamped to the last: time never runs back in a Job (J5)", () => {
    const state = after(atlas({ backoffLimit: 1 }), running("09:05"), stopped("09:01", 1));
    expect(state.job.updatedAt).toBe(at("09:05"));
    expect(taskOf(state, "t1").finishedAt).toBe(at("09:05"));
    expect(taskOf(state, "t2").createdAt).toBe(at("09:05"));
  });

  it("after the end of its Job a live task may still end; the Job does not change (J5)", () => {
    const cancelled = after(atlas(), assigned("09:01"), ask("cancelRequested", "09:02"));
    const rows = [
      [gone("09:03"), { actualStatus: "removed" }],
      [stopped("09:03", 143), { actualStatus: "stopped", exitCode: 143 }],
      [stopped("09:03", 0), { actualStatus: "stopped", exitCode: 0 }],
      [
        failed("09:03", { reason: "nodeLost" }),
        { actualStatus: "failed", exitCode: 1, failureReason: "nodeLost" },
      ],
      [failed("09:03", { exitCode: 9 }), { actualStatus: "failed", exitCode: 9 }],
    ] as const;
    for (const [event, members] of rows) {
      const answer = step(cancelled, event);
      expect(answer.outcome).toBe("advanced");
      expect(answer.effects).toEqual([]);
      expect(answer.state?.job).toBe(cancelled.job);
      expect(answer.state?.tasks).toEqual([
        { ...cancelled.tasks[0], ...members, updatedAt: at("09:03"), finishedAt: at("09:03") },
      ]);
    }
    expect(taskOf(after(cancelled, gone("09:00")), "t1").finishedAt).toBe(at("09:02"));
  });
});
