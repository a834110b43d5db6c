import { occurrencesBetween, parseCron } from "@mesh/cron";
import {
  type ActiveRun,
  type Decision,
  decideSchedule,
  type Interval,
  resumeSchedule,
  type ScheduleEdit,
  type ScheduleState,
  suspendSchedule,
  updateSchedule,
} from "../src/index.ts";
import type { ScheduleEvent } from "../src/testing.ts";

/** Every occurrence of a schedule in (after, through], read straight from its expression. */
export function allOccurrences(
  { spec }: ScheduleState,
  after: number,
  through: number,
): readonly number[] {
  if (through <= after) return [];
  return occurrencesBetween(
    parseCron(spec.schedule),
    { after, through },
    { timeZone: spec.timezone, dst: spec.dst, limit: Infinity },
  );
}

export function baseOf(state: ScheduleState): number {
  const base = state.lastScheduleAt ?? state.createdAt;
  return Math.max(base, state.effectiveFrom ?? base);
}

/** The occurrences that an interval stands for, under the spec that it was counted with. */
export function within(state: ScheduleState, { firstAt, lastAt }: Interval): readonly number[] {
  return allOccurrences(state, firstAt - 1, lastAt);
}

export interface World {
  now: number;
  state: ScheduleState;
  runs: readonly ActiveRun[];
  /** Final outcome of each occurrence, in the order in which they were decided. */
  readonly finals: { at: number; outcome: string; pass: number }[];
  readonly decisions: Decision[];
  serial: number;
}

export function worldOf(state: ScheduleState): World {
  return { now: state.createdAt, state, runs: [], finals: [], decisions: [], serial: 0 };
}

/** One pass of a controller that commits what it decides. */
export function pass(world: World): Decision {
  const decision = decideSchedule(world.state, world.runs, { now: world.now });
  const record = (at: number, outcome: string): void => {
    world.finals.push({ at, outcome, pass: world.decisions.length });
  };
  for (const outcome of decision.outcomes) {
    if (outcome.outcome === "create") {
      record(outcome.at, "create");
      const id = `${outcome.runName}#${world.serial++}`;
      world.runs = [...world.runs, { id, status: "pending", occurrenceAt: outcome.at }];
    } else if (outcome.outcome !== "hold") {
      for (const at of within(world.state, outcome)) record(at, outcome.outcome);
    }
  }
  world.runs = world.runs.map((run) =>
    decision.stopRunIds.includes(run.id) ? { ...run, status: "stopping" } : run,
  );
  world.state = decision.schedule;
  world.decisions.push(decision);
  return decision;
}

/** Lets one event happen; an edit records what it passes over. */
export function happen(world: World, event: ScheduleEvent): void {
  const { now, state } = world;
  const passOver = (edit: ScheduleEdit): void => {
    for (const at of edit.passedOver ? within(state, edit.passedOver) : []) {
      world.finals.push({ at, outcome: "passedOver", pass: world.decisions.length });
    }
    world.state = edit.schedule;
  };
  switch (event.type) {
    case "tick":
      world.now = now + event.seconds * 1000;
      return;
    case "clockBack":
      world.now = now - event.seconds * 1000;
      return;
    case "runEnds":
      world.runs = world.runs.filter((_, i) => i !== event.which);
      return;
    case "trigger":
      world.runs = [...world.runs, { id: `manual-${world.serial++}`, status: "running" }];
      return;
    case "suspend":
      passOver(suspendSchedule(state, { now }));
      return;
    case "resume":
      passOver(resumeSchedule(state, { now, catchUp: event.catchUp }));
      return;
    case "edit":
      passOver(updateSchedule(state, { ...state.spec, schedule: event.schedule }, { now }));
  }
}
