import type { ZoneSource } from "@mesh/cron";
import { decideSchedule, type Outcome } from "./decide.ts";
import type { ActiveRun } from "./evidence.ts";
import { checkInstant, type Instant } from "./instant.ts";
import { baseOf, type ScheduleState } from "./schedule-state.ts";

/** What happens at one instant of a simulation, in the order in which it happens. */
export type SimulatedStep =
  | { readonly at: Instant; readonly step: "decided"; readonly outcome: Outcome }
  | { readonly at: Instant; readonly step: "stopRequested"; readonly runName: string }
  | { readonly at: Instant; readonly step: "ended"; readonly runName: string };

const MAX_STEPS = 10_000;

/**
 * What would happen from `from` (the schedule's base if absent) through `through`, if every run
 * took `runSeconds` and stopped `stopSeconds` (0 if absent) after being asked to.
 * Decisions are made the instant they fall due. Oldest first; at most `limit` steps (10 000).
 *
 * @example
 * simulate(state, { through, runSeconds: 90 }).filter(({ step }) => step === "decided");
 */
export function simulate(
  state: ScheduleState,
  options: {
    from?: Instant | undefined;
    through: Instant;
    runSeconds: number;
    stopSeconds?: number | undefined;
    zones?: ZoneSource | undefined;
    limit?: number | undefined;
  },
): readonly SimulatedStep[] {
  const through = checkInstant(options.through, "through");
  const runMs = checkSeconds(options.runSeconds, "runSeconds");
  const stopMs = checkSeconds(options.stopSeconds ?? 0, "stopSeconds");
  const limit = options.limit ?? MAX_STEPS;
  if (!(limit >= 1)) throw new RangeError(`limit must be 1 or more, found ${limit}`);
  const steps: SimulatedStep[] = [];
  let schedule = state;
  // Every run takes the same time and those asked to stop at one time stop at one time, so that
  // runs end in the order in which they start: `ended` of them are over.
  let runs: SimulatedRun[] = [];
  let ended = 0;
  let now = checkInstant(options.from ?? baseOf(state), "from");
  while (now <= through && steps.length < limit) {
    const at = now;
    for (; (runs[ended]?.endsAt ?? Infinity) <= at; ended++) {
      steps.push({ at, step: "ended", runName: (runs[ended] as SimulatedRun).run.id });
    }
    const active = countedBy(schedule, runs, ended);
    const decision = decideSchedule(schedule, active, { now: at, zones: options.zones });
    for (const outcome of decision.outcomes) steps.push({ at, step: "decided", outcome });
    for (const runName of decision.stopRunIds) steps.push({ at, step: "stopRequested", runName });
    if (decision.stopRunIds.length > 0) {
      runs = stop(runs.slice(ended), decision.stopRunIds, at + stopMs);
      ended = 0;
    }
    for (const run of start(decision.outcomes, at, runMs)) runs.push(run);
    schedule = decision.schedule;
    const { wake } = decision;
    const wakeAt = wake.kind === "at" ? wake.at : Infinity;
    const next = Math.min(wakeAt, runs[ended]?.endsAt ?? Infinity);
    // A decision that asks to be made again at once has moved the checkpoint, so this ends.
    if (next === Infinity) break;
    now = Math.max(next, at);
  }
  return steps.slice(0, limit);
}

interface SimulatedRun {
  readonly run: ActiveRun;
  readonly endsAt: Instant;
}

/** What the policy looks at: `Allow` at no run, so that long ones do not slow it down (D3, D4). */
function countedBy(
  { spec }: ScheduleState,
  runs: readonly SimulatedRun[],
  ended: number,
): readonly ActiveRun[] {
  const policy = spec.concurrencyPolicy ?? "Allow";
  return policy === "Allow" ? [] : runs.slice(ended).map(({ run }) => run);
}

function start(outcomes: readonly Outcome[], at: Instant, runMs: number): readonly SimulatedRun[] {
  return outcomes.flatMap((outcome): readonly SimulatedRun[] => {
    if (outcome.outcome !== "create") return [];
    const run: ActiveRun = { id: outcome.runName, status: "running", occurrenceAt: outcome.at };
    return [{ run, endsAt: at + runMs }];
  });
}

function stop(
  runs: readonly SimulatedRun[],
  ids: readonly string[],
  endsAt: Instant,
): SimulatedRun[] {
  return runs.map((simulated) =>
    ids.includes(simulated.run.id)
      ? {
          run: { ...simulated.run, status: "stopping" },
          endsAt: Math.min(simulated.endsAt, endsAt),
        }
      : simulated,
  );
}

function checkSeconds(value: unknown, argument: string): number {
  if (typeof value !== "number") throw new TypeError(`${argument} must be a number of seconds`);
  const ms = Math.round(value * 1000);
  if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`${argument} must be 0 or more, found ${value}`);
  }
  return ms;
}
