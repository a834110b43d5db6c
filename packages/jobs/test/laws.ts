import { isDeepStrictEqual } from "node:util";
import {
  assignableAt,
  currentTask,
  isTerminalJob,
  isTerminalTask,
  type JobEvent,
  type JobPolicy,
  type JobState,
  parseJobState,
  pendingEffects,
  type Transition,
  transitionJob,
} from "../src/index.ts";

type State = JobState<JobPolicy>;
type Step = Transition<JobPolicy>;

/** A law of J10 or J11 about one step: false where it is broken. */
type Law = (before: State, event: JobEvent, step: Step) => boolean;

const live = (state: State) => state.tasks.filter((task) => !isTerminalTask(task.actualStatus));
const readsAsSuccess = (event: JobEvent) =>
  event.type === "taskReported" && event.status === "stopped" && event.exitCode === 0;

/** Every law that one step can break, by the sentence that it states. */
export const laws: Readonly<Record<string, Law>> = {
  "attempts are from 1 to backoffLimit + 1": (_, __, { state }) =>
    state === undefined ||
    (state.job.attempts >= 1 && state.job.attempts <= (state.job.spec.backoffLimit ?? 0) + 1),

  "ignored failures are at most maxIgnored": (_, __, { state }) =>
    state === undefined ||
    state.job.ignoredFailures <= (state.job.spec.failurePolicy?.maxIgnored ?? 10),

  "task ids are unique and as many as attempts and ignored failures": (_, __, { state }) =>
    state === undefined ||
    (new Set(state.job.taskIds).size === state.job.taskIds.length &&
      state.job.taskIds.length === state.job.attempts + state.job.ignoredFailures &&
      isDeepStrictEqual(
        state.tasks.map(({ id }) => id),
        state.job.taskIds,
      )),

  "a Job that has not ended has exactly one live task": (_, __, { state }) =>
    state === undefined || isTerminalJob(state.job.status) || live(state).length === 1,

  "what an ended task reported never changes": (before, _, { state }) =>
    state === undefined ||
    before.tasks.every(
      (task, i) => !isTerminalTask(task.actualStatus) || isDeepStrictEqual(task, state.tasks[i]),
    ),

  "history only grows": (before, _, { state }) =>
    state === undefined ||
    isDeepStrictEqual(state.job.taskIds.slice(0, before.job.taskIds.length), before.job.taskIds),

  "a Job succeeds only by an accepted report that reads as exit 0": (before, event, { state }) =>
    state?.job.status !== "succeeded" || before.job.status === "succeeded" || readsAsSuccess(event),

  "terminal states absorb": (before, event, { state }) => {
    if (state === undefined || !isTerminalJob(before.job.status)) return true;
    if (event.type !== "deleteRequested") return isDeepStrictEqual(state.job, before.job);
    const { deletedAt, updatedAt, ...rest } = state.job;
    const { deletedAt: _, updatedAt: __, ...restBefore } = before.job;
    return deletedAt !== undefined && isDeepStrictEqual(rest, restBefore);
  },

  "the same event twice equals once": (_, event, { state }) => {
    if (state === undefined) return true;
    const again = transitionJob(state, event);
    return again.state === state && again.outcome === "ignored";
  },

  "what is ignored changes nothing, asks for nothing and says why": (before, _, step) =>
    step.outcome === "advanced"
      ? step.reason === undefined && step.state !== before
      : step.reason !== undefined && step.state === before && step.effects.length === 0,

  "effects are what the new state asks for and the old one did not": (before, _, step) => {
    if (step.state === undefined) return true;
    const known = new Set(pendingEffects(before).map(({ id }) => id));
    const wanted = pendingEffects(step.state).filter(({ id }) => !known.has(id));
    return isDeepStrictEqual(step.effects, wanted);
  },

  "a record goes only when nothing of it is live, with its last effects": (before, event, step) => {
    if (step.state !== undefined) return true;
    const [task] = live(before);
    const ends =
      task === undefined ||
      task.actualStatus === "pending" ||
      (event.type === "taskReported" && event.taskId === task.id);
    const [release, remove, ...others] = step.effects;
    return (
      ends &&
      step.wake === undefined &&
      others.length === 0 &&
      release?.type === "releaseVolumes" &&
      isDeepStrictEqual(release.taskIds, before.job.taskIds) &&
      remove?.type === "deleteJob" &&
      remove.jobId === before.job.id
    );
  },

  "only what was asked to go, or is past its retention, goes": (before, event, step) =>
    step.state !== undefined ||
    event.type === "deleteRequested" ||
    before.job.deletedAt !== undefined ||
    (event.type === "timeReached" && before.job.spec.ttlSecondsAfterFinished !== undefined),

  "timeReached at the wake advances, and a millisecond before it does not": (_, __, step) => {
    const { state, wake } = step;
    if (state === undefined || wake === undefined) return true;
    const reach = (at: number) => transitionJob(state, { type: "timeReached", at }).outcome;
    const early = wake.at - 1;
    return (
      reach(wake.at) === "advanced" && (early < state.job.updatedAt || reach(early) === "ignored")
    );
  },

  "without a wake, no time does anything": (_, __, { state, wake }) =>
    state === undefined ||
    wake !== undefined ||
    transitionJob(state, { type: "timeReached", at: 8.64e15 }).outcome === "ignored",

  "time never runs back": (before, event, { state, outcome }) =>
    state === undefined ||
    (state.job.updatedAt >= before.job.updatedAt &&
      (outcome === "ignored" ||
        isTerminalJob(before.job.status) ||
        state.job.updatedAt >= event.at)),

  "no attempt starts before the one before has ended and its delay has passed": (_, event, step) =>
    step.outcome === "ignored" ||
    event.type !== "taskAssigned" ||
    (step.state?.tasks ?? []).every((task, i, tasks) => {
      const previous = tasks[i - 1];
      return previous === undefined || task.createdAt >= (previous.finishedAt ?? Infinity);
    }),

  "a task can be assigned from assignableAt on, not before, and never without one": (
    _,
    __,
    { state },
  ) => {
    if (state === undefined) return true;
    const from = assignableAt(state);
    const { id: taskId } = currentTask(state);
    const assign = (at: number) =>
      transitionJob(state, { type: "taskAssigned", taskId, nodeId: "a", at }).outcome;
    if (from === undefined) return assign(8.64e15) === "ignored";
    const isEarly = from - 1 >= state.job.updatedAt;
    return assign(from) === "advanced" && (!isEarly || assign(from - 1) === "ignored");
  },

  "a state is plain JSON that parses as itself": (_, __, { state }) =>
    state === undefined ||
    (isDeepStrictEqual(parseJobState(JSON.parse(JSON.stringify(state))), state) &&
      isDeepStrictEqual(structuredClone(state), state)),
};

/**
 * The laws that this step breaks. An ignored step hands back the very state that was checked when
 * it was reached, so one law is enough for it.
 */
export function brokenLaws(before: State, event: JobEvent, step: Step): readonly string[] {
  const isSame = step.outcome === "ignored" && step.state === before;
  return Object.entries(laws)
    .filter(([sentence]) => !isSame || sentence.startsWith("what is ignored"))
    .filter(([, holds]) => !holds(before, event, step))
    .map(([sentence]) => sentence);
}
