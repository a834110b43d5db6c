/**
 * What a host's agent and the server say to each other.
 *
 * The link is level-triggered: an answer to a poll is the whole of what the node should hold, so a
 * lost, repeated or late answer does no harm. What happened travels the other way as reports, each
 * with an id, repeated by the agent until the server acknowledges it (A8).
 */
import type { HostDeclaration } from "@mesh/declaration";
import * as v from "valibot";

/** Epoch milliseconds UTC, up to the last that a date can have. */
const instant = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(8.64e15));
const text = v.pipe(v.string(), v.maxLength(4096));
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(253));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Any code that some operating system has: signed or unsigned 32 bits. */
const exitCode = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(-(2 ** 31)),
  v.maxValue(2 ** 32 - 1),
);

/**
 * Texts by name, kept whole: the library's own record drops names such as `constructor`, and
 * nothing is accepted with a part dropped.
 */
const texts = (longest: number) =>
  v.custom<Readonly<Record<string, string>>>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(
        ([key, text]) =>
          key.length >= 1 &&
          key.length <= 253 &&
          typeof text === "string" &&
          text.length <= longest,
      ),
    "must map names to texts",
  );

/** What the node runs containers with; `raw-exec` starts plain processes and lies outside R7. */
export const engineSchema = v.strictObject({
  kind: v.picklist(["docker", "podman", "raw-exec", "simulated"]),
  version: text,
});

/** `POST /v1/agent/register`: the node makes itself known. Repeating it changes nothing. */
export const registerRequestSchema = v.strictObject({
  node: name,
  labels: texts(4096),
  capacity: v.strictObject({ cpuMillicores: count, memoryBytes: count }),
  engine: engineSchema,
  agentVersion: text,
  zoneData: text,
});

/** How the node stands with the declaration it was sent (A1): runs never change it (A3, A4). */
export const nodeStatusSchema = v.strictObject({
  generation: count,
  applied: v.boolean(),
  current: v.boolean(),
  problems: v.array(
    v.strictObject({ module: name, key: v.optional(text), code: text, message: text }),
  ),
});

/** `POST /v1/agent/heartbeat`: renews the lease (S4) and tells the node's status. */
export const heartbeatRequestSchema = v.strictObject({ node: name, status: nodeStatusSchema });

/** `POST /v1/agent/poll`: held until the node's desired state differs from `revision`. */
export const pollRequestSchema = v.strictObject({
  node: name,
  revision: v.optional(text),
  generation: v.optional(count),
});

const failureReason = v.picklist([
  "nodeLost",
  "outOfMemory",
  "neverStarted",
  "deadlineExceeded",
  "engineError",
  "unknown",
]);

/** A task's report, as J3 reads it; an agent always knows the code of a `stopped` one (A8). */
const taskReport = v.variant("status", [
  v.strictObject({
    status: v.picklist(["running", "healthy"]),
    containerId: v.optional(text),
  }),
  v.strictObject({ status: v.literal("stopped"), exitCode }),
  v.strictObject({
    status: v.literal("failed"),
    exitCode: v.optional(exitCode),
    reason: v.optional(failureReason),
    message: v.optional(text),
  }),
  v.strictObject({ status: v.literal("removed") }),
]);

/** What became of one occurrence of a scheduled container, or of an interval of missed ones. */
const runRecord = v.variant("outcome", [
  v.strictObject({
    outcome: v.literal("started"),
    runId: name,
    occurrenceAt: instant,
    startedAt: instant,
    containerId: v.optional(text),
  }),
  v.strictObject({
    outcome: v.literal("succeeded"),
    runId: name,
    occurrenceAt: instant,
    startedAt: instant,
    finishedAt: instant,
    exitCode: v.literal(0),
    output: v.optional(text),
  }),
  v.strictObject({
    outcome: v.literal("failed"),
    runId: name,
    occurrenceAt: instant,
    startedAt: v.optional(instant),
    finishedAt: instant,
    exitCode: v.optional(exitCode),
    reason: v.optional(failureReason),
    message: v.optional(text),
    output: v.optional(text),
  }),
  v.strictObject({
    outcome: v.literal("skipped"),
    occurrenceAt: instant,
    activeRunId: v.optional(name),
    reason: text,
  }),
  v.strictObject({
    outcome: v.literal("missed"),
    firstAt: instant,
    lastAt: instant,
    count,
    countIsExact: v.boolean(),
    reason: text,
  }),
]);

/** What became of a run-once step (A5). */
const stepRecord = v.strictObject({
  outcome: v.picklist(["succeeded", "failed"]),
  runId: name,
  startedAt: v.optional(instant),
  finishedAt: instant,
  exitCode: v.optional(exitCode),
  reason: v.optional(failureReason),
  message: v.optional(text),
  output: v.optional(text),
});

/** One thing that happened on the host. `id` is unique per node and the same at each repetition. */
export const reportSchema = v.variant("kind", [
  v.strictObject({
    kind: v.literal("task"),
    id: name,
    at: instant,
    taskId: name,
    report: taskReport,
    output: v.optional(text),
  }),
  v.strictObject({
    kind: v.literal("run"),
    id: name,
    at: instant,
    module: name,
    container: name,
    record: runRecord,
  }),
  v.strictObject({
    kind: v.literal("runOnce"),
    id: name,
    at: instant,
    module: name,
    container: name,
    record: stepRecord,
  }),
]);

/** `POST /v1/agent/reports`: at most 500 at a time; each is acknowledged or sent again (A8). */
export const reportsRequestSchema = v.strictObject({
  node: name,
  reports: v.pipe(v.array(reportSchema), v.maxLength(500)),
});

export type Engine = v.InferOutput<typeof engineSchema>;
export type RegisterRequest = v.InferOutput<typeof registerRequestSchema>;
export type NodeStatus = v.InferOutput<typeof nodeStatusSchema>;
export type HeartbeatRequest = v.InferOutput<typeof heartbeatRequestSchema>;
export type PollRequest = v.InferOutput<typeof pollRequestSchema>;
export type TaskReport = v.InferOutput<typeof taskReport>;
export type RunRecord = v.InferOutput<typeof runRecord>;
export type RunOnceRecord = v.InferOutput<typeof stepRecord>;
export type Report = v.InferOutput<typeof reportSchema>;
export type ReportsRequest = v.InferOutput<typeof reportsRequestSchema>;

/**
 * The work of a task, read from its Job's immutable spec (J2). The agent adds the keys that J12
 * promises the process to its environment.
 */
export const taskAssignmentSchema = v.strictObject({
  taskId: name,
  jobId: name,
  jobName: name,
  namespace: name,
  attempt: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  scheduledAt: v.optional(instant),
  desiredStatus: v.picklist(["running", "removed"]),
  work: v.strictObject({
    image: name,
    command: v.optional(v.array(v.string())),
    environment: v.optional(texts(Number.POSITIVE_INFINITY)),
    cpuMillicores: count,
    memoryBytes: count,
    secrets: v.optional(v.array(v.strictObject({ name, value: v.string() }))),
    volumeClaims: v.optional(
      v.array(v.strictObject({ claim: name, target: text, readOnly: v.optional(v.boolean()) })),
    ),
  }),
});

/** Answer to register and heartbeat: how long the lease lasts from the send time (S4). */
export const leaseSchema = v.strictObject({ leaseSeconds: v.number(), serverVersion: text });

/**
 * Answer to a poll: all that the node should hold. `declaration` is absent when the node's
 * generation is the newest; its content is judged by `checkBound` (R7), not by this schema.
 * Tasks that are not listed are not the node's: their containers are stopped and removed.
 */
export const pollAnswerSchema = v.strictObject({
  revision: text,
  declaration: v.optional(v.unknown()),
  tasks: v.array(taskAssignmentSchema),
});

/** Ids that need not be sent again, those of ignored reports included. */
export const reportsAnswerSchema = v.strictObject({ acknowledged: v.array(name) });

export type TaskAssignment = v.InferOutput<typeof taskAssignmentSchema>;
export type Lease = v.InferOutput<typeof leaseSchema>;
export type PollAnswer = Omit<v.InferOutput<typeof pollAnswerSchema>, "declaration"> & {
  /** A `HostDeclaration` when the server is honest; the agent checks it whatever it is. */
  readonly declaration?: HostDeclaration | undefined;
};
export type ReportsAnswer = v.InferOutput<typeof reportsAnswerSchema>;
