import { type Decision, explainReason, type Interval, type Outcome } from "@mesh/concurrency";
import { minuteText, spanText } from "../instants.ts";
import type { NewEvent } from "../store/records.ts";

interface Named {
  readonly namespace: string;
  readonly name: string;
}

const verbs = {
  hold: "held, still due",
  skip: "skipped",
  supersede: "superseded",
  expire: "not started",
} as const;

/** One event for each outcome of a decision, with its reason in words. */
export function decisionEvents(schedule: Named, decision: Decision): NewEvent[] {
  const events = decision.outcomes.map((outcome) => outcomeEvent(schedule, outcome));
  if (decision.clockBehind === true) {
    const { baseAt } = decision.evidence;
    const text = `decides nothing: the clock is behind the checkpoint ${minuteText(baseAt)}`;
    events.push(scheduleEvent(schedule, "cronjob.clock-behind", text));
  }
  return events;
}

function outcomeEvent(schedule: Named, outcome: Outcome): NewEvent {
  const why = explainReason(outcome.reason);
  if (outcome.outcome === "create") {
    const text = `creates ${outcome.runName} for ${minuteText(outcome.at)}, because ${why}`;
    const { at, runName, reason } = outcome;
    return scheduleEvent(schedule, "run.created", text, { at, runName, reason });
  }
  const { outcome: verb, reason, firstAt, lastAt, count, countIsExact } = outcome;
  return scheduleEvent(
    schedule,
    verb === "supersede"
      ? "run.superseded"
      : `run.${{ hold: "held", skip: "skipped", expire: "expired" }[verb]}`,
    `${verbs[verb]}: ${spanText(outcome)}, because ${why}`,
    { reason, firstAt, lastAt, count, countIsExact },
  );
}

/** What an edit or a resume leaves out (D2a). */
export function passedOverEvent(
  schedule: Named,
  passed: { passedOver: Interval; reason: "suspended" | "edited" },
): NewEvent {
  return outcomeEvent(schedule, { outcome: "expire", ...passed.passedOver, reason: passed.reason });
}

export function scheduleEvent(
  { namespace, name }: Named,
  type: string,
  predicate: string,
  data?: Record<string, unknown>,
): NewEvent {
  return {
    type,
    subject: { kind: "cronjob", namespace, name },
    message: `CronJob ${namespace}/${name} ${predicate}`,
    ...(data === undefined ? {} : { data }),
  };
}
