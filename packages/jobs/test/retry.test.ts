import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Backoff, type JobPolicy, retryDelaySeconds, transitionJob } from "../src/index.ts";
import {
  after,
  assigned,
  at,
  atlas,
  failed,
  jobAfter,
  running,
  step,
  stopped,
  taskOf,
} from "./atlas.ts";

/** `failures` failures in a row, a minute apart. */
function failTimes(limit: number, failures: number) {
  let state = atlas({ backoffLimit: limit });
  for (let i = 1; i <= failures; i += 1) {
    state = after(state, {
      type: "taskReported",
      at: at("09:00") + i * 60_000,
      taskId: `t${i}`,
      status: "stopped",
      exitCode: 1,
    });
  }
  return state;
}

describe("the retry limit", () => {
  it("[C31-35][C31-142] limit 0: the first failure ends the Job (J4)", () => {
    const { job } = failTimes(0, 1);
    expect(job).toMatchObject({ status: "failed", attempts: 1, taskIds: ["t1"] });
    expect(job.reason).toBe("backoffLimit");
  });

  it("[C31-36][C31-142] limit 1: the second failure ends it, with two attempts (J4)", () => {
    expect(failTimes(1, 1).job).toMatchObject({ status: "pending", attempts: 2 });
    expect(failTimes(1, 2).job).toMatchObject({
      status: "failed",
      attempts: 2,
      taskIds: ["t1", "t2"],
    });
  });

  it("[C31-37] limit k means exactly k + 1 attempts, for k from 0 to 50 (J4, J10)", () => {
    for (let k = 0; k <= 50; k += 1) {
      const spent = failTimes(k, k);
      expect(spent.job).toMatchObject({ status: "pending", attempts: k + 1 });
      const ended = failTimes(k, k + 1);
      expect(ended.job).toMatchObject({ status: "failed", attempts: k + 1 });
      expect(ended.tasks).toHaveLength(k + 1);
    }
  });

  it("[C31-38] a success ends it at any attempt (J4, J10)", () => {
    const limitAndFailures = fc.nat(20).chain((k) => fc.tuple(fc.constant(k), fc.nat(k)));
    fc.assert(
      fc.property(limitAndFailures, ([k, failures]) => {
        const state = after(failTimes(k, failures), stopped("10:00", 0, `t${failures + 1}`));
        expect(state.job).toMatchObject({ status: "succeeded", attempts: failures + 1 });
        expect(state.tasks).toHaveLength(failures + 1);
      }),
    );
  });
});

describe("a retry", () => {
  const retried = () =>
    after(
      atlas({ backoffLimit: 3, command: ["sh"] }),
      assigned("09:01"),
      running("09:02", "t1", "c1"),
      failed("09:05", { exitCode: 137, reason: "outOfMemory" }),
    );

  it("[C31-41] is a new task with a new id, appended; a used id is refused (J4, J5)", () => {
    expect(retried().job.taskIds).toEqual(["t1", "t2"]);
    const reuse = () =>
      transitionJob(retried(), failed("09:06", { taskId: "t2" }), { nextTaskId: "t1" });
    expect(reuse).toThrow('the Job already has a task of this id, found "t1"');
  });

  it("names its task after the Job unless told otherwise (J11)", () => {
    const { state } = transitionJob(atlas({ backoffLimit: 1 }), stopped("09:05", 1));
    expect(state?.job.taskIds).toEqual(["t1", "j1-2"]);
  });

  it("an empty id for it is a programming mistake", () => {
    const act = () =>
      transitionJob(atlas({ backoffLimit: 1 }), failed("09:05"), { nextTaskId: "" });
    expect(act).toThrow(new TypeError("nextTaskId must be a non-empty string"));
  });

  it("[C31-42] has neither node nor container, and may go elsewhere (J4)", () => {
    const t2 = taskOf(retried(), "t2");
    expect(t2).not.toHaveProperty("nodeId");
    expect(t2).not.toHaveProperty("containerId");
    expect(taskOf(after(retried(), assigned("09:06", "t2", "b")), "t2").nodeId).toBe("b");
  });

  it("[C31-43] is pending and meant to run, and so is its Job (J4)", () => {
    expect(taskOf(retried(), "t2")).toMatchObject({
      actualStatus: "pending",
      desiredStatus: "running",
    });
    expect(retried().job.status).toBe("pending");
  });

  it("[C31-44] has no outcome (J4)", () => {
    expect(taskOf(retried(), "t2")).not.toHaveProperty("exitCode");
    expect(taskOf(retried(), "t2")).not.toHaveProperty("failureReason");
  });

  it("[C31-45] is born when the report is accepted, and has no other times (J4)", () => {
    const t2 = taskOf(retried(), "t2");
    expect(t2).toMatchObject({ createdAt: at("09:05"), updatedAt: at("09:05") });
    expect(t2).not.toHaveProperty("startedAt");
    expect(t2).not.toHaveProperty("finishedAt");
  });

  it("[C31-46] belongs to the same Job and does the same work (J4)", () => {
    const before = atlas({
      backoffLimit: 1,
      image: "busybox:1.36",
      command: ["sh", "-c", "exit 1"],
      resources: { cpu: "500m", memory: "1Gi" },
      secrets: [{ name: "token", key: "value" }],
      placement: [{ key: "zone", operator: "equals", value: "ams" }],
      volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
    });
    const retry = after(before, stopped("09:05", 1));
    expect(taskOf(retry, "t2").jobId).toBe(taskOf(before, "t1").jobId);
    // The work is read from the Job, and nothing of it has changed.
    expect(retry.job.spec).toBe(before.job.spec);
    expect(retry.job.id).toBe(before.job.id);
  });

  it("[C31-47] counts the tasks before it (J4)", () => {
    expect(failTimes(3, 4).tasks.map((task) => task.restartCount)).toEqual([0, 1, 2, 3]);
  });

  it("[C31-48] leaves the earlier task as it was, through its own whole life (J4, J10)", () => {
    const before = structuredClone(taskOf(retried(), "t1"));
    const later = after(
      retried(),
      assigned("09:06", "t2", "b"),
      running("09:07", "t2", "c2"),
      failed("09:08", { taskId: "t2", exitCode: 2 }),
      stopped("09:09", 0, "t3"),
      failed("09:10", { exitCode: 9 }),
    );
    expect(later.job.status).toBe("succeeded");
    expect(taskOf(later, "t1")).toEqual(before);
    expect(before).toMatchObject({
      nodeId: "a",
      containerId: "c1",
      exitCode: 137,
      startedAt: at("09:02"),
      finishedAt: at("09:05"),
    });
  });

  it("[C31-49] does not complete the Job; only its end does (J3, J4)", () => {
    expect(failTimes(2, 1).job).not.toHaveProperty("completedAt");
    expect(failTimes(2, 2).job).not.toHaveProperty("completedAt");
    expect(failTimes(2, 3).job.completedAt).toBe(at("09:03"));
  });

  it("asks for its start (J11)", () => {
    const answer = step(atlas({ backoffLimit: 1 }), stopped("09:05", 1));
    expect(answer.effects).toEqual([
      { id: `start/t2/${at("09:05")}`, type: "startTask", task: answer.state?.tasks[1] },
    ]);
  });
});

describe("a delay before a retry", () => {
  it("[C31-39][C31-142] there is none by default: the retry is assignable at once (J4, J6)", () => {
    const state = after(atlas({ backoffLimit: 1 }), stopped("09:05", 1));
    expect(taskOf(state, "t2")).not.toHaveProperty("notBefore");
    expect(taskOf(state, "t2").createdAt).toBe(at("09:05"));
    expect(step(state, assigned("09:05", "t2")).outcome).toBe("advanced");
  });

  it("[C31-40] is there by asking, and assigning before its time is ignored (J6)", () => {
    const backoff: Backoff = { kind: "Constant", delaySeconds: 30 };
    const state = after(atlas({ backoffLimit: 1, backoff }), stopped("09:05", 1));
    expect(taskOf(state, "t2").notBefore).toBe(at("09:05:30"));
    expect(step(state, assigned("09:05:29", "t2"))).toMatchObject({
      outcome: "ignored",
      reason: "tooEarly",
    });
    const placed = after(state, assigned("09:05:30", "t2"));
    expect(taskOf(placed, "t2")).toMatchObject({
      actualStatus: "assigned",
      notBefore: at("09:05:30"),
    });
  });

  it("grows with the counted failures, not with the ignored ones (J6, J7)", () => {
    let state = atlas({
      backoffLimit: 5,
      backoff: { kind: "Exponential", delaySeconds: 10 },
      failurePolicy: { rules: [{ action: "Ignore", onReasons: ["nodeLost"] }] },
    });
    const delays: (number | undefined)[] = [];
    for (const reason of [undefined, "nodeLost", undefined, "nodeLost", undefined] as const) {
      const taskId = `t${state.tasks.length}`;
      state = after(state, failed("09:05", { taskId, ...(reason && { reason }) }));
      const notBefore = state.tasks.at(-1)?.notBefore;
      delays.push(notBefore === undefined ? undefined : (notBefore - at("09:05")) / 1000);
    }
    expect(delays).toEqual([10, undefined, 20, undefined, 40]);
  });

  it.each<[string, Backoff, readonly number[]]>([
    ["None waits for nothing", { kind: "None" }, [0, 0, 0]],
    ["Constant waits the same", { kind: "Constant", delaySeconds: 7 }, [7, 7, 7]],
    ["Exponential doubles", { kind: "Exponential", delaySeconds: 5 }, [5, 10, 20]],
    ["or grows by its factor", { kind: "Exponential", delaySeconds: 1, factor: 3 }, [1, 3, 9]],
    ["up to ten minutes", { kind: "Exponential", delaySeconds: 400 }, [400, 600, 600]],
    [
      "or up to its own longest",
      { kind: "Exponential", delaySeconds: 5, maxSeconds: 12 },
      [5, 10, 12],
    ],
    ["a factor of 1 is constant", { kind: "Exponential", delaySeconds: 5, factor: 1 }, [5, 5, 5]],
    ["0 stays 0", { kind: "Exponential", delaySeconds: 0, factor: 100 }, [0, 0, 0]],
    ["to the millisecond", { kind: "Constant", delaySeconds: 0.12345 }, [0.123, 0.123, 0.123]],
  ])("%s (J6)", (_, backoff, expected) => {
    const delays = [1, 2, 3].map((failures) =>
      retryDelaySeconds(backoff, { failures, jobId: "j" }),
    );
    expect(delays).toEqual(expected);
  });

  it("stays finite, however many failures (J6)", () => {
    const steep: Backoff = { kind: "Exponential", delaySeconds: 1, factor: 100 };
    expect(retryDelaySeconds(steep, { failures: 10_000, jobId: "j" })).toBe(600);
    const none: Backoff = { kind: "Exponential", delaySeconds: 0, factor: 100 };
    expect(retryDelaySeconds(none, { failures: 10_000, jobId: "j" })).toBe(0);
  });

  it("jitter takes away at most its fraction, the same each time, and differs by Job (J6)", () => {
    const half: Backoff = { kind: "Constant", delaySeconds: 1000, jitter: 0.5 };
    const delays = Array.from({ length: 1000 }, (_, i) =>
      retryDelaySeconds(half, { failures: 1, jobId: `job-${i}` }),
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1000);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(mean).toBeGreaterThan(735);
    expect(mean).toBeLessThan(765);
    const buckets = new Set(delays.map((delay) => Math.floor((delay - 500) / 50)));
    expect(buckets.size).toBe(10);
    expect(retryDelaySeconds(half, { failures: 1, jobId: "job-7" })).toBe(delays[7]);
    expect(retryDelaySeconds(half, { failures: 2, jobId: "job-7" })).not.toBe(delays[7]);
  });

  it("jitter is a fixed hash: these delays never change between versions (J6)", () => {
    const full: Backoff = { kind: "Constant", delaySeconds: 100, jitter: 1 };
    const delays = ["a", "b", "atlas-report"].map((jobId) =>
      retryDelaySeconds(full, { failures: 1, jobId }),
    );
    expect(delays).toMatchInlineSnapshot(`
      [
        63.834,
        69.268,
        42.137,
      ]
    `);
  });

  it.each([0, -1, 1.5, Number.NaN])("failures count from 1: %d is a RangeError", (failures) => {
    expect(() => retryDelaySeconds({ kind: "None" }, { failures, jobId: "j" })).toThrow(
      new RangeError(`failures must be a whole number from 1, found ${failures}`),
    );
  });
});

describe("a failure policy", () => {
  const withPolicy = (failurePolicy: JobPolicy["failurePolicy"], backoffLimit = 3) =>
    atlas({ backoffLimit, failurePolicy });

  it("Fail ends the Job now, whatever is left of the limit (J7)", () => {
    const state = withPolicy({ rules: [{ action: "Fail", onExitCodes: { in: [2, 3] } }] });
    expect(jobAfter(state, stopped("09:05", 3))).toMatchObject({
      status: "failed",
      reason: "failurePolicy",
      attempts: 1,
      lastExitCode: 3,
      completedAt: at("09:05"),
    });
    expect(jobAfter(state, stopped("09:05", 4)).status).toBe("pending");
  });

  it("Ignore retries at once and spends no attempt, up to maxIgnored (J7)", () => {
    const rules = [{ action: "Ignore", onReasons: ["nodeLost"] }] as const;
    const state = atlas({
      backoffLimit: 0,
      backoff: { kind: "Constant", delaySeconds: 60 },
      failurePolicy: { rules, maxIgnored: 2 },
    });
    const lost = (taskId: string) => failed("09:05", { taskId, reason: "nodeLost" });
    const twice = after(state, lost("t1"), lost("t2"));
    expect(twice.job).toMatchObject({ status: "pending", attempts: 1, ignoredFailures: 2 });
    expect(taskOf(twice, "t3")).toMatchObject({ restartCount: 2 });
    expect(taskOf(twice, "t3")).not.toHaveProperty("notBefore");
    expect(jobAfter(twice, lost("t3"))).toMatchObject({
      status: "failed",
      reason: "backoffLimit",
      attempts: 1,
      ignoredFailures: 2,
    });
  });

  it("Ignore forgives ten failures where nothing else is said (J7)", () => {
    let state = withPolicy({ rules: [{ action: "Ignore", onExitCodes: { notIn: [] } }] }, 0);
    for (let i = 1; i <= 10; i += 1) state = after(state, stopped("09:05", 1, `t${i}`));
    expect(state.job).toMatchObject({ status: "pending", attempts: 1, ignoredFailures: 10 });
    expect(jobAfter(state, stopped("09:05", 1, "t11")).status).toBe("failed");
  });

  it("Count is what happens without a rule (J7)", () => {
    const counted = withPolicy({ rules: [{ action: "Count", onExitCodes: { in: [1] } }] });
    expect(jobAfter(counted, stopped("09:05", 1))).toMatchObject({ attempts: 2 });
  });

  it("the first rule that matches decides (J7)", () => {
    const state = withPolicy({
      rules: [
        { action: "Count", onExitCodes: { in: [1] } },
        { action: "Fail", onExitCodes: { notIn: [7] } },
        { action: "Ignore", onExitCodes: { in: [7] } },
      ],
    });
    expect(jobAfter(state, stopped("09:05", 1)).attempts).toBe(2);
    expect(jobAfter(state, stopped("09:05", 2)).reason).toBe("failurePolicy");
    expect(jobAfter(state, stopped("09:05", 7)).ignoredFailures).toBe(1);
  });

  it("a condition on codes never matches 0 (J7)", () => {
    for (const onExitCodes of [{ in: [0] }, { notIn: [5] }]) {
      const state = withPolicy({ rules: [{ action: "Fail", onExitCodes }] });
      expect(jobAfter(state, failed("09:05", { exitCode: 0 })).status).toBe("pending");
    }
  });

  it("a condition on reasons matches whatever the code, 0 included (J7)", () => {
    const state = withPolicy({ rules: [{ action: "Fail", onReasons: ["outOfMemory"] }] });
    for (const exitCode of [0, 1, 137]) {
      const event = failed("09:05", { exitCode, reason: "outOfMemory" });
      expect(jobAfter(state, event).reason).toBe("failurePolicy");
    }
    expect(jobAfter(state, failed("09:05", { reason: "nodeLost" })).status).toBe("pending");
    expect(jobAfter(state, stopped("09:05", 137)).status).toBe("pending");
  });

  it("both conditions of a rule must hold (J7)", () => {
    const state = withPolicy({
      rules: [{ action: "Fail", onExitCodes: { in: [137] }, onReasons: ["outOfMemory"] }],
    });
    const of = (exitCode: number, reason: "outOfMemory" | "nodeLost") =>
      jobAfter(state, failed("09:05", { exitCode, reason })).status;
    expect(of(137, "outOfMemory")).toBe("failed");
    expect(of(1, "outOfMemory")).toBe("pending");
    expect(of(137, "nodeLost")).toBe("pending");
  });

  it("a success is never put before it (J7)", () => {
    const state = withPolicy({ rules: [{ action: "Fail", onExitCodes: { notIn: [111] } }] });
    expect(jobAfter(state, stopped("09:05", 0)).status).toBe("succeeded");
  });
});
