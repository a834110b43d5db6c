import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createJob,
  type FailureReason,
  type JobEvent,
  type JobPolicy,
  type JobState,
  type JobStatus,
  transitionJob,
} from "../src/index.ts";
import { jobPolicies } from "../src/testing.ts";
import { brokenLaws } from "./laws.ts";

/**
 * What an operator would note down by hand: a reading of J2 to J9 of its own, without the code's
 * data. `live` is how far the current task has come, or "over".
 */
interface Model {
  now: number;
  status: JobStatus | "gone";
  live: "pending" | "assigned" | "running" | "healthy" | "over";
  attempts: number;
  forgiven: number;
  readyAt: number;
  suspended: boolean;
  deleting: boolean;
  endedAt: number;
}

interface Real {
  readonly policy: JobPolicy;
  readonly start: number;
  state: JobState<JobPolicy> | undefined;
  readonly past: JobEvent[];
}

const isOver = ({ status }: Model) => status !== "pending" && status !== "running";

function apply(model: Model, real: Real, event: JobEvent): void {
  const { state } = real;
  if (state === undefined) throw new Error("commands run only while there is a record");
  const step = transitionJob(state, event);
  real.past.push(event);
  real.state = step.state;
  expect(brokenLaws(state, event, step)).toEqual([]);
  const current = step.state?.tasks.at(-1);
  const ended = ["stopped", "failed", "removed"].includes(current?.actualStatus ?? "");
  expect({
    status: step.state?.job.status ?? "gone",
    live: step.state === undefined || ended ? "over" : current?.actualStatus,
    attempts: step.state?.job.attempts ?? model.attempts,
    forgiven: step.state?.job.ignoredFailures ?? model.forgiven,
    suspended: step.state === undefined ? model.suspended : "suspendedAt" in step.state.job,
  }).toEqual({
    status: model.status,
    live: model.live,
    attempts: model.attempts,
    forgiven: model.forgiven,
    suspended: model.suspended,
  });
}

type Command = fc.Command<Model, Real>;

const isThere = ({ status }: Readonly<Model>) => status !== "gone";

/** A command that runs only while there is a record. */
function command(name: string, run: (model: Model, real: Real) => void): Command {
  return { check: isThere, run, toString: () => name };
}

const currentId = (real: Real) => real.state?.job.taskIds.at(-1) ?? "";

function wait(seconds: number): Command {
  return command(`wait ${seconds} s`, (model, real) => {
    model.now += seconds * 1000;
    const due = nextDue(model, real);
    if (due !== undefined && model.now >= due) {
      if (isOver(model)) model.status = "gone";
      else endEarly(model, real, "failed");
    }
    apply(model, real, { type: "timeReached", at: model.now });
  });
}

function nextDue(model: Model, { policy, start }: Real): number | undefined {
  const { activeDeadlineSeconds: deadline, ttlSecondsAfterFinished: ttl } = policy;
  if (!isOver(model)) return deadline === undefined ? undefined : start + deadline * 1000;
  if (ttl === undefined || model.deleting || model.live !== "over") return undefined;
  return model.endedAt + ttl * 1000;
}

function endEarly(model: Model, real: Real, status: "failed" | "cancelled"): void {
  model.status = status;
  model.endedAt = model.now;
  if (model.live === "pending") model.live = "over";
  if (status === "failed" && model.live === "over" && real.policy.ttlSecondsAfterFinished === 0) {
    model.status = "gone";
  }
}

function assign(): Command {
  return command("assign", (model, real) => {
    const can = !isOver(model) && !model.suspended && model.now >= model.readyAt;
    if (model.live === "pending" && can) model.live = "assigned";
    const taskId = currentId(real);
    apply(model, real, { type: "taskAssigned", at: model.now, taskId, nodeId: "a" });
  });
}

function begin(status: "running" | "healthy"): Command {
  return command(status, (model, real) => {
    const isForward =
      model.live === "pending" ||
      model.live === "assigned" ||
      (model.live === "running" && status === "healthy");
    if (!isOver(model) && isForward) {
      model.live = status;
      model.status = "running";
    }
    apply(model, real, { type: "taskReported", at: model.now, taskId: currentId(real), status });
  });
}

interface Ending {
  readonly status: "stopped" | "failed" | "removed";
  readonly code: number;
  readonly why: FailureReason;
}

function end(ending: Ending): Command {
  const { status, code, why } = ending;
  return command(`${status} ${code} ${why}`, (model, real) => {
    if (model.live !== "over") expectEnd(ending, model, real);
    const report = { type: "taskReported", at: model.now, taskId: currentId(real) } as const;
    if (status === "stopped") apply(model, real, { ...report, status, exitCode: code });
    else if (status === "removed") apply(model, real, { ...report, status });
    else apply(model, real, { ...report, status, exitCode: code, reason: why });
  });
}

function expectEnd(ending: Ending, model: Model, { policy, start }: Real): void {
  model.live = "over";
  if (isOver(model)) {
    if (model.deleting) model.status = "gone";
    return;
  }
  const code = ending.status === "removed" ? 1 : ending.code;
  const why = ending.status === "failed" ? ending.why : undefined;
  const rule = policy.failurePolicy?.rules.find(({ onExitCodes: codes, onReasons: reasons }) => {
    const isNamed = reasons === undefined || reasons.some((reason) => reason === why);
    if (codes === undefined) return isNamed;
    const isListed = "in" in codes ? codes.in.includes(code) : !codes.notIn.includes(code);
    return isNamed && code !== 0 && isListed;
  });
  const deadline = policy.activeDeadlineSeconds;
  const isLate = deadline !== undefined && model.now >= start + deadline * 1000;
  const canForgive = model.forgiven < (policy.failurePolicy?.maxIgnored ?? 10);
  if (ending.status === "stopped" && code === 0) close(model, "succeeded");
  else if (isLate || rule?.action === "Fail") close(model, "failed");
  else if (rule?.action === "Ignore" && canForgive) again(model, "forgiven", 0);
  else if (model.attempts > (policy.backoffLimit ?? 0)) close(model, "failed");
  else again(model, "attempts", delayOf(policy, model.attempts));
}

function close(model: Model, status: "succeeded" | "failed"): void {
  model.status = status;
  model.endedAt = model.now;
}

function again(model: Model, counter: "attempts" | "forgiven", delaySeconds: number): void {
  model[counter] += 1;
  model.status = "pending";
  model.live = "pending";
  model.readyAt = model.now + Math.round(delaySeconds * 1000);
}

/** Without jitter, which the policies of this test leave out. */
function delayOf({ backoff }: JobPolicy, failures: number): number {
  if (backoff === undefined || backoff.kind === "None") return 0;
  if (backoff.kind === "Constant") return backoff.delaySeconds;
  let delay = backoff.delaySeconds;
  for (let i = 1; i < failures; i += 1) delay *= backoff.factor ?? 2;
  return Math.min(delay, backoff.maxSeconds ?? 600);
}

function ask(what: "cancel" | "delete" | "suspend" | "resume"): Command {
  return command(what, (model, real) => {
    if (what === "delete") {
      if (!isOver(model)) endEarly(model, { ...real, policy: { name: "a" } }, "cancelled");
      model.deleting = true;
      if (model.live === "over") model.status = "gone";
    } else if (!isOver(model)) {
      if (what === "cancel") endEarly(model, real, "cancelled");
      else model.suspended = what === "suspend";
    }
    apply(model, real, { type: `${what}Requested`, at: model.now });
  });
}

/** Something that was said before is said again: reports of ended tasks, stale assignments. */
function repeat(index: number): Command {
  return command(`stale ${index}`, (model, real) => {
    const event = real.past[index % Math.max(1, real.past.length)];
    if (event === undefined || !("taskId" in event)) return;
    if (event.taskId === currentId(real) && model.live !== "over") return;
    apply(model, real, event);
  });
}

const commands = [
  fc.nat(600).map(wait),
  fc.constant(assign()),
  fc.constantFrom("running" as const, "healthy" as const).map(begin),
  fc
    .record({
      status: fc.constantFrom("stopped" as const, "failed" as const, "removed" as const),
      code: fc.nat(3),
      why: fc.constantFrom<FailureReason>("nodeLost", "outOfMemory", "engineError"),
    })
    .map(end),
  fc
    .constantFrom("cancel" as const, "delete" as const, "suspend" as const, "resume" as const)
    .map(ask),
  fc.nat(50).map(repeat),
];

const plainPolicies = jobPolicies().map((policy): JobPolicy => {
  if (policy.backoff === undefined || policy.backoff.kind === "None") return policy;
  return { ...policy, backoff: { ...policy.backoff, jitter: 0 } };
});

it("a Job agrees with a reading of the rules of its own, command by command (J2 to J9)", () => {
  fc.assert(
    fc.property(
      plainPolicies,
      fc.commands(commands, { maxCommands: 60, size: "max" }),
      (policy, script) => {
        const start = Date.UTC(2026, 9, 13, 9);
        fc.modelRun(() => {
          const context = { jobId: "j", namespace: "default", now: start };
          const real: Real = { policy, start, state: createJob(policy, context).state, past: [] };
          const model: Model = {
            now: start,
            status: "pending",
            live: "pending",
            attempts: 1,
            forgiven: 0,
            readyAt: start,
            suspended: false,
            deleting: false,
            endedAt: 0,
          };
          return { model, real };
        }, script);
      },
    ),
    { numRuns: Number(process.env.FC_RUNS ?? 300) },
  );
});
