import { describe, expect, it } from "vitest";
import { type Backoff, createJob, type JobPolicy, retryDelaySeconds } from "../src/index.ts";
import {
  after,
  ask,
  assigned,
  at,
  atlas,
  failed,
  gone,
  jobAfter,
  running,
  step,
  stopped,
  taskOf,
} from "./atlas.ts";

interface Scenario {
  readonly id: string;
  /** Where the fact about the other system was read. */
  readonly source: string;
  readonly theirs: string;
  /** Whether we agree, and why not where we do not. */
  readonly verdict: string;
  readonly check: () => void;
}

const controller = "Kubernetes job_controller_test.go";
const backoffUtils = "Kubernetes backoff_utils_test.go";
const failurePolicy = "Kubernetes pod_failure_policy_test.go";
const twice = atlas({ backoffLimit: 5 });

/** What other controllers' own tests say about attempts, retries, deadlines and deletion. */
const scenarios: readonly Scenario[] = [
  {
    id: "T26",
    source: controller,
    theirs: "limit 0 and one failed task: the Job has failed, reason backoff limit",
    verdict: "agree (J4)",
    check: () => {
      const job = jobAfter(atlas(), failed("09:05"));
      expect(job).toMatchObject({ status: "failed", reason: "backoffLimit", attempts: 1 });
    },
  },
  {
    id: "T27",
    source: backoffUtils,
    theirs: "failures F F then S: the count of consecutive failures is 0 again",
    verdict: "differ: attempts are counted in total, and a success ends the Job (J3, J4)",
    check: () => {
      const job = jobAfter(
        twice,
        failed("09:01"),
        failed("09:02", { taskId: "t2" }),
        stopped("09:03", 0, "t3"),
      );
      expect(job).toMatchObject({ status: "succeeded", attempts: 3 });
    },
  },
  {
    id: "T28",
    source: backoffUtils,
    theirs: "failures F F S F F: the count is 2, the last failure time that of the latest",
    verdict: "differ: nothing follows a success; what is reported later is ignored (J5, J10)",
    check: () => {
      const ended = after(
        twice,
        failed("09:01"),
        failed("09:02", { taskId: "t2" }),
        stopped("09:03", 0, "t3"),
      );
      const later = after(
        ended,
        failed("09:04", { taskId: "t3" }),
        failed("09:05", { taskId: "t3" }),
      );
      expect(later).toBe(ended);
    },
  },
  {
    id: "T29",
    source: backoffUtils,
    theirs:
      "base 5 s, cap 700 s: 5 s after one failure, 4 s when 1 s has passed, then 20, 640, 700",
    verdict: "agree where a backoff is asked for (J6); differ by default: no delay (seed, J4)",
    check: () => {
      const backoff: Backoff = { kind: "Exponential", delaySeconds: 5, maxSeconds: 700 };
      const delays = [1, 3, 8, 9].map((failures) =>
        retryDelaySeconds(backoff, { failures, jobId: "j1" }),
      );
      expect(delays).toEqual([5, 20, 640, 700]);
      const state = after(atlas({ backoffLimit: 1, backoff }), failed("09:05"));
      const secondLater = at("09:05:01");
      expect((taskOf(state, "t2").notBefore ?? 0) - secondLater).toBe(4000);
      expect(taskOf(after(twice, failed("09:05")), "t2")).not.toHaveProperty("notBefore");
    },
  },
  {
    id: "T30",
    source: controller,
    theirs: "no active task and a failure just now: none is created in this pass",
    verdict: "differ: the retry exists at once, and waits only if a backoff is asked for (J4, J6)",
    check: () => {
      expect(step(twice, failed("09:05")).effects).toMatchObject([{ type: "startTask" }]);
    },
  },
  {
    id: "T31",
    source: controller,
    theirs: "an earlier creation is not yet visible: neither create nor delete in this pass",
    verdict:
      "agree, by other means: the task is part of the state, so the same event adds none (J10)",
    check: () => {
      const state = after(twice, failed("09:05"));
      expect(after(state, failed("09:05"))).toBe(state);
    },
  },
  {
    id: "T32",
    source: controller,
    theirs: "one task terminating, replacement only after it is terminal: none yet",
    verdict: "agree: a Job that has not ended has exactly one live task (J10)",
    check: () => {
      const state = after(twice, assigned("09:01"), running("09:02"));
      expect(state.tasks).toHaveLength(1);
      expect(after(state, gone("09:03")).tasks).toHaveLength(2);
    },
  },
  {
    id: "T33",
    source: controller,
    theirs: "the same with replacement while it terminates: at once",
    verdict: "differ: never within a Job, since two attempts would write at the same time (J10)",
    check: () => {
      const state = after(twice, running("09:02"), ask("cancelRequested", "09:03"));
      expect(state.tasks).toHaveLength(1);
    },
  },
  {
    id: "T34",
    source: controller,
    theirs: "a Job that is being deleted while tasks run: no new tasks, the counters go on",
    verdict: "agree on new tasks (J9); differ on counters: an ended Job never changes (J10)",
    check: () => {
      const state = after(twice, assigned("09:01"), ask("deleteRequested", "09:02"));
      expect(state.job.attempts).toBe(1);
      expect(step(state, failed("09:03"))).not.toHaveProperty("state");
    },
  },
  {
    id: "T35",
    source: controller,
    theirs: "suspend stops the running tasks; resume creates them again",
    verdict: "differ: what runs goes on, what is not assigned waits (J8); cancel is what stops",
    check: () => {
      const suspended = step(after(twice, running("09:02")), ask("suspendRequested", "09:03"));
      expect(suspended.effects).toEqual([]);
      expect(suspended.state?.job.status).toBe("running");
    },
  },
  {
    id: "T36",
    source: controller,
    theirs: "two successes for one index count once",
    verdict: "agree (J5, J10)",
    check: () => {
      const state = after(twice, stopped("09:05", 0));
      expect(after(state, stopped("09:06", 0))).toBe(state);
    },
  },
  {
    id: "T37",
    source: failurePolicy,
    theirs: "exit 2 under a rule that fails the Job on 1, 2, 3: failed now, limit unspent",
    verdict: "agree (J7); the reason is failurePolicy, without the rule's number",
    check: () => {
      const rules = [{ action: "Fail", onExitCodes: { in: [1, 2, 3] } }] as const;
      const state = atlas({ backoffLimit: 6, failurePolicy: { rules } });
      expect(jobAfter(state, stopped("09:05", 2))).toMatchObject({
        status: "failed",
        reason: "failurePolicy",
        attempts: 1,
      });
    },
  },
  {
    id: "T38",
    source: failurePolicy,
    theirs: "a disruption under a rule that ignores it: not counted, replaced",
    verdict: "agree, up to maxIgnored (J7), so that it cannot go on for ever",
    check: () => {
      const rules = [{ action: "Ignore", onReasons: ["nodeLost"] }] as const;
      const state = atlas({ failurePolicy: { rules, maxIgnored: 1 } });
      const lost = (taskId: string) => failed("09:05", { taskId, reason: "nodeLost" });
      expect(jobAfter(state, lost("t1"))).toMatchObject({ status: "pending", attempts: 1 });
      expect(jobAfter(state, lost("t1"), lost("t2")).status).toBe("failed");
    },
  },
  {
    id: "T39",
    source: failurePolicy,
    theirs: "exit 0 under a rule on all codes but 111: never matches",
    verdict: "agree (J7)",
    check: () => {
      const rules = [{ action: "Fail", onExitCodes: { notIn: [111] } }] as const;
      const state = atlas({ backoffLimit: 1, failurePolicy: { rules } });
      expect(jobAfter(state, stopped("09:05", 0)).status).toBe("succeeded");
      expect(jobAfter(state, failed("09:05", { exitCode: 0 })).status).toBe("pending");
    },
  },
  {
    id: "T40",
    source: failurePolicy,
    theirs: "a rule with an unknown action or operator is skipped, the next one tried",
    verdict: "differ: such a spec is refused, so that no rule is silently off (J2, J7)",
    check: () => {
      const rules = [{ action: "Requeue", onExitCodes: { in: [1] } }];
      const spec = { name: "a", failurePolicy: { rules } } as unknown as JobPolicy;
      expect(() => createJob(spec, { jobId: "j1", namespace: "default", now: 0 })).toThrow(
        "/failurePolicy/rules/0/action: must be one of Fail, Ignore, Count",
      );
    },
  },
  {
    id: "T58",
    source: "Temporal invoker_*_test.go",
    theirs: "two executors start one request: one run, the second result is dropped",
    verdict: "agree: the first to be assigned has it, and a second outcome is ignored (J5)",
    check: () => {
      const state = after(twice, assigned("09:01", "t1", "a"));
      expect(step(state, assigned("09:01", "t1", "b")).outcome).toBe("ignored");
      const ended = after(state, stopped("09:05", 0));
      expect(after(ended, stopped("09:05", 1))).toBe(ended);
    },
  },
];

describe("what other controllers' tests say, and what we say", () => {
  it.each(scenarios)("$id $theirs: we $verdict", ({ check }) => {
    check();
  });

  it("each row has its source and a verdict", () => {
    for (const { id, source, verdict } of scenarios) {
      expect(id).toMatch(/^T\d\d$/);
      expect(source).not.toBe("");
      expect(verdict).toMatch(/^(agree|differ)/);
    }
    expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
  });
});
