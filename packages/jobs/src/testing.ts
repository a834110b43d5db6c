import fc from "fast-check";
import {
  type Backoff,
  createJob,
  type FailurePolicy,
  type FailureReason,
  type Instant,
  type JobEvent,
  type JobPolicy,
  type JobSpec,
  type JobState,
  transitionJob,
} from "./index.ts";

/** A Job from its creation on: apply the events in order to the state that `createJob` gives. */
export interface JobHistory<S extends JobPolicy = JobPolicy> {
  readonly spec: S;
  readonly context: {
    readonly jobId: string;
    readonly namespace: string;
    readonly now: Instant;
  };
  readonly events: readonly JobEvent[];
}

/** Objects as people write them, with the usual prototype. */
const plain = { noNullPrototype: true } as const;

const START = Date.UTC(2026, 9, 13, 9);

/** DNS-1123 labels of at most 63 characters. */
export function jobNames(): fc.Arbitrary<string> {
  return fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
}

export function backoffs(): fc.Arbitrary<Backoff> {
  const delaySeconds = fc.nat(600);
  const jitter = fc.double({ min: 0, max: 1, noNaN: true });
  return fc.oneof(
    fc.constant<Backoff>({ kind: "None" }),
    fc.record(
      { kind: fc.constant("Constant" as const), delaySeconds, jitter },
      { requiredKeys: ["kind", "delaySeconds"], noNullPrototype: true },
    ),
    fc.record(
      {
        kind: fc.constant("Exponential" as const),
        delaySeconds,
        factor: fc.double({ min: 1, max: 100, noNaN: true }),
        maxSeconds: fc.nat(86_400),
        jitter,
      },
      { requiredKeys: ["kind", "delaySeconds"], noNullPrototype: true },
    ),
  );
}

export function failurePolicies(): fc.Arbitrary<FailurePolicy> {
  const action = fc.constantFrom("Fail", "Ignore", "Count");
  const codes = fc.array(fc.nat(4), { maxLength: 3 });
  const onExitCodes = fc.oneof(fc.record({ in: codes }, plain), fc.record({ notIn: codes }, plain));
  const onReasons = fc.uniqueArray(fc.constantFrom("nodeLost", "outOfMemory", "neverStarted"), {
    minLength: 1,
  });
  const rule = fc.oneof(
    fc.record({ action, onExitCodes }, plain),
    fc.record({ action, onReasons }, plain),
    fc.record({ action, onExitCodes, onReasons }, plain),
  );
  return fc.record(
    { rules: fc.array(rule, { maxLength: 3 }), maxIgnored: fc.nat(3) },
    { requiredKeys: ["rules"], noNullPrototype: true },
  );
}

/** Policies with small limits and times, so that a short history reaches all of them. */
export function jobPolicies(): fc.Arbitrary<JobPolicy> {
  return fc.record(policyMembers(), { requiredKeys: ["name"], noNullPrototype: true });
}

/** Whole specs, all members of which may be absent but `name` and `image`. */
export function jobSpecs(): fc.Arbitrary<JobSpec> {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  return fc.record(
    {
      ...policyMembers(),
      image: word,
      command: fc.array(fc.string(), { maxLength: 3 }),
      environment: fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), fc.string(), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      resources: fc.record(
        { cpu: fc.constantFrom("250m", "1"), memory: fc.constantFrom("64Mi", "1Gi") },
        { requiredKeys: [], noNullPrototype: true },
      ),
      secrets: fc.array(
        fc.record({ name: word, key: word }, { requiredKeys: ["name"], noNullPrototype: true }),
        {
          maxLength: 2,
        },
      ),
      placement: fc.array(
        fc.record(
          { key: word, operator: fc.constantFrom("equals", "not_equals"), value: word },
          plain,
        ),
        { maxLength: 2 },
      ),
      volumeClaims: fc.array(
        fc.record(
          { claim: word, target: word.map((name) => `/${name}`), readOnly: fc.boolean() },
          { requiredKeys: ["claim", "target"], noNullPrototype: true },
        ),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ["name", "image"], noNullPrototype: true },
  );
}

/** Any well-formed event about one of these tasks. */
export function jobEvents(taskIds: readonly string[]): fc.Arbitrary<JobEvent> {
  return fc
    .tuple(step(), fc.constantFrom(...taskIds), fc.integer({ min: -3600, max: 86_400 }))
    .map(([{ what }, taskId, seconds]) => eventOf(what, taskId, START + seconds * 1000));
}

/**
 * Histories as the world makes them: events about current, earlier and unknown tasks, some
 * repeated, some late by a few places, some with a clock that went back.
 */
export function jobHistories(
  options: { readonly maxEvents?: number } = {},
): fc.Arbitrary<JobHistory> {
  return fc
    .record({
      spec: jobPolicies(),
      jobId: fc.stringMatching(/^[a-z]{1,6}$/),
      steps: fc.array(step(), { maxLength: options.maxEvents ?? 20 }),
    })
    .map(({ spec, jobId, steps }) => {
      const context = { jobId, namespace: "default", now: START };
      return { spec, context, events: unroll(createJob(spec, context).state, steps) };
    });
}

/** States that histories lead to; never one of a Job whose record is gone. */
export function jobStates(): fc.Arbitrary<JobState<JobPolicy>> {
  return jobHistories().map(({ spec, context, events }) => {
    let state = createJob(spec, context).state;
    for (const event of events) state = transitionJob(state, event).state ?? state;
    return state;
  });
}

function policyMembers() {
  return {
    name: jobNames(),
    backoffLimit: fc.nat(4),
    backoff: backoffs(),
    activeDeadlineSeconds: fc.integer({ min: 1, max: 7200 }),
    ttlSecondsAfterFinished: fc.nat(7200),
    failurePolicy: failurePolicies(),
  };
}

type What =
  | { readonly type: Exclude<JobEvent["type"], "taskReported"> }
  | {
      readonly type: "taskReported";
      readonly status: "running" | "healthy" | "stopped" | "failed" | "removed";
      readonly exitCode: number;
      readonly hasCode: boolean;
      readonly reason: FailureReason | undefined;
    };

interface Step {
  readonly what: What;
  /** Tasks back from the current one; beyond the first means a task that does not exist. */
  readonly back: number;
  readonly gapSeconds: number;
  readonly repeats: boolean;
  readonly lateBy: number;
}

function step(): fc.Arbitrary<Step> {
  const report = fc.record({
    type: fc.constant("taskReported" as const),
    status: fc.constantFrom("running", "healthy", "stopped", "failed", "removed"),
    exitCode: fc.nat(4),
    hasCode: fc.boolean(),
    reason: fc.option(
      fc.constantFrom<FailureReason>("nodeLost", "outOfMemory", "neverStarted", "engineError"),
      { nil: undefined },
    ),
  });
  const other = fc.record({
    type: fc.constantFrom(
      "taskAssigned",
      "cancelRequested",
      "deleteRequested",
      "suspendRequested",
      "resumeRequested",
      "timeReached",
    ),
  });
  const assignment = fc.constant<What>({ type: "taskAssigned" });
  return fc.record({
    what: fc.oneof(
      { arbitrary: report, weight: 6 },
      { arbitrary: assignment, weight: 2 },
      { arbitrary: other, weight: 1 },
    ),
    back: fc.constantFrom(0, 0, 0, 0, 1, 99),
    gapSeconds: fc.oneof(fc.integer({ min: -10, max: 60 }), fc.integer({ min: 0, max: 7200 })),
    repeats: fc.boolean(),
    lateBy: fc.constantFrom(0, 0, 0, 1, 2, 3),
  }) as fc.Arbitrary<Step>;
}

/** Events in the order in which they arrive, made as they would happen if none were late. */
function unroll(created: JobState<JobPolicy>, steps: readonly Step[]): readonly JobEvent[] {
  const arrivals: { readonly place: number; readonly event: JobEvent }[] = [];
  let state = created;
  let at = START;
  for (const [i, { what, back, gapSeconds, repeats, lateBy }] of steps.entries()) {
    at += gapSeconds * 1000;
    const taskId = state.job.taskIds.at(-1 - back) ?? "unknown";
    const event = eventOf(what, taskId, at);
    arrivals.push({ place: i + lateBy, event });
    if (repeats) arrivals.push({ place: i + 2 * lateBy, event });
    state = transitionJob(state, event).state ?? state;
  }
  return arrivals.sort((a, b) => a.place - b.place).map(({ event }) => event);
}

function eventOf(what: What, taskId: string, at: Instant): JobEvent {
  if (what.type === "taskAssigned") return { type: what.type, at, taskId, nodeId: "node-a" };
  if (what.type !== "taskReported") return { type: what.type, at };
  const { type, status, exitCode, hasCode, reason } = what;
  switch (status) {
    case "running":
    case "healthy":
      return { type, at, taskId, status, ...(hasCode ? { containerId: `c-${taskId}` } : {}) };
    case "stopped":
      return { type, at, taskId, status, exitCode };
    case "failed":
      return {
        type,
        at,
        taskId,
        status,
        ...(hasCode ? { exitCode } : {}),
        ...(reason === undefined ? {} : { reason }),
      };
    case "removed":
      return { type, at, taskId, status };
  }
}
