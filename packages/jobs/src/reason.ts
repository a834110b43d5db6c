import type { FailureReason, JobReason } from "./job.ts";

/** Why an event changed nothing (J5). */
export type IgnoredReason =
  | "unknownTask"
  | "taskOver"
  | "jobEnded"
  | "notForward"
  | "tooEarly"
  | "suspended"
  | "alreadySuspended"
  | "notSuspended"
  | "alreadyDeleted";

const words: Readonly<Record<JobReason | FailureReason | IgnoredReason, string>> = {
  backoffLimit: "the retry limit is spent",
  failurePolicy: "a failure rule says not to retry",
  deadlineExceeded: "the deadline has passed",
  nodeLost: "the node was lost",
  outOfMemory: "the memory limit was exceeded",
  neverStarted: "the work never started",
  engineError: "the container engine failed",
  unknown: "how it ended is not known",
  unknownTask: "the Job has no such task",
  taskOver: "the task has already ended",
  jobEnded: "the Job has already ended",
  notForward: "the task is already that far",
  tooEarly: "its time has not come",
  suspended: "the Job is suspended",
  alreadySuspended: "the Job is already suspended",
  notSuspended: "the Job is not suspended",
  alreadyDeleted: "the Job is already being deleted",
};

/** The reason in words: why a Job or a task failed, or why an event was ignored. */
export function explainJobReason(reason: JobReason | FailureReason | IgnoredReason): string {
  return words[reason];
}
