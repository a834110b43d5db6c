import type { Instant, Job, JobReason, Task } from "./job.ts";
import type { Backoff, FailureRule, JobPolicy } from "./spec.ts";

/** What a failure comes to: a retry that counts as an attempt or not, or the end of the Job. */
export type Verdict =
  | { readonly retry: "counted" | "ignored" }
  | { readonly retry: false; readonly reason: JobReason };

/**
 * The seconds to wait after the failure that is number `failures` (from 1) among the counted ones,
 * in whole milliseconds and never above `maxSeconds` (J6). Jitter takes away up to that fraction
 * of the delay; how much is a hash of `jobId` and `failures`, so the answer is always the same.
 */
export function retryDelaySeconds(
  backoff: Backoff | undefined,
  { failures, jobId }: { failures: number; jobId: string },
): number {
  if (!Number.isSafeInteger(failures) || failures < 1) {
    throw new RangeError(`failures must be a whole number from 1, found ${failures}`);
  }
  if (backoff === undefined || backoff.kind === "None") return 0;
  // The growth is kept finite, since a delay of 0 times infinity is no number.
  const seconds =
    backoff.kind === "Constant"
      ? backoff.delaySeconds
      : Math.min(
          backoff.maxSeconds ?? 600,
          backoff.delaySeconds *
            Math.min(Number.MAX_VALUE, (backoff.factor ?? 2) ** (failures - 1)),
        );
  const taken = (backoff.jitter ?? 0) * fractionOf(`${jobId}/${failures}`);
  return Math.round(seconds * (1 - taken) * 1000) / 1000;
}

/** The instant at which the Job's deadline is reached, if it has one (J8). */
export function deadlineOf(job: Job<JobPolicy>): Instant | undefined {
  const seconds = job.spec.activeDeadlineSeconds;
  return seconds === undefined ? undefined : job.createdAt + seconds * 1000;
}

/** Deadline first, then the first failure rule that matches, then the retry limit (J4, J7, J8). */
export function judgeFailure(job: Job<JobPolicy>, failed: Task, at: Instant): Verdict {
  const deadline = deadlineOf(job);
  if (deadline !== undefined && at >= deadline) {
    return { retry: false, reason: "deadlineExceeded" };
  }
  const policy = job.spec.failurePolicy;
  const rule = policy?.rules.find((candidate) => matchesRule(candidate, failed));
  if (rule?.action === "Fail") return { retry: false, reason: "failurePolicy" };
  if (rule?.action === "Ignore" && job.ignoredFailures < (policy?.maxIgnored ?? 10)) {
    return { retry: "ignored" };
  }
  if (job.attempts > (job.spec.backoffLimit ?? 0)) return { retry: false, reason: "backoffLimit" };
  return { retry: "counted" };
}

/** All conditions that the rule has must hold; exit code 0 satisfies none on codes (J7). */
function matchesRule(rule: FailureRule, { exitCode = 1, failureReason }: Task): boolean {
  const { onExitCodes, onReasons } = rule;
  if (onReasons !== undefined && !onReasons.some((named) => named === failureReason)) return false;
  if (onExitCodes === undefined) return true;
  if (exitCode === 0) return false;
  return "in" in onExitCodes
    ? onExitCodes.in.includes(exitCode)
    : !onExitCodes.notIn.includes(exitCode);
}

/** FNV-1a over the UTF-16 units, then MurmurHash3's finalizer: evenly spread in [0, 1). */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}
