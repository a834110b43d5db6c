export { type ActiveRun, activeRun } from "./active-run.ts";
export { assignableAt } from "./assignable-at.ts";
export { type Creation, createJob } from "./create.ts";
export type { Diagnostic, Position } from "./diagnostic.ts";
export { type JobEffect, pendingEffects } from "./effect.ts";
export { attemptEnvironment, type RunFacts, runEnvironment } from "./environment.ts";
export {
  type ErrorData,
  isJobSpecError,
  isStateError,
  isTransitionError,
  JobSpecError,
  StateError,
  TransitionError,
} from "./errors.ts";
export {
  type JobEvent,
  parseJobEvent,
  type TaskBeginning,
  type TaskEnding,
  type TaskReport,
} from "./event.ts";
export {
  currentTask,
  type FailureReason,
  type Instant,
  isTerminalJob,
  isTerminalTask,
  type Job,
  type JobReason,
  type JobState,
  type JobStatus,
  type Task,
  type TaskStatus,
} from "./job.ts";
export type { Transition } from "./outcome.ts";
export { explainJobReason, type IgnoredReason } from "./reason.ts";
export { retryDelaySeconds } from "./retry.ts";
export type {
  Backoff,
  FailurePolicy,
  FailureRule,
  JobPolicy,
  JobSpec,
  PlacementConstraint,
  Resources,
  SecretReference,
  VolumeClaim,
} from "./spec.ts";
export { parseJobState } from "./state.ts";
export { transitionJob } from "./transition.ts";
