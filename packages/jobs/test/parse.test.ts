import { describe, expect, it } from "vitest";
import {
  isStateError,
  isTransitionError,
  type JobEvent,
  type JobState,
  parseJobEvent,
  parseJobState,
  transitionJob,
} from "../src/index.ts";
import { after, ask, assigned, at, atlas, failed, gone, running, stopped } from "./atlas.ts";

type Problems = readonly string[];

function problemsOf(act: () => unknown): Problems {
  try {
    act();
  } catch (error) {
    if (!isStateError(error) && !isTransitionError(error)) throw error;
    return error.diagnostics.map(({ code, pointer }) => `${code} ${pointer}`);
  }
  return [];
}

describe("parseJobEvent", () => {
  const events: readonly JobEvent[] = [
    assigned("09:01"),
    running("09:02"),
    running("09:02", "t1", "c1"),
    stopped("09:05", 255),
    failed("09:05"),
    failed("09:05", { exitCode: 137, reason: "outOfMemory" }),
    gone("09:05"),
    ask("cancelRequested", "09:06"),
    ask("deleteRequested", "09:06"),
    ask("suspendRequested", "09:06"),
    ask("resumeRequested", "09:06"),
    ask("timeReached", "09:06"),
  ];

  it.each(events)("reads what was written: $type $status", (event) => {
    expect(parseJobEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it("leaves a failed report without a code as it is: what it counts as is the Job's to say", () => {
    expect(parseJobEvent(failed("09:05"))).not.toHaveProperty("exitCode");
  });

  const base = { type: "taskReported", at: 0, taskId: "t1" };

  it.each<[string, unknown, Problems]>([
    ["no map", "stopped", ["shape.type "]],
    ["an unknown type", { type: "taskLost", at: 0 }, ["shape.enum /type"]],
    ["no type", { at: 0 }, ["shape.missing /type"]],
    ["no task", { type: "taskReported", at: 0, status: "running" }, ["shape.missing /taskId"]],
    ["no status", base, ["shape.missing /status"]],
    ["an unknown status", { ...base, status: "exited" }, ["shape.enum /status"]],
    ["a status that no report has", { ...base, status: "pending" }, ["shape.enum /status"]],
    [
      "a mistyped exit code",
      { ...base, status: "stopped", exitcode: 3 },
      ["shape.unknown-key /exitcode"],
    ],
    ["a code in words", { ...base, status: "stopped", exitCode: "3" }, ["shape.type /exitCode"]],
    ["null as code", { ...base, status: "stopped", exitCode: null }, ["shape.type /exitCode"]],
    [
      "a code of 33 bits",
      { ...base, status: "failed", exitCode: 2 ** 32 },
      ["limit.range /exitCode"],
    ],
    ["an unknown reason", { ...base, status: "failed", reason: "tired" }, ["shape.enum /reason"]],
    [
      "a reason of what has not failed",
      { ...base, status: "stopped", reason: "unknown" },
      ["shape.unknown-key /reason"],
    ],
    [
      "no time and no node",
      { type: "taskAssigned", taskId: "t1" },
      ["shape.missing /at", "shape.missing /nodeId"],
    ],
    [
      "an empty node",
      { type: "taskAssigned", at: 0, taskId: "t1", nodeId: "" },
      ["shape.empty /nodeId"],
    ],
    ["a time in words", { type: "timeReached", at: "09:00" }, ["shape.type /at"]],
    ["a time beyond Date", { type: "timeReached", at: 8.64e15 + 1 }, ["limit.range /at"]],
    ["a fraction of a time", { type: "timeReached", at: 0.5 }, ["shape.type /at"]],
    [
      "a cancel of one task",
      { type: "cancelRequested", at: 0, taskId: "t1" },
      ["shape.unknown-key /taskId"],
    ],
  ])("refuses %s", (_, value, expected) => {
    expect(problemsOf(() => parseJobEvent(value))).toEqual(expected);
  });

  it("takes each exit code of 32 bits, signed or not", () => {
    for (const exitCode of [-(2 ** 31), 0, 2 ** 32 - 1]) {
      const event = { ...base, status: "stopped", exitCode };
      expect(parseJobEvent(event)).toEqual(event);
      expect(transitionJob(atlas(), event as JobEvent).state?.job.lastExitCode).toBe(exitCode);
    }
  });
});

describe("transitionJob refuses what is no event", () => {
  const base = { type: "taskReported", at: 0, taskId: "t1" };

  it.each<[string, object]>([
    ["an unknown type", { type: "taskLost", at: 0 }],
    ["no time", { type: "timeReached" }],
    ["a fraction of a time", { type: "timeReached", at: 0.5 }],
    ["a time beyond Date", { type: "timeReached", at: 8.64e15 + 1 }],
    ["a time before Date", { type: "timeReached", at: -8.64e15 - 1 }],
    ["no node", { type: "taskAssigned", at: 0, taskId: "t1" }],
    ["an empty node", { type: "taskAssigned", at: 0, taskId: "t1", nodeId: "" }],
    ["no task to assign", { type: "taskAssigned", at: 0, nodeId: "a" }],
    ["no task", { type: "taskReported", at: 0, status: "removed" }],
    ["an unknown status", { ...base, status: "exited" }],
    ["an empty container", { ...base, status: "running", containerId: "" }],
    ["a fraction of a code", { ...base, status: "stopped", exitCode: 0.5 }],
    ["a code of 33 bits", { ...base, status: "stopped", exitCode: 2 ** 32 }],
    ["a code below 32 bits", { ...base, status: "stopped", exitCode: -(2 ** 31) - 1 }],
    ["a failed code in words", { ...base, status: "failed", exitCode: "1" }],
    ["an unknown reason", { ...base, status: "failed", reason: "tired" }],
  ])("%s", (_, event) => {
    expect(problemsOf(() => transitionJob(atlas(), event as JobEvent))).toEqual(["job.event "]);
  });
});

describe("parseJobState", () => {
  const stored = (): JobState =>
    JSON.parse(
      JSON.stringify(
        after(
          atlas({ backoffLimit: 2, command: ["sh"] }),
          assigned("09:01"),
          running("09:02", "t1", "c1"),
          failed("09:05", { exitCode: 3, reason: "unknown" }),
          assigned("09:06", "t2"),
        ),
      ),
    );

  it("reads back what was stored, at each point of a life (J11)", () => {
    const states = [
      stored(),
      after(stored(), stopped("09:07", 0, "t2")),
      after(stored(), ask("suspendRequested", "09:07")),
      after(stored(), ask("cancelRequested", "09:07")),
      after(stored(), ask("deleteRequested", "09:07")),
      after(
        atlas({ backoff: { kind: "Constant", delaySeconds: 9 }, backoffLimit: 1 }),
        failed("09:01"),
      ),
    ];
    for (const state of states) {
      expect(parseJobState(JSON.parse(JSON.stringify(state)))).toEqual(state);
    }
  });

  it("is a copy that goes on where the stored one stopped", () => {
    const value = stored();
    const state = parseJobState(value);
    expect(state).not.toBe(value);
    expect(after(state, stopped("09:07", 0, "t2")).job.status).toBe("succeeded");
  });

  type Draft = { v: unknown; job: Record<string, unknown>; tasks: Record<string, unknown>[] };

  it.each<[string, (draft: Draft) => unknown, Problems]>([
    ["no map", () => null, ["shape.type "]],
    ["a text", () => "{}", ["shape.type "]],
    ["no version", ({ job, tasks }) => ({ job, tasks }), ["shape.missing /v"]],
    ["a later version", (draft) => ({ ...draft, v: 2 }), ["version.unsupported /v"]],
    ["a version in words", (draft) => ({ ...draft, v: "1" }), ["version.unsupported /v"]],
    ["a later version of another shape", () => ({ v: 3, run: {} }), ["version.unsupported /v"]],
    ["no tasks", ({ v, job }) => ({ v, job }), ["shape.missing /tasks"]],
    ["an empty list of tasks", ({ v, job }) => ({ v, job, tasks: [] }), ["shape.empty /tasks"]],
    ["a member too many", (draft) => ({ ...draft, note: 1 }), ["shape.unknown-key /note"]],
    [
      "wrong members everywhere, all of them named",
      ({ v, job, tasks }) => ({
        v,
        job: { ...job, status: "done", attempts: "2", spec: { name: "A", backoffLimit: -1 } },
        tasks: [tasks[0], { ...tasks[1], desiredStatus: "gone", exitCode: 0.5, extra: 1 }],
      }),
      [
        "name.invalid /job/spec/name",
        "limit.range /job/spec/backoffLimit",
        "shape.enum /job/status",
        "shape.type /job/attempts",
        "shape.enum /tasks/1/desiredStatus",
        "shape.type /tasks/1/exitCode",
        "shape.unknown-key /tasks/1/extra",
      ],
    ],
    [
      "no jobs' own members",
      ({ v, tasks }) => ({ v, job: {}, tasks }),
      [
        "id",
        "namespace",
        "spec",
        "status",
        "attempts",
        "ignoredFailures",
        "taskIds",
        "createdAt",
        "updatedAt",
      ].map((member) => `shape.missing /job/${member}`),
    ],
    [
      "no task's own members",
      ({ v, job }) => ({ v, job, tasks: [{}] }),
      [
        "id",
        "jobId",
        "actualStatus",
        "desiredStatus",
        "restartCount",
        "createdAt",
        "updatedAt",
      ].map((member) => `shape.missing /tasks/0/${member}`),
    ],
  ])("refuses %s", (_, change, expected) => {
    expect(problemsOf(() => parseJobState(change(stored() as unknown as Draft)))).toEqual(expected);
  });

  const task = (i: number, members: object) => (draft: Draft) => ({
    ...draft,
    tasks: draft.tasks.map((each, k) => (k === i ? { ...each, ...members } : each)),
  });
  const job = (members: object) => (draft: Draft) => ({
    ...draft,
    job: { ...draft.job, ...members },
  });

  it.each<[string, (draft: Draft) => unknown, Problems]>([
    ["no attempt", job({ attempts: 0, ignoredFailures: 2 }), ["/job/attempts"]],
    ["more attempts than the limit", job({ attempts: 4 }), ["/job/attempts", "/job/taskIds"]],
    [
      "more ignored failures than allowed",
      job({ attempts: 1, ignoredFailures: 11 }),
      ["/job/ignoredFailures", "/job/taskIds"],
    ],
    ["attempts that are not there", job({ attempts: 3 }), ["/job/taskIds"]],
    ["one id twice", job({ taskIds: ["t1", "t1"] }), ["/job/taskIds", "/tasks"]],
    ["tasks in another order", job({ taskIds: ["t2", "t1"] }), ["/tasks"]],
    ["a task of another Job", task(0, { jobId: "j2" }), ["/tasks"]],
    ["a wrong restart count", task(1, { restartCount: 2 }), ["/tasks"]],
    ["one task too few", (draft) => ({ ...draft, tasks: [draft.tasks[1]] }), ["/tasks"]],
    ["an earlier task that lives", task(0, { actualStatus: "running" }), ["/tasks"]],
    ["no live task", task(1, { actualStatus: "failed" }), ["/tasks"]],
    ["running, but its task is not", job({ status: "running" }), ["/job/status"]],
    ["pending, but its task runs", task(1, { actualStatus: "healthy" }), ["/job/status"]],
    ["completed, but not over", job({ completedAt: 0 }), ["/job/completedAt"]],
    ["over, but not completed", job({ status: "cancelled" }), ["/job/completedAt"]],
    ["a reason without a failure", job({ reason: "backoffLimit" }), ["/job/reason"]],
    ["a failure without a reason", job({ status: "failed", completedAt: 0 }), ["/job/reason"]],
    ["a success without an exit", job({ status: "succeeded", completedAt: 0 }), ["/job/status"]],
    ["deleted, but not over", job({ deletedAt: 0 }), ["/job/deletedAt"]],
  ])("refuses a state that breaks a law (J10): %s", (_, change, pointers) => {
    const broken = change(stored() as unknown as Draft);
    const expected = pointers.map((pointer) => `state.invariant ${pointer}`);
    expect(problemsOf(() => parseJobState(broken))).toEqual(expected);
  });

  it("refuses a success by a task that did not exit with 0 (J10)", () => {
    const state = after(atlas(), stopped("09:05", 0));
    for (const members of [{ exitCode: 1 }, { actualStatus: "failed" }]) {
      const tasks = [{ ...state.tasks[0], ...members }];
      expect(problemsOf(() => parseJobState({ ...state, tasks }))).toEqual([
        "state.invariant /job/status",
      ]);
    }
  });

  it("refuses a deleted Job of which nothing lives, and one that is not over (J9)", () => {
    const state = after(atlas(), stopped("09:05", 0));
    const deleted = { ...state, job: { ...state.job, deletedAt: at("09:06") } };
    expect(problemsOf(() => parseJobState(deleted))).toEqual(["state.invariant /job/deletedAt"]);
  });
});
