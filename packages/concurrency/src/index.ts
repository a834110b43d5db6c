export type { Diagnostic } from "@mesh/cron";
export type { Decision, Outcome, OutcomeReason, Wake } from "./decide.ts";
export { decideSchedule, replayDecision, stopRequest } from "./decide.ts";
export {
  isScheduleSpecError,
  isScheduleStateError,
  ScheduleSpecError,
  ScheduleStateError,
} from "./errors.ts";
export type { ActiveRun, DecideOptions, DueSet, Evidence } from "./evidence.ts";
export { dueSet } from "./evidence.ts";
export { explainDecision, explainReason } from "./explain.ts";
export type { Instant } from "./instant.ts";
export { backfillName, occurrenceName, scheduleOfRun, triggerName } from "./names.ts";
export type {
  ConcurrencyPolicy,
  DaylightSaving,
  MissedRuns,
  ScheduleSpec,
} from "./schedule-spec.ts";
export type { ScheduleEdit, ScheduleState } from "./schedule-state.ts";
export {
  createSchedule,
  resetCheckpoint,
  resumeSchedule,
  suspendSchedule,
  updateSchedule,
} from "./schedule-state.ts";
export type { SimulatedStep } from "./simulate.ts";
export { simulate } from "./simulate.ts";
export { parseEvidence, parseScheduleState } from "./stored-data.ts";
export type { Interval } from "./window.ts";
