import { type JobEffect, removalEffects } from "./effect.ts";
import {
  currentTask,
  type Instant,
  isTerminalJob,
  isTerminalTask,
  type Job,
  type JobState,
} from "./job.ts";
import type { IgnoredReason } from "./reason.ts";
import { deadlineOf } from "./retry.ts";
import type { JobPolicy, JobSpec } from "./spec.ts";

/** What an event came to: store `state` (or remove the record, if absent), then do `effects`. */
export interface Transition<S extends JobPolicy = JobSpec> {
  /** Absent once the Job is deleted and nothing of it is live (J9). */
  readonly state?: JobState<S>;
  readonly effects: readonly JobEffect[];
  /** When `timeReached` is wanted next; an instant in the past means at once. */
  readonly wake?: { readonly at: Instant };
  readonly outcome: "advanced" | "ignored";
  readonly reason?: IgnoredReason;
}

const none: readonly JobEffect[] = [];

export function advanced<S extends JobPolicy>(
  state: JobState<S>,
  effects: readonly JobEffect[] = none,
): Transition<S> {
  const at = wakeAt(state);
  if (at === undefined) return { state, effects, outcome: "advanced" };
  return { state, effects, wake: { at }, outcome: "advanced" };
}

export function ignored<S extends JobPolicy>(
  state: JobState<S>,
  reason: IgnoredReason,
): Transition<S> {
  const at = wakeAt(state);
  if (at === undefined) return { state, effects: none, outcome: "ignored", reason };
  return { state, effects: none, wake: { at }, outcome: "ignored", reason };
}

/** The record goes, and with it, in one transaction, its volumes' claims (J9). */
export function removed(job: Job<JobPolicy>): Transition<never> {
  return { effects: removalEffects(job), outcome: "advanced" };
}

/** The deadline of a Job that has not ended, the end of retention of one with no live task (J8). */
export function wakeAt(state: JobState<JobPolicy>): Instant | undefined {
  const { job } = state;
  if (!isTerminalJob(job.status)) return deadlineOf(job);
  const ttl = job.spec.ttlSecondsAfterFinished;
  if (ttl === undefined || job.completedAt === undefined) return undefined;
  if (!isTerminalTask(currentTask(state).actualStatus)) return undefined;
  return job.completedAt + ttl * 1000;
}
