import { describe, expect, it } from "vitest";
import { activeRun, pendingEffects } from "../src/index.ts";
import {
  after,
  ask,
  assigned,
  at,
  atlas,
  failed,
  gone,
  jobAfter,
  running,
  step,
  stopped,
  taskOf,
} from "./atlas.ts";

describe("a deadline", () => {
  const short = (more = {}) => atlas({ activeDeadlineSeconds: 600, backoffLimit: 5, ...more });

  it("is counted from creation and wanted as a wake until the Job has ended (J8, J11)", () => {
    const state = short();
    const wake = { at: at("09:10") };
    expect(step(state, assigned("09:01")).wake).toEqual(wake);
    expect(step(state, ask("suspendRequested", "09:01")).wake).toEqual(wake);
    expect(step(state, ask("timeReached", "09:01")).wake).toEqual(wake);
    expect(step(state, failed("09:01")).wake).toEqual(wake);
    expect(step(state, stopped("09:01", 0))).not.toHaveProperty("wake");
    expect(step(atlas(), assigned("09:01"))).not.toHaveProperty("wake");
  });

  it("ends the Job at or after its time, never before (J8)", () => {
    const state = after(short(), assigned("09:01"), running("09:02"));
    expect(step(state, ask("timeReached", "09:09:59"))).toMatchObject({
      outcome: "ignored",
      reason: "tooEarly",
    });
    for (const time of ["09:10", "09:11"]) {
      const answer = step(state, ask("timeReached", time));
      expect(answer.state?.job).toMatchObject({
        status: "failed",
        reason: "deadlineExceeded",
        completedAt: at(time),
        attempts: 1,
      });
      expect(answer.effects).toEqual([{ id: "stop/t1", type: "stopTask", taskId: "t1" }]);
      expect(answer.state?.tasks[0]).toMatchObject({
        actualStatus: "running",
        desiredStatus: "removed",
      });
    }
  });

  it("is never followed by a retry (J8)", () => {
    const over = after(short(), assigned("09:01"), ask("timeReached", "09:10"));
    const state = after(over, failed("09:11", { reason: "deadlineExceeded" }));
    expect(state.job).toBe(over.job);
    expect(state.tasks).toHaveLength(1);
    expect(taskOf(state, "t1").failureReason).toBe("deadlineExceeded");
  });

  it("ends the Job by a failure accepted after it; exit 0 still succeeds (J8)", () => {
    const rules = [{ action: "Ignore", onExitCodes: { notIn: [] } }] as const;
    const state = after(short({ failurePolicy: { rules } }), assigned("09:01"), running("09:02"));
    for (const time of ["09:10", "09:11"]) {
      expect(jobAfter(state, stopped(time, 1))).toMatchObject({
        status: "failed",
        reason: "deadlineExceeded",
        lastExitCode: 1,
      });
      expect(jobAfter(state, stopped(time, 0)).status).toBe("succeeded");
    }
    expect(jobAfter(state, stopped("09:09:59", 1))).toMatchObject({ ignoredFailures: 1 });
  });

  it("keeps running while the Job is suspended (J8)", () => {
    const state = after(short(), ask("suspendRequested", "09:01"), ask("timeReached", "09:10"));
    expect(state.job).toMatchObject({ status: "failed", reason: "deadlineExceeded" });
  });
});

describe("cancel", () => {
  it("is the end of a Job, and its live task is to be removed (J8)", () => {
    const answer = step(after(atlas(), assigned("09:01")), ask("cancelRequested", "09:02"));
    expect(answer.state?.job).toMatchObject({
      status: "cancelled",
      completedAt: at("09:02"),
      updatedAt: at("09:02"),
    });
    expect(answer.state?.job).not.toHaveProperty("reason");
    expect(answer.state?.tasks[0]).toMatchObject({
      actualStatus: "assigned",
      desiredStatus: "removed",
    });
    expect(answer.effects).toEqual([{ id: "stop/t1", type: "stopTask", taskId: "t1" }]);
    expect(pendingEffects(answer.state ?? atlas())).toEqual(answer.effects);
  });

  it("removes a task at once that no node has (J8)", () => {
    const answer = step(atlas(), ask("cancelRequested", "09:02"));
    expect(answer.effects).toEqual([]);
    expect(answer.state?.tasks[0]).toMatchObject({
      actualStatus: "removed",
      desiredStatus: "removed",
      finishedAt: at("09:02"),
    });
    expect(answer.state?.tasks[0]).not.toHaveProperty("exitCode");
  });

  it("stops work that runs without a node, too (J8)", () => {
    const answer = step(after(atlas(), running("09:01")), ask("cancelRequested", "09:02"));
    expect(answer.effects).toEqual([{ id: "stop/t1", type: "stopTask", taskId: "t1" }]);
  });

  it("is not undone by a success that comes after it (J8, J10)", () => {
    const state = after(atlas(), running("09:01"), ask("cancelRequested", "09:02"));
    expect(jobAfter(state, stopped("09:03", 0)).status).toBe("cancelled");
  });
});

describe("suspend", () => {
  it("keeps an unassigned task from being assigned until the Job resumes (J8)", () => {
    const state = after(atlas(), ask("suspendRequested", "09:01"));
    expect(state.job).toMatchObject({ status: "pending", suspendedAt: at("09:01") });
    expect(pendingEffects(state)).toEqual([]);
    expect(step(state, assigned("09:02"))).toMatchObject({
      outcome: "ignored",
      reason: "suspended",
    });
    const answer = step(state, ask("resumeRequested", "09:03"));
    expect(answer.state?.job).not.toHaveProperty("suspendedAt");
    expect(answer.effects).toEqual([
      { id: `start/t1/${at("09:03")}`, type: "startTask", task: answer.state?.tasks[0] },
    ]);
    expect(jobAfter(state, ask("resumeRequested", "09:03"), assigned("09:04")).updatedAt).toBe(
      at("09:04"),
    );
  });

  it("lets what runs go on; its retry waits (J8)", () => {
    const state = after(
      atlas({ backoffLimit: 1 }),
      assigned("09:01"),
      running("09:02"),
      ask("suspendRequested", "09:03"),
    );
    expect(state.job.status).toBe("running");
    expect(jobAfter(state, stopped("09:04", 0)).status).toBe("succeeded");
    const retried = step(state, stopped("09:04", 1));
    expect(retried.state?.job).toMatchObject({ status: "pending", suspendedAt: at("09:03") });
    expect(retried.effects).toEqual([]);
    const resumed = step(state, ask("resumeRequested", "09:04"));
    expect(resumed.effects).toEqual([]);
    expect(resumed.state?.tasks).toBe(state.tasks);
    expect(resumed.state?.job.updatedAt).toBe(at("09:04"));
  });

  it("does not keep a Job from being cancelled (J8)", () => {
    const state = after(atlas(), ask("suspendRequested", "09:01"), ask("cancelRequested", "09:02"));
    expect(state.job.status).toBe("cancelled");
    expect(pendingEffects(state)).toEqual([]);
  });
});

describe("delete", () => {
  it("[C31-56] removes the record of a Job with no live task (J9)", () => {
    for (const state of [atlas(), after(atlas(), stopped("09:05", 0))]) {
      const answer = step(state, ask("deleteRequested", "09:06"));
      expect(answer).not.toHaveProperty("state");
      expect(answer).toEqual({
        outcome: "advanced",
        effects: [
          { id: "release/j1", type: "releaseVolumes", taskIds: ["t1"] },
          { id: "delete/j1", type: "deleteJob", jobId: "j1" },
        ],
      });
    }
  });

  it("[C31-56] keeps the record, marked, until the last live task has ended (J9)", () => {
    const state = after(atlas(), assigned("09:01"), ask("deleteRequested", "09:02"));
    expect(state.job).toMatchObject({
      status: "cancelled",
      deletedAt: at("09:02"),
      completedAt: at("09:02"),
      updatedAt: at("09:02"),
    });
    expect(activeRun(state)).toEqual({ id: "j1", status: "stopping" });
    expect(step(state, gone("09:03"))).not.toHaveProperty("state");
  });

  it("[C31-57] asks for the removal of the live task (J9)", () => {
    const answer = step(after(atlas(), assigned("09:01")), ask("deleteRequested", "09:02"));
    expect(answer.effects).toEqual([{ id: "stop/t1", type: "stopTask", taskId: "t1" }]);
  });

  it("[C31-58] releases the volumes of all tasks once none is live (J9)", () => {
    const state = after(
      atlas({ backoffLimit: 1 }),
      stopped("09:05", 1),
      assigned("09:06", "t2"),
      ask("deleteRequested", "09:07"),
    );
    expect(pendingEffects(state).map(({ type }) => type)).toEqual(["stopTask"]);
    const answer = step(state, stopped("09:08", 143, "t2"));
    expect(answer.effects).toEqual([
      { id: "release/j1", type: "releaseVolumes", taskIds: ["t1", "t2"] },
      { id: "delete/j1", type: "deleteJob", jobId: "j1" },
    ]);
  });

  it("is never followed by a retry (J9)", () => {
    const state = after(
      atlas({ backoffLimit: 5 }),
      running("09:01"),
      ask("deleteRequested", "09:02"),
    );
    expect(step(state, failed("09:03"))).not.toHaveProperty("state");
  });

  it("of a Job that has ended but whose task still lives waits for that task (J9)", () => {
    const ended = after(atlas(), running("09:01"), ask("cancelRequested", "09:02"));
    const answer = step(ended, ask("deleteRequested", "09:03"));
    expect(answer.state?.job).toEqual({
      ...ended.job,
      deletedAt: at("09:03"),
      updatedAt: at("09:03"),
    });
    expect(answer.effects).toEqual([]);
    expect(step(answer.state ?? ended, gone("09:04"))).not.toHaveProperty("state");
  });
});

describe("retention", () => {
  it("deletes the Job at or after its time, once nothing of it is live (J8)", () => {
    const ended = step(atlas({ ttlSecondsAfterFinished: 60 }), stopped("09:05", 0));
    expect(ended.wake).toEqual({ at: at("09:06") });
    const state = ended.state ?? atlas();
    expect(step(state, ask("timeReached", "09:05:59"))).toMatchObject({
      outcome: "ignored",
      reason: "tooEarly",
      wake: { at: at("09:06") },
    });
    expect(step(state, ask("timeReached", "09:06"))).not.toHaveProperty("state");
    expect(step(state, ask("timeReached", "09:06")).effects.map(({ type }) => type)).toEqual([
      "releaseVolumes",
      "deleteJob",
    ]);
  });

  it("waits for a task that still lives, and is then due at once (J8)", () => {
    const cancelled = step(
      after(atlas({ ttlSecondsAfterFinished: 60 }), assigned("09:01")),
      ask("cancelRequested", "09:02"),
    );
    expect(cancelled).not.toHaveProperty("wake");
    const state = cancelled.state ?? atlas();
    expect(step(state, ask("timeReached", "09:30"))).toMatchObject({
      outcome: "ignored",
      reason: "tooEarly",
    });
    const late = step(state, gone("09:30"));
    expect(late.wake).toEqual({ at: at("09:03") });
    expect(step(late.state ?? state, ask("timeReached", "09:30"))).not.toHaveProperty("state");
  });

  it("of 0 seconds deletes at the end, in one step with a deadline (J8)", () => {
    const state = atlas({ ttlSecondsAfterFinished: 0, activeDeadlineSeconds: 60 });
    expect(step(state, ask("timeReached", "09:01"))).not.toHaveProperty("state");
    expect(step(state, stopped("09:00:30", 0)).wake).toEqual({ at: at("09:00:30") });
    const busy = step(after(state, assigned("09:00:30")), ask("timeReached", "09:01"));
    expect(busy.state?.job.status).toBe("failed");
    const kept = step(
      atlas({ ttlSecondsAfterFinished: 1, activeDeadlineSeconds: 60 }),
      ask("timeReached", "09:01"),
    );
    expect(kept.state?.job.status).toBe("failed");
    expect(kept.wake).toEqual({ at: at("09:01:01") });
  });

  it("wants no wake once the Job is being deleted (J9)", () => {
    const state = after(
      atlas({ ttlSecondsAfterFinished: 60 }),
      assigned("09:01"),
      ask("cancelRequested", "09:02"),
    );
    expect(step(state, ask("deleteRequested", "09:03"))).not.toHaveProperty("wake");
  });
});

describe("activeRun", () => {
  it("[C31-104] only what is pending or running is active, what has ended is not (D3)", () => {
    const pending = atlas();
    const begun = after(pending, running("09:02"));
    const ended = [
      after(pending, stopped("09:05", 0)),
      after(pending, stopped("09:05", 1)),
      after(pending, ask("cancelRequested", "09:05")),
    ];
    expect(ended.map(({ job }) => job.status)).toEqual(["succeeded", "failed", "cancelled"]);
    const active = [pending, begun, ...ended].map((state) => activeRun(state));
    expect(active).toEqual([
      { id: "j1", status: "pending" },
      { id: "j1", status: "running" },
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("a Job that has ended is stopping while its task still lives (D3)", () => {
    const state = after(atlas(), running("09:02"), ask("cancelRequested", "09:03"));
    expect(activeRun(state)).toEqual({ id: "j1", status: "stopping" });
    expect(activeRun(after(state, gone("09:04")))).toBeUndefined();
    const late = after(
      atlas({ activeDeadlineSeconds: 60 }),
      assigned("09:00"),
      ask("timeReached", "09:01"),
    );
    expect(activeRun(late)).toEqual({ id: "j1", status: "stopping" });
  });

  it("carries the occurrence that it is given", () => {
    expect(activeRun(atlas(), { occurrenceAt: at("09:00") })).toEqual({
      id: "j1",
      status: "pending",
      occurrenceAt: at("09:00"),
    });
    expect(activeRun(atlas(), { occurrenceAt: undefined })).toEqual({
      id: "j1",
      status: "pending",
    });
  });
});
