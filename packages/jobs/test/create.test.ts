import { describe, expect, it } from "vitest";
import {
  createJob,
  isJobSpecError,
  type JobPolicy,
  type JobSpec,
  pendingEffects,
} from "../src/index.ts";
import { after, assigned, at, atlas, running, stopped, taskOf } from "./atlas.ts";

const context = { jobId: "j1", namespace: "default", now: at("09:00") };

function problemsOf(spec: unknown, more: { nameInUse?: boolean } = {}): unknown {
  try {
    createJob(spec as JobPolicy, { ...context, ...more });
  } catch (error) {
    if (!isJobSpecError(error)) throw error;
    return error.diagnostics.map(({ code, pointer }) => `${code} ${pointer}`);
  }
  return [];
}

describe("a new Job", () => {
  it("[C31-09] is pending, in its first attempt, with one pending task of its own (J2)", () => {
    const { state, effects, outcome } = createJob(
      { name: "atlas-report", image: "busybox:1.36" },
      { ...context, taskId: "t1" },
    );
    expect(state.job).toEqual({
      id: "j1",
      namespace: "default",
      spec: {
        name: "atlas-report",
        image: "busybox:1.36",
        backoffLimit: 0,
        resources: { cpu: "100m", memory: "128Mi" },
      },
      status: "pending",
      attempts: 1,
      ignoredFailures: 0,
      taskIds: ["t1"],
      createdAt: at("09:00"),
      updatedAt: at("09:00"),
    });
    const task = {
      id: "t1",
      jobId: "j1",
      actualStatus: "pending",
      desiredStatus: "running",
      restartCount: 0,
      createdAt: at("09:00"),
      updatedAt: at("09:00"),
    };
    expect(state.tasks).toEqual([task]);
    expect(outcome).toBe("advanced");
    expect(effects).toEqual([{ id: `start/t1/${at("09:00")}`, type: "startTask", task }]);
  });

  it("names its first task after itself unless told otherwise (J11)", () => {
    expect(createJob({ name: "a" }, context).state.job.taskIds).toEqual(["j1-1"]);
  });

  it("[C31-05] has 100m and 128Mi where its container asks for nothing else (J1)", () => {
    expect(atlas().job.spec.resources).toEqual({ cpu: "100m", memory: "128Mi" });
    expect(atlas({ resources: { cpu: "500m" } }).job.spec.resources).toEqual({
      cpu: "500m",
      memory: "128Mi",
    });
    expect(atlas({ resources: { memory: "1Gi" } }).job.spec.resources).toEqual({
      cpu: "100m",
      memory: "1Gi",
    });
    expect(atlas({ resources: { cpu: undefined } }).job.spec.resources).toEqual({
      cpu: "100m",
      memory: "128Mi",
    });
    expect(atlas({ backoffLimit: undefined }).job.spec.backoffLimit).toBe(0);
    expect(createJob({ name: "a" }, context).state.job.spec).toEqual({
      name: "a",
      backoffLimit: 0,
    });
  });

  it("[C31-10] carries the work that its tasks do: what is to run and what it needs (J2)", () => {
    const spec: JobSpec = {
      name: "atlas-report",
      image: "busybox:1.36",
      command: ["sh", "-c", "exit 0"],
      environment: { REGION: "eu" },
      backoffLimit: 3,
      resources: { cpu: "500m", memory: "1Gi" },
      secrets: [{ name: "token", key: "value" }],
      placement: [{ key: "zone", operator: "equals", value: "ams" }],
      volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
    };
    const { state, effects } = createJob(spec, { ...context, taskId: "t1" });
    expect(state.job.spec).toEqual(spec);
    expect(effects[0]).toMatchObject({
      type: "startTask",
      task: { id: "t1", jobId: state.job.id },
    });
  });

  it("[C31-11] waits: no node has its task, and it stays pending while none takes it (J2)", () => {
    const state = atlas();
    expect(state.tasks[0]).not.toHaveProperty("nodeId");
    expect(pendingEffects(state)).toMatchObject([{ type: "startTask" }]);
    expect(after(state, { type: "resumeRequested", at: at("10:00") })).toBe(state);
    expect(state.job.status).toBe("pending");
  });

  it("owns its spec: what the caller does to the object afterwards changes nothing (J2)", () => {
    const command = ["sh"];
    const spec = { name: "a", image: "busybox", command };
    const { state } = createJob(spec, context);
    command.push("-c");
    expect(state.job.spec.command).toEqual(["sh"]);
  });

  it("keeps members that it does not know, for a service with a spec of its own (J1)", () => {
    const spec = { name: "invoice", handler: "sendInvoice", input: { ids: [1, 2], to: null } };
    expect(createJob(spec, context).state.job.spec).toEqual({ ...spec, backoffLimit: 0 });
  });

  it("a key named __proto__ stays a key", () => {
    const spec = JSON.parse('{"name":"a","labels":{"__proto__":"x"}}') as JobPolicy;
    const copy = createJob(spec, context).state.job.spec as unknown as { labels: object };
    expect(Object.keys(copy.labels)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(copy.labels)).toBe(Object.prototype);
  });
});

describe("a name", () => {
  it("[C31-07] that an active Job of the namespace holds is refused, pending or running (J2)", () => {
    const first = atlas();
    const begun = after(first, assigned("09:01"), running("09:02"));
    for (const holder of [first, begun]) {
      const before = structuredClone(holder);
      const nameInUse = holder.job.status === "pending" || holder.job.status === "running";
      expect(problemsOf({ name: "atlas-report" }, { nameInUse })).toEqual([
        "job.name-in-use /name",
      ]);
      expect(holder).toEqual(before);
    }
  });

  it("[C31-08] is free once its Job has ended, and the old history stays (J2)", () => {
    const ended = after(atlas(), stopped("09:05", 0));
    const second = createJob(
      { name: ended.job.spec.name },
      { ...context, jobId: "j2", nameInUse: false },
    );
    expect(second.state.job.id).toBe("j2");
    expect(taskOf(ended, "t1").exitCode).toBe(0);
    expect(problemsOf({ name: "atlas-report" }, { nameInUse: false })).toEqual([]);
  });

  it("is a DNS-1123 label; one that a schedule would give is admitted here (J2, D10)", () => {
    for (const name of ["a", "0", "a-b", "report-202610130900", "a".repeat(63)]) {
      expect(problemsOf({ name })).toEqual([]);
    }
    for (const name of ["A", "a_b", "-a", "a-", "a.b", "a b", "ä", "a\n", "a".repeat(64)]) {
      expect(problemsOf({ name })).toEqual(["name.invalid /name"]);
    }
    expect(problemsOf({ name: "" })).toEqual(["shape.empty /name"]);
    expect(problemsOf({ name: 7 })).toEqual(["shape.type /name"]);
    expect(problemsOf({})).toEqual(["shape.missing /name"]);
  });
});

describe("a spec that is wrong", () => {
  it("is refused with all its problems at once, each with its place (J2)", () => {
    const spec = {
      name: "Atlas",
      image: "busybox",
      backoffLimit: -1,
      backoff: { kind: "Linear" },
      activeDeadlineSeconds: 0,
      ttlSecondsAfterFinished: 1.5,
      failurePolicy: { rules: [{ action: "Retry", onReasons: ["tired"] }], maxIgnored: "3" },
      resources: { cpu: 1 },
    };
    expect(problemsOf(spec, { nameInUse: true })).toEqual([
      "name.invalid /name",
      "limit.range /backoffLimit",
      "shape.enum /backoff/kind",
      "limit.range /activeDeadlineSeconds",
      "shape.type /ttlSecondsAfterFinished",
      "shape.enum /failurePolicy/rules/0/action",
      "shape.enum /failurePolicy/rules/0/onReasons/0",
      "shape.type /failurePolicy/maxIgnored",
      "shape.type /resources/cpu",
      "job.name-in-use /name",
    ]);
  });

  it.each<[string, object, string]>([
    ["a limit at its bounds", { backoffLimit: 10_000 }, ""],
    ["a limit of 0", { backoffLimit: 0 }, ""],
    ["a limit above", { backoffLimit: 10_001 }, "limit.range /backoffLimit"],
    ["a fraction as limit", { backoffLimit: 0.5 }, "shape.type /backoffLimit"],
    ["a text as limit", { backoffLimit: "1" }, "shape.type /backoffLimit"],
    ["null as limit", { backoffLimit: null }, "shape.type /backoffLimit"],
    ["no number as limit", { backoffLimit: Number.NaN }, "shape.type /backoffLimit"],
    ["the shortest deadline", { activeDeadlineSeconds: 1 }, ""],
    ["the longest deadline", { activeDeadlineSeconds: 1e9 }, ""],
    ["a deadline above", { activeDeadlineSeconds: 1e9 + 1 }, "limit.range /activeDeadlineSeconds"],
    ["no retention", { ttlSecondsAfterFinished: 0 }, ""],
    ["the longest retention", { ttlSecondsAfterFinished: 1e9 }, ""],
    [
      "a negative retention",
      { ttlSecondsAfterFinished: -1 },
      "limit.range /ttlSecondsAfterFinished",
    ],
    ["no backoff", { backoff: { kind: "None" } }, ""],
    [
      "no backoff with a delay",
      { backoff: { kind: "None", delaySeconds: 1 } },
      "shape.unknown-key /backoff/delaySeconds",
    ],
    ["a constant backoff", { backoff: { kind: "Constant", delaySeconds: 0.5, jitter: 1 } }, ""],
    [
      "a constant backoff without a delay",
      { backoff: { kind: "Constant" } },
      "shape.missing /backoff/delaySeconds",
    ],
    [
      "a constant backoff that grows",
      { backoff: { kind: "Constant", delaySeconds: 1, factor: 2 } },
      "shape.unknown-key /backoff/factor",
    ],
    [
      "an exponential backoff",
      {
        backoff: { kind: "Exponential", delaySeconds: 0, factor: 1, maxSeconds: 1e9, jitter: 0 },
      },
      "",
    ],
    [
      "an exponential backoff without a delay",
      { backoff: { kind: "Exponential" } },
      "shape.missing /backoff/delaySeconds",
    ],
    [
      "a backoff that shrinks",
      { backoff: { kind: "Exponential", delaySeconds: 1, factor: 0.9 } },
      "limit.range /backoff/factor",
    ],
    [
      "a backoff that explodes",
      { backoff: { kind: "Exponential", delaySeconds: 1, factor: 100.5 } },
      "limit.range /backoff/factor",
    ],
    [
      "more jitter than delay",
      { backoff: { kind: "Constant", delaySeconds: 1, jitter: 1.1 } },
      "limit.range /backoff/jitter",
    ],
    [
      "an endless delay",
      { backoff: { kind: "Constant", delaySeconds: Number.POSITIVE_INFINITY } },
      "shape.type /backoff/delaySeconds",
    ],
    ["a backoff without a kind", { backoff: {} }, "shape.missing /backoff/kind"],
    ["a backoff that is no map", { backoff: "None" }, "shape.type /backoff"],
    ["a policy without rules", { failurePolicy: {} }, "shape.missing /failurePolicy/rules"],
    ["a policy with no rule", { failurePolicy: { rules: [], maxIgnored: 0 } }, ""],
    ["rules that are no list", { failurePolicy: { rules: {} } }, "shape.type /failurePolicy/rules"],
    [
      "a rule without a condition",
      { failurePolicy: { rules: [{ action: "Fail" }] } },
      "shape.missing /failurePolicy/rules/0",
    ],
    [
      "a rule on codes both ways",
      { failurePolicy: { rules: [{ action: "Fail", onExitCodes: { in: [1], notIn: [2] } }] } },
      "shape.missing /failurePolicy/rules/0/onExitCodes",
    ],
    [
      "a rule on codes neither way",
      { failurePolicy: { rules: [{ action: "Fail", onExitCodes: {} }] } },
      "shape.missing /failurePolicy/rules/0/onExitCodes",
    ],
    [
      "a rule on a code that cannot be",
      { failurePolicy: { rules: [{ action: "Fail", onExitCodes: { in: [2 ** 32] } }] } },
      "limit.range /failurePolicy/rules/0/onExitCodes/in/0",
    ],
    [
      "a rule on no reason",
      { failurePolicy: { rules: [{ action: "Fail", onReasons: [] }] } },
      "shape.empty /failurePolicy/rules/0/onReasons",
    ],
    [
      "a rule on a reason that rules do not know",
      { failurePolicy: { rules: [{ action: "Fail", onReasons: ["engineError"] }] } },
      "shape.enum /failurePolicy/rules/0/onReasons/0",
    ],
    [
      "a rule with a slip of the pen",
      { failurePolicy: { rules: [{ action: "Fail", onReasons: ["nodeLost"], "a/~b": 1 }] } },
      "shape.unknown-key /failurePolicy/rules/0/a~1~0b",
    ],
    ["resources that are no map", { image: "b", resources: [] }, "shape.type /resources"],
    [
      "a resource that does not exist",
      { image: "b", resources: { gpu: "1" } },
      "shape.unknown-key /resources/gpu",
    ],
    ["an empty quantity", { image: "b", resources: { cpu: "" } }, "shape.empty /resources/cpu"],
    ["a function", { run: () => 1 }, "shape.type /run"],
    ["a date", { since: new Date(0) }, "shape.type /since"],
    ["a hole in a list", { list: [1, undefined] }, "shape.type /list/1"],
    ["a bigint", { size: 1n }, "shape.type /size"],
  ])("%s", (_, members, expected) => {
    expect(problemsOf({ name: "a", ...members })).toEqual(expected === "" ? [] : [expected]);
  });

  it("is refused when it is nested without end", () => {
    const circle: { name: string; self?: unknown } = { name: "a" };
    circle.self = circle;
    expect(problemsOf(circle)).toEqual([`limit.range ${"/self".repeat(33)}`]);
    let deep: unknown = 1;
    for (let i = 0; i < 32; i += 1) deep = [deep];
    expect(problemsOf({ name: "a", deep })).toEqual([]);
    expect(problemsOf({ name: "a", deep: [deep] })).toEqual([
      `limit.range /deep${"/0".repeat(32)}`,
    ]);
  });

  it.each([null, undefined, 1, "a", [], new Map(), () => 1])("is no spec at all: %s", (value) => {
    expect(problemsOf(value)).toEqual(["shape.type "]);
  });
});

describe("a programming mistake", () => {
  it.each<[string, object, ErrorConstructor | RangeErrorConstructor]>([
    ["now", { now: Number.NaN }, RangeError],
    ["now", { now: 0.5 }, RangeError],
    ["now", { now: 8.64e15 + 1 }, RangeError],
    ["now", { now: new Date(0) }, TypeError],
    ["jobId", { jobId: "" }, TypeError],
    ["namespace", { namespace: undefined }, TypeError],
    ["taskId", { taskId: "" }, TypeError],
  ])("is thrown with the argument's name: %s %j", (name, wrong, kind) => {
    const create = () => createJob({ name: "a" }, { ...context, ...wrong });
    expect(create).toThrow(kind);
    expect(create).toThrow(name);
  });
});
