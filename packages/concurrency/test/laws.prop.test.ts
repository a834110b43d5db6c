import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ConcurrencyPolicy,
  decideSchedule,
  dueSet,
  replayDecision,
  type ScheduleSpec,
  type ScheduleState,
} from "../src/index.ts";
import {
  activeRuns,
  instants,
  scheduleEvents,
  scheduleSpecs,
  scheduleStates,
} from "../src/testing.ts";
import { allOccurrences, baseOf, happen, pass, type World, worldOf } from "./ledger.ts";

/** Specs in which nothing expires, so that what is created is what is due. */
const lossless = (policy: ConcurrencyPolicy): fc.Arbitrary<ScheduleState> =>
  scheduleStates({ policy }).map((state) => {
    const { startingDeadlineSeconds: _, ...spec } = state.spec;
    return { ...state, spec: { ...spec, missed: "All", suspended: false } };
  });

const laterBy = fc.constantFrom(0, 1000, 59_999, 60_000, 600_000, 7_200_000, 90_000_000);

function play(state: ScheduleState, events: readonly Parameters<typeof happen>[1][]): World {
  const world = worldOf(state);
  for (const event of events) {
    happen(world, event);
    pass(world);
  }
  return world;
}

describe("the laws of D11", () => {
  it("each occurrence is decided exactly once or still due, in any number of passes", () => {
    fc.assert(
      fc.property(scheduleSpecs(), instants(), scheduleEvents(), (spec, now, events) => {
        const world = worldOf(stateOf(spec, now));
        let through = now;
        for (const event of events) {
          const before = world.finals.length;
          const { state } = world;
          const base = baseOf(state);
          happen(world, event);
          pass(world);
          const decided = world.finals.slice(before).map(({ at }) => at);
          // What this step decided is a prefix of what was due by the spec that then held.
          const due = allOccurrences(state, base, world.now);
          expect(decided).toEqual(due.slice(0, decided.length));
          // What it did not decide is still due, unless nothing is due while suspended.
          if (event.type !== "edit" && !world.state.spec.suspended) {
            const rest = allOccurrences(world.state, baseOf(world.state), world.now);
            expect(rest).toEqual(due.slice(decided.length));
          }
          through = Math.max(through, world.now);
        }
        const finals = world.finals.map(({ at }) => at);
        expect(new Set(finals).size).toBe(finals.length);
        expect(finals.every((at) => at > now && at <= through)).toBe(true);
      }),
    );
  });

  it.each(["Allow", "Replace"] as const)(
    "%s creates the same set in one pass or in many, with and without a limit",
    (policy) => {
      fc.assert(
        fc.property(
          lossless(policy),
          fc.constantFrom(1, 2, 3, 100),
          fc.array(fc.constantFrom(0, 59_999, 60_000, 600_000, 7_200_000), {
            minLength: 1,
            maxLength: 5,
          }),
          (state, missedScheduleLimit, steps) => {
            const limited = { ...state, spec: { ...state.spec, missedScheduleLimit } };
            const unlimited = { ...state, spec: { ...state.spec, missedScheduleLimit: 10_000 } };
            const now = steps.reduce((sum, step) => sum + step, baseOf(state));
            const inMany = worldOf(limited);
            inMany.now = baseOf(state);
            for (const step of steps) {
              inMany.now += step;
              pass(inMany);
            }
            while (pass(inMany).evidence.truncated);
            const inOne = { ...worldOf(unlimited), now };
            pass(inOne);
            const createdBy = (world: World): readonly number[] => world.finals.map(({ at }) => at);
            expect(createdBy(inMany)).toEqual(createdBy(inOne));
            expect(inMany.state.lastScheduleAt).toBe(inOne.state.lastScheduleAt);
          },
        ),
      );
    },
  );

  it("the base never goes back", () => {
    fc.assert(
      fc.property(scheduleSpecs(), instants(), scheduleEvents(), (spec, now, events) => {
        const world = worldOf(stateOf(spec, now));
        for (const event of events) {
          const before = baseOf(world.state);
          happen(world, event);
          pass(world);
          expect(baseOf(world.state)).toBeGreaterThanOrEqual(before);
        }
      }),
    );
  });

  it("a clock that steps back creates nothing that was not already due", () => {
    fc.assert(
      fc.property(
        scheduleStates(),
        activeRuns(),
        laterBy,
        laterBy,
        (state, active, ahead, back) => {
          const now = baseOf(state) + ahead;
          const wasDue = new Set(allOccurrences(state, baseOf(state), now));
          const later = decideSchedule(state, active, { now }).schedule;
          for (const from of [state, later]) {
            const { outcomes } = decideSchedule(from, active, { now: now - back });
            for (const o of outcomes) {
              expect(wasDue.has(o.outcome === "create" ? o.at : o.lastAt)).toBe(true);
            }
          }
        },
      ),
    );
  });

  it.each(["Skip", "Queue", "Supersede"] as const)(
    "[A53-40] a %s decision creates at most one run, and only while none is active or stopping",
    (policy) => {
      fc.assert(
        fc.property(scheduleStates({ policy }), activeRuns(), laterBy, (state, active, later) => {
          const { outcomes } = decideSchedule(state, active, { now: baseOf(state) + later });
          const created = outcomes.filter(({ outcome }) => outcome === "create").length;
          expect(created).toBeLessThanOrEqual(active.length === 0 ? 1 : 0);
        }),
      );
      fc.assert(
        fc.property(
          scheduleSpecs({ policy }),
          instants(),
          scheduleEvents(),
          (spec, now, events) => {
            const world = worldOf(stateOf(spec, now));
            for (const event of events) {
              const triggered = event.type === "trigger" ? 1 : 0;
              const before = world.runs.length;
              happen(world, event);
              pass(world);
              expect(world.runs.length).toBeLessThanOrEqual(Math.max(1, before + triggered));
            }
          },
        ),
      );
    },
  );

  it("under Queue runs start in order, all that are neither expired nor passed over", () => {
    fc.assert(
      fc.property(
        scheduleSpecs({ policy: "Queue" }),
        instants(),
        scheduleEvents(),
        (spec, now, events) => {
          const { finals } = play(stateOf(spec, now), events);
          const started = finals.filter(({ outcome }) => outcome === "create").map(({ at }) => at);
          expect(started).toEqual([...started].sort((a, b) => a - b));
          expect(
            finals.every(({ outcome }) => ["create", "expire", "passedOver"].includes(outcome)),
          ).toBe(true);
        },
      ),
    );
  });

  it("deciding twice without committing gives the same decision", () => {
    fc.assert(
      fc.property(scheduleStates(), activeRuns(), laterBy, (state, active, later) => {
        const options = { now: baseOf(state) + later };
        const first = decideSchedule(state, active, options);
        expect(decideSchedule(state, active, options)).toEqual(first);
      }),
    );
  });

  it("deciding again at the same now creates only what the limit had cut off", () => {
    fc.assert(
      fc.property(scheduleStates(), activeRuns(), laterBy, (state, active, later) => {
        const now = baseOf(state) + later;
        const world: World = { ...worldOf(state), now, runs: active };
        const first = pass(world);
        const before = world.finals.length;
        pass(world);
        const again = world.finals.slice(before).map(({ at }) => at);
        if (!first.evidence.truncated) expect(again).toEqual([]);
        const last = first.evidence.due.at(-1) ?? Number.NEGATIVE_INFINITY;
        expect(again.every((at) => at > last)).toBe(true);
      }),
    );
  });
});

describe("the shape of a decision (D9)", () => {
  it("every due occurrence has exactly one outcome, in order", () => {
    fc.assert(
      fc.property(scheduleStates(), activeRuns(), laterBy, (state, active, later) => {
        const { outcomes, evidence } = decideSchedule(state, active, {
          now: baseOf(state) + later,
        });
        const covered = outcomes.flatMap((o) =>
          o.outcome === "create"
            ? [o.at]
            : evidence.due.filter((t) => o.firstAt <= t && t <= o.lastAt),
        );
        expect(covered).toEqual(evidence.due);
        for (const o of outcomes) {
          if (o.outcome === "create" || !o.countIsExact) continue;
          expect(allOccurrences(state, o.firstAt - 1, o.lastAt)).toHaveLength(o.count);
        }
      }),
    );
  });

  it("once one is held, all later ones of that decision are held", () => {
    fc.assert(
      fc.property(scheduleStates(), activeRuns(), laterBy, fc.nat(3), (state, active, later, n) => {
        const now = baseOf(state) + later;
        const free = decideSchedule(state, active, { now });
        const taken = free.outcomes.flatMap((o) => (o.outcome === "create" ? [o.runName] : []))[n];
        const namesInUse = taken === undefined ? [] : [taken];
        const { outcomes } = decideSchedule(state, active, { now, namesInUse });
        const kinds = outcomes.map(({ outcome }) => outcome === "hold");
        expect(kinds).toEqual([...kinds].sort((a, b) => Number(a) - Number(b)));
      }),
    );
  });

  it("the wake never lies in the past, and an immediate one means progress", () => {
    fc.assert(
      fc.property(scheduleStates(), activeRuns(), laterBy, (state, active, later) => {
        const now = baseOf(state) + later;
        const { wake, schedule } = decideSchedule(state, active, { now });
        if (wake.kind !== "at") return;
        expect(wake.at).toBeGreaterThanOrEqual(now);
        if (wake.at === now) expect(baseOf(schedule)).toBeGreaterThan(baseOf(state));
      }),
    );
  });

  it("no occurrence comes due between now and the wake (no polling needed)", () => {
    fc.assert(
      fc.property(scheduleStates(), laterBy, (state, later) => {
        const now = baseOf(state) + later;
        const { wake, schedule } = decideSchedule(state, [], { now });
        if (wake.kind !== "at" || wake.at === now) return;
        expect(dueSet(schedule, { now: wake.at - 1 }).due).toEqual([]);
        expect(dueSet(schedule, { now: wake.at }).due).toEqual([wake.at]);
      }),
    );
  });

  it("a replay of the evidence is the decision (D9a)", () => {
    fc.assert(
      fc.property(scheduleStates(), activeRuns(), laterBy, (state, active, later) => {
        const decision = decideSchedule(state, active, { now: baseOf(state) + later });
        expect(replayDecision(JSON.parse(JSON.stringify(decision.evidence)))).toEqual(decision);
      }),
    );
  });
});

function stateOf(spec: ScheduleSpec, now: number): ScheduleState {
  return worldOf({
    v: 1,
    uid: "generated",
    spec,
    generation: 1,
    createdAt: now,
  }).state;
}
