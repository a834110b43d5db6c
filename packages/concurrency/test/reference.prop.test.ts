import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Decision,
  decideSchedule,
  occurrenceName,
  resumeSchedule,
  type ScheduleState,
  suspendSchedule,
  updateSchedule,
} from "../src/index.ts";
import { activeRuns, cronTexts, scheduleStates } from "../src/testing.ts";
import { allOccurrences, baseOf, pass, type World, worldOf } from "./ledger.ts";
import { referenceDecision } from "./reference-decision.ts";

/** Occurrence by occurrence: what the decision says of each. */
function fatesOf(state: ScheduleState, { outcomes }: Decision): Map<number, string> {
  const of = new Map<number, string>();
  for (const o of outcomes) {
    const covered =
      o.outcome === "create" ? [o.at] : allOccurrences(state, o.firstAt - 1, o.lastAt);
    for (const at of covered) of.set(at, `${o.outcome} ${o.reason}`);
  }
  return of;
}

/** One interval holds all that expired, under a reason that is true of each. */
function alike(of: ReadonlyMap<number, string>): Map<number, string> {
  return new Map([...of].map(([at, fate]) => [at, fate.replace(/^expire .*/, "expire")]));
}

const laterBy = fc.constantFrom(0, 30_000, 60_000, 119_000, 600_000, 5_400_000);

describe("decisions against the rules, read one occurrence at a time", () => {
  it("every occurrence has the fate that D2 to D8 give it", () => {
    fc.assert(
      fc.property(
        scheduleStates(),
        activeRuns(),
        laterBy,
        fc.boolean(),
        fc.option(fc.nat(3), { nil: undefined }),
        (plain, active, later, holds, taken) => {
          const now = baseOf(plain) + later;
          const state = holds ? { ...plain, heldAt: now - 90_000 } : plain;
          const dueNow = allOccurrences(state, baseOf(state), now);
          const namesInUse = dueNow
            .slice(taken ?? dueNow.length)
            .slice(0, 1)
            .map((at) => occurrenceName(state.spec.name, at));
          const decision = decideSchedule(state, active, { now, namesInUse });
          const expected = referenceDecision(state, active, now, namesInUse);
          expect(alike(fatesOf(state, decision))).toEqual(alike(expected.of));
          expect(decision.stopRunIds).toEqual(expected.stops);
          expect(decision.schedule.lastScheduleAt).toBe(expected.checkpoint);
          for (const o of decision.outcomes) {
            if (o.outcome !== "expire" || o.reason !== "deadline") continue;
            const fates = allOccurrences(state, o.firstAt - 1, o.lastAt).map((at) =>
              expected.of.get(at),
            );
            expect(new Set(fates)).toEqual(new Set(["expire deadline"]));
          }
        },
      ),
      { numRuns: Number(process.env.FC_RUNS ?? 400) },
    );
  });
});

/** The model is the oracle's ledger: occurrence → final fate, and the reference's checkpoint. */
interface Model {
  readonly finals: Map<number, string>;
}

type Act = fc.Command<Model, World>;

const act = (name: string, run: (model: Model, world: World) => void): Act => ({
  check: () => true,
  run,
  toString: () => name,
});

/** Every state goes through JSON between two commands, as it does in a database. */
function store(world: World, schedule: ScheduleState): void {
  world.state = JSON.parse(JSON.stringify(schedule)) as ScheduleState;
}

function passOver(model: Model, world: World, edit: ReturnType<typeof suspendSchedule>): void {
  const over = edit.passedOver;
  if (over !== undefined) {
    for (const at of allOccurrences(world.state, over.firstAt - 1, over.lastAt)) {
      expect(model.finals.has(at)).toBe(false);
      model.finals.set(at, "passedOver");
    }
  }
  store(world, edit.schedule);
}

const commands: fc.Arbitrary<Act>[] = [
  fc.constantFrom(1, 30, 60, 125, 900).map((seconds) =>
    act(`tick ${seconds} s`, (_, world) => {
      world.now += seconds * 1000;
    }),
  ),
  fc.constantFrom(30, 600).map((seconds) =>
    act(`clock back ${seconds} s`, (_, world) => {
      world.now -= seconds * 1000;
    }),
  ),
  fc.constant(
    act("pass", (model, world) => {
      const { state, runs, now } = world;
      const expected = referenceDecision(state, runs, now);
      const decision = pass(world);
      store(world, decision.schedule);
      expect(decision.stopRunIds).toEqual(expected.stops);
      expect(world.state.lastScheduleAt).toBe(expected.checkpoint);
      for (const [at, fate] of expected.of) {
        if (fate.startsWith("hold")) continue;
        expect(model.finals.has(at)).toBe(false);
        model.finals.set(at, fate);
      }
      expect(world.finals.length).toBe(
        [...model.finals.values()].filter((fate) => fate !== "passedOver").length,
      );
    }),
  ),
  fc.constant(
    act("crash before the commit", (_, world) => {
      decideSchedule(world.state, world.runs, { now: world.now });
    }),
  ),
  fc.nat(3).map((which) =>
    act(`run ${which} ends, once or twice`, (_, world) => {
      world.runs = world.runs.filter((_run, i) => i !== which);
    }),
  ),
  fc.nat(3).map((which) =>
    act(`run ${which} is stopping`, (_, world) => {
      world.runs = world.runs.map((run, i) => (i === which ? { ...run, status: "stopping" } : run));
    }),
  ),
  fc.constant(
    act("trigger", (_, world) => {
      world.runs = [...world.runs, { id: `t${world.serial++}`, status: "pending" }];
    }),
  ),
  fc.constant(
    act("suspend", (model, world) => {
      passOver(model, world, suspendSchedule(world.state, { now: world.now }));
    }),
  ),
  fc.boolean().map((catchUp) =>
    act(`resume, catch up ${catchUp}`, (model, world) => {
      passOver(model, world, resumeSchedule(world.state, { now: world.now, catchUp }));
    }),
  ),
  cronTexts().map((schedule) =>
    act(`edit to ${schedule}`, (model, world) => {
      const { state, now } = world;
      passOver(model, world, updateSchedule(state, { ...state.spec, schedule }, { now }));
    }),
  ),
];

describe("a schedule's life, as commands", () => {
  it("keeps to the reference through any sequence of events, duplicated, late and stale", () => {
    fc.assert(
      fc.property(
        scheduleStates(),
        fc.commands([...commands, ...commands.slice(0, 3)], { maxCommands: 60 }),
        (state, sequence) => {
          fc.modelRun(() => ({ model: { finals: new Map() }, real: fresh(state) }), sequence);
        },
      ),
    );
  });
});

function fresh(state: ScheduleState): World {
  const world = worldOf(state);
  world.now = baseOf(state);
  return world;
}
