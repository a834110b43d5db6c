import type { ConcurrencyPolicy, ScheduleSpec } from "../src/index.ts";

/**
 * Scenarios that other schedulers pin in their own tests, told in our words.
 * `ours` is what our rules answer; `agrees` says whether that is what they do, or why not.
 */
export interface Scenario {
  readonly id: string;
  readonly source: string;
  readonly what: string;
  /** Created at, and the clock at the decision; `2026-10-13` unless a date is given. */
  readonly created: string;
  readonly last?: string;
  readonly now: string;
  readonly spec: Partial<ScheduleSpec>;
  readonly active?: readonly ("pending" | "running" | "stopping")[];
  readonly namesInUse?: readonly string[];
  /** Occurrences created, other outcomes, runs asked to stop, and the wake. */
  readonly ours: {
    readonly created: readonly string[];
    readonly others?: readonly string[];
    readonly stops?: number;
    readonly wake: string;
  };
  readonly agrees: true | string;
}

const hourly = "0 * * * *";
const k8s = "kubernetes cronjob_controllerv2_test.go";
const utils = "kubernetes cronjob utils_test.go";

/** The same scenario under several policies. */
function under(
  policies: readonly ConcurrencyPolicy[],
  scenario: Omit<Scenario, "spec"> & { readonly spec?: Partial<ScheduleSpec> },
): readonly Scenario[] {
  return policies.map((concurrencyPolicy) => ({
    ...scenario,
    id: `${scenario.id} ${concurrencyPolicy}`,
    spec: { schedule: hourly, ...scenario.spec, concurrencyPolicy },
  }));
}

const seedPolicies = ["Allow", "Forbid", "Replace"] as const;

/** T03 to T24, of the CronJob controller of Kubernetes. */
export const cronJobScenarios: readonly Scenario[] = [
  ...under(seedPolicies, {
    id: "T03",
    source: k8s,
    what: "created 09:59, now 09:59: nothing; the wake is the hour",
    created: "09:59",
    now: "09:59",
    ours: { created: [], wake: "10:00" },
    agrees: true,
  }),
  ...under(seedPolicies, {
    id: "T04",
    source: k8s,
    what: "created 09:59, now 10:01: exactly one run; the next look in 59 minutes",
    created: "09:59",
    now: "10:01",
    ours: { created: ["10:00"], wake: "11:00" },
    agrees: true,
  }),
  {
    id: "T05",
    source: k8s,
    what: "due but suspended: no run, no wake, checkpoint unchanged",
    created: "09:59",
    now: "10:01",
    spec: { schedule: hourly, suspended: true },
    ours: { created: [], wake: "edit" },
    agrees: true,
  },
  {
    id: "T06",
    source: k8s,
    what: "due a minute ago, starting deadline 10 s: no run",
    created: "09:59",
    now: "10:01",
    spec: { schedule: hourly, startingDeadlineSeconds: 10 },
    ours: { created: [], others: ["expire 10:00-10:00 x1 deadline"], wake: "11:00" },
    agrees:
      "no run in both; theirs keeps its place and notices it again in each pass, ours expires it once, with a record",
  },
  ...under(seedPolicies, {
    id: "T07",
    source: k8s,
    what: "the previous run has finished, the next is due: one run",
    created: "09:59",
    last: "10:00",
    now: "11:00:05",
    ours: { created: ["11:00"], wake: "12:00" },
    agrees: true,
  }),
  {
    id: "T08",
    source: k8s,
    what: "previous still active, due, Allow: a second run",
    created: "09:59",
    last: "10:00",
    now: "11:00:05",
    spec: { schedule: hourly, concurrencyPolicy: "Allow" },
    active: ["running"],
    ours: { created: ["11:00"], wake: "12:00" },
    agrees: true,
  },
  {
    id: "T09",
    source: k8s,
    what: "previous still active, due, Forbid: none, checkpoint not moved",
    created: "09:59",
    last: "10:00",
    now: "11:00:05",
    spec: { schedule: hourly, concurrencyPolicy: "Forbid" },
    active: ["running"],
    ours: { created: [], others: ["hold 11:00-11:00 x1 activeRun"], wake: "runEnd" },
    agrees: true,
  },
  {
    id: "T10",
    source: k8s,
    what: "previous still active, due, Replace: delete and create in one pass",
    created: "09:59",
    last: "10:00",
    now: "11:00:05",
    spec: { schedule: hourly, concurrencyPolicy: "Replace" },
    active: ["pending"],
    ours: { created: ["11:00"], stops: 1, wake: "12:00" },
    agrees: true,
  },
  ...under(seedPolicies, {
    id: "T11",
    source: k8s,
    what: "a week behind, no deadline: 100 runs first, then the rest",
    created: "09:59",
    last: "2026-10-06 10:00",
    now: "10:01",
    ours: { created: ["100 from 11:00 to 14:00"], wake: "now" },
    agrees:
      "theirs creates the newest only and warns; ours loses none. `missed: Latest` is T11's rule",
  }),
  {
    id: "T11 Latest",
    source: k8s,
    what: "a week behind with `missed: Latest`: exactly one run, the newest",
    created: "09:59",
    last: "2026-10-06 10:00",
    now: "10:01",
    spec: { schedule: hourly, missed: "Latest" },
    ours: { created: ["10:00"], others: ["expire 11:00-09:00 >100 missed"], wake: "11:00" },
    agrees: true,
  },
  {
    id: "T12",
    source: k8s,
    what: "a week behind, deadline of two hours: what is within it",
    created: "09:59",
    last: "2026-10-06 10:00",
    now: "10:01",
    spec: { schedule: hourly, startingDeadlineSeconds: 7200 },
    ours: {
      created: ["09:00", "10:00"],
      others: ["expire 11:00-08:00 >100 deadline"],
      wake: "11:00",
    },
    agrees:
      "theirs creates the newest of them; ours every one within the deadline. Add `missed: Latest` for theirs",
  },
  {
    id: "T14",
    source: k8s,
    what: "the run's name is taken by another's Job: nothing is created, no error",
    created: "09:59",
    now: "10:01",
    spec: { schedule: hourly },
    namesInUse: ["report-202610131000"],
    ours: { created: [], others: ["hold 10:00-10:00 x1 nameTaken"], wake: "11:00" },
    agrees:
      "nothing created in both; theirs gives the occurrence up, ours holds it until the name is free",
  },
  {
    id: "T15",
    source: k8s,
    what: "this hour ran and finished, the clock steps back before it: no run",
    created: "09:59",
    last: "11:00",
    now: "10:59",
    spec: { schedule: hourly },
    ours: { created: [], wake: "12:00" },
    agrees: true,
  },
  {
    id: "T20",
    source: utils,
    what: "created exactly on the hour: that hour is not due",
    created: "10:00",
    now: "10:00:30",
    spec: { schedule: hourly },
    ours: { created: [], wake: "11:00" },
    agrees: true,
  },
  {
    id: "T21",
    source: utils,
    what: "created 10:00:10, now 15:01: five in order",
    created: "10:00:10",
    now: "15:01",
    spec: { schedule: hourly },
    ours: { created: ["11:00", "12:00", "13:00", "14:00", "15:00"], wake: "16:00" },
    agrees: "theirs counts 15:00 only; ours loses none. `missed: Latest` gives theirs",
  },
  {
    id: "T23",
    source: utils,
    what: "weekday mornings, Friday 16:30: the next look is on Monday",
    created: "2026-10-16 16:29",
    now: "2026-10-16 16:30",
    spec: { schedule: "30 10,11,12 * * 1-5" },
    ours: { created: [], wake: "2026-10-19 10:30" },
    agrees: true,
  },
  {
    id: "T24",
    source: utils,
    what: "every five minutes, last 10:30, deadline 60 s, now 10:32: nothing is due",
    created: "09:59",
    last: "10:30",
    now: "10:32",
    spec: { schedule: "*/5 * * * *", startingDeadlineSeconds: 60 },
    ours: { created: [], wake: "10:35" },
    agrees: true,
  },
];
