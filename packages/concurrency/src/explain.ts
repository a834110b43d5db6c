import { localTime, type ZoneSource } from "@mesh/cron";
import type { Decision, Outcome, OutcomeReason } from "./decide.ts";
import { formatUtc, type Instant } from "./instant.ts";

const words: Readonly<Record<OutcomeReason, string>> = {
  due: "it is due",
  activeRun: "a run of this schedule is active",
  queued: "an older occurrence goes first",
  nameTaken: "another Job holds the run's name",
  afterHeld: "an older occurrence is held",
  olderStarted: "an older occurrence starts now",
  newerDue: "a newer occurrence is due",
  missed: "it was missed, and missed ones are not started late",
  deadline: "it is older than its starting deadline",
  suspended: "it came due while the schedule was suspended",
  edited: "it came due before the schedule was edited",
};

const verbs: Readonly<Record<Outcome["outcome"], string>> = {
  create: "created",
  hold: "held, still due",
  skip: "skipped",
  supersede: "superseded",
  expire: "expired",
};

/** An outcome's reason in words, as the end of a sentence that begins with the occurrence. */
export function explainReason(reason: OutcomeReason): string {
  return words[reason];
}

/**
 * A decision in words for an operator: what it was made from, each outcome with its reason, and
 * when the schedule is looked at again. One fact a line; every instant in UTC and, where the
 * schedule has another zone, in that zone with its offset. The local times are read from `zones`
 * (the engine's data if absent); no other part needs zone data.
 */
export function explainDecision(
  decision: Decision,
  options: { zones?: ZoneSource | undefined } = {},
): string {
  const { evidence, outcomes, stopRunIds, wake } = decision;
  const { schedule, now, baseAt, active, due, truncated } = evidence;
  const { name, timezone = "UTC", concurrencyPolicy = "Allow", suspended } = schedule.spec;
  const when = (at: Instant): string => formatBoth(at, timezone, options.zones);
  const checkpoint = schedule.lastScheduleAt;
  const lines = [
    `schedule ${name} (${schedule.uid}), generation ${schedule.generation}`,
    `expression: ${schedule.spec.schedule}`,
    `zone: ${timezone} (zone data ${evidence.zoneData})`,
    `policy: ${concurrencyPolicy}, missed runs: ${schedule.spec.missed ?? "All"}`,
    `now: ${when(now)}`,
    `base: ${when(baseAt)}`,
    `last checkpoint: ${checkpoint === undefined ? "none yet" : when(checkpoint)}`,
    `active runs: ${active.map(({ id, status }) => `${id} (${status})`).join(", ") || "none"}`,
    `due: ${due.map(when).join(", ") || "nothing"}${truncated ? " (cut off by the limit)" : ""}`,
    ...outcomes.map((outcome) => explainOutcome(outcome, now, when)),
  ];
  if (decision.clockBehind) lines.push("the clock is behind the base: nothing is decided");
  if (suspended) lines.push("the schedule is suspended: nothing is due");
  if (stopRunIds.length > 0) lines.push(`asked to stop: ${stopRunIds.join(", ")}`);
  lines.push(`next look: ${explainWake(wake, now, when)}`);
  return lines.join("\n");
}

function explainOutcome(outcome: Outcome, now: Instant, when: (at: Instant) => string): string {
  const why = words[outcome.reason];
  if (outcome.outcome === "create") {
    return `${when(outcome.at)}: created ${outcome.runName}, ${explainAge(now - outcome.at)}`;
  }
  const { firstAt, lastAt, count, countIsExact } = outcome;
  const span = count === 1 && countIsExact ? when(firstAt) : `${when(firstAt)} to ${when(lastAt)}`;
  const many = count === 1 && countIsExact ? "" : `${countIsExact ? "" : "more than "}${count} `;
  return `${span}: ${many}${verbs[outcome.outcome]}, because ${why}`;
}

function explainAge(ageMs: number): string {
  const seconds = Math.floor(ageMs / 1000);
  if (seconds < 60) return "on time";
  const days = Math.floor(seconds / 86_400);
  const parts = [
    [days, "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
  ] as const;
  const age = parts.filter(([value]) => value > 0).map(([value, unit]) => `${value} ${unit}`);
  return `late by ${age.join(" ")}: a backlog, not a new occurrence`;
}

function explainWake(wake: Decision["wake"], now: Instant, when: (at: Instant) => string): string {
  if (wake.kind === "runEnd") return "when a run ends";
  if (wake.kind === "edit") return "only after an edit";
  return wake.at <= now ? "at once" : `at ${when(wake.at)}`;
}

function formatBoth(at: Instant, timeZone: string, zones: ZoneSource | undefined): string {
  const utc = formatUtc(at);
  if (timeZone === "UTC") return utc;
  const { local, offset } = localTime(at, { timeZone, zones });
  return `${utc} (${local}${offset})`;
}
