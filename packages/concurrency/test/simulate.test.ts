import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ConcurrencyPolicy, type SimulatedStep, simulate } from "../src/index.ts";
import { scheduleStates } from "../src/testing.ts";
import { at, clock, schedule } from "./seed-schedule.ts";

const short = (step: SimulatedStep): string => {
  const time = clock(step.at);
  if (step.step !== "decided") return `${time} ${step.step} ${step.runName.slice(-4)}`;
  const { outcome } = step;
  if (outcome.outcome === "create") return `${time} create ${clock(outcome.at)}`;
  return `${time} ${outcome.outcome} ${clock(outcome.firstAt)}-${clock(outcome.lastAt)}`;
};

/** Every five minutes from 12:00, runs of seven minutes, until 12:21. */
function play(
  concurrencyPolicy: ConcurrencyPolicy,
  more: { stopSeconds?: number; limit?: number } = {},
): readonly string[] {
  const state = schedule({ schedule: "*/5 * * * *", concurrencyPolicy });
  return simulate(state, { through: at("12:21"), runSeconds: 420, ...more }).map(short);
}

describe("what would happen", () => {
  it.each<[ConcurrencyPolicy, readonly string[]]>([
    [
      "Allow",
      [
        "12:05 create 12:05",
        "12:10 create 12:10",
        "12:12 ended 1205",
        "12:15 create 12:15",
        "12:17 ended 1210",
        "12:20 create 12:20",
      ],
    ],
    [
      "Forbid",
      [
        "12:05 create 12:05",
        "12:10 hold 12:10-12:10",
        "12:12 ended 1205",
        "12:12 create 12:10",
        "12:15 hold 12:15-12:15",
        "12:19 ended 1210",
        "12:19 create 12:15",
        "12:20 hold 12:20-12:20",
      ],
    ],
    [
      "Replace",
      [
        "12:05 create 12:05",
        "12:10 create 12:10",
        "12:10 stopRequested 1205",
        "12:10 ended 1205",
        "12:15 create 12:15",
        "12:15 stopRequested 1210",
        "12:15 ended 1210",
        "12:20 create 12:20",
        "12:20 stopRequested 1215",
        "12:20 ended 1215",
      ],
    ],
    [
      "Skip",
      [
        "12:05 create 12:05",
        "12:10 skip 12:10-12:10",
        "12:12 ended 1205",
        "12:15 create 12:15",
        "12:20 skip 12:20-12:20",
      ],
    ],
    [
      "Queue",
      [
        "12:05 create 12:05",
        "12:10 hold 12:10-12:10",
        "12:12 ended 1205",
        "12:12 create 12:10",
        "12:15 hold 12:15-12:15",
        "12:19 ended 1210",
        "12:19 create 12:15",
        "12:20 hold 12:20-12:20",
      ],
    ],
    [
      "Supersede",
      [
        "12:05 create 12:05",
        "12:10 hold 12:10-12:10",
        "12:10 stopRequested 1205",
        "12:10 ended 1205",
        "12:10 create 12:10",
        "12:15 hold 12:15-12:15",
        "12:15 stopRequested 1210",
        "12:15 ended 1210",
        "12:15 create 12:15",
        "12:20 hold 12:20-12:20",
        "12:20 stopRequested 1215",
        "12:20 ended 1215",
        "12:20 create 12:20",
      ],
    ],
  ])("%s, with runs longer than the cadence", (policy, steps) => {
    expect(play(policy)).toEqual(steps);
  });

  it("a run that is slow to stop delays its successor under Supersede", () => {
    expect(play("Supersede", { stopSeconds: 60 }).slice(0, 5)).toEqual([
      "12:05 create 12:05",
      "12:10 hold 12:10-12:10",
      "12:10 stopRequested 1205",
      "12:11 ended 1205",
      "12:11 create 12:10",
    ]);
  });

  it("begins at `from` with whatever backlog there is then", () => {
    const state = schedule({ missedScheduleLimit: 2 });
    const steps = simulate(state, { from: at("12:03"), through: at("12:03"), runSeconds: 1 });
    expect(steps.map(short)).toEqual([
      "12:03 create 12:01",
      "12:03 create 12:02",
      "12:03 create 12:03",
    ]);
  });

  it("ends at `through`, at the limit, or when nothing more can happen", () => {
    expect(play("Allow", { limit: 2 })).toEqual(["12:05 create 12:05", "12:10 create 12:10"]);
    const suspended = schedule({ suspended: true });
    expect(simulate(suspended, { through: at("13:00"), runSeconds: 1 })).toEqual([]);
    const past = { through: at("11:00"), runSeconds: 1 };
    expect(simulate(schedule(), past)).toEqual([]);
    expect(
      simulate(schedule(), { through: at("23:59", "2027-10-13"), runSeconds: 0 }),
    ).toHaveLength(10_000);
  });

  it("a run of no length has ended by the time it is looked at again", () => {
    const steps = simulate(schedule({ concurrencyPolicy: "Queue" }), {
      through: at("12:02"),
      runSeconds: 0,
    });
    expect(steps.map(short)).toEqual([
      "12:01 create 12:01",
      "12:01 ended 1201",
      "12:02 create 12:02",
      "12:02 ended 1202",
    ]);
  });

  it.each([
    [{ through: "now" }, "through must be a number"],
    [{ from: Number.NaN }, "from must be whole milliseconds"],
    [{ runSeconds: -1 }, "runSeconds must be 0 or more, found -1"],
    [{ runSeconds: "1" }, "runSeconds must be a number of seconds"],
    [{ stopSeconds: Number.POSITIVE_INFINITY }, "stopSeconds must be 0 or more"],
    [{ limit: 0 }, "limit must be 1 or more, found 0"],
  ])("%j is refused", (change, message) => {
    const options = { through: at("13:00"), runSeconds: 1, ...change };
    expect(() => simulate(schedule(), options as Parameters<typeof simulate>[1])).toThrow(message);
  });

  it("Skip, Queue and Supersede never run two at once, whatever the spec", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("Skip", "Queue", "Supersede").chain((policy) => scheduleStates({ policy })),
        fc.constantFrom(0, 30, 90, 5000),
        fc.constantFrom(0, 10, 200),
        (state, runSeconds, stopSeconds) => {
          const from = Math.max(state.createdAt, state.lastScheduleAt ?? 0) + 600_000;
          const options = { from, through: from + 20_000_000, runSeconds, stopSeconds, limit: 150 };
          let alive = 0;
          let most = 0;
          for (const step of simulate(state, options)) {
            if (step.step === "ended") alive -= 1;
            else if (step.step === "decided" && step.outcome.outcome === "create") alive += 1;
            most = Math.max(most, alive);
          }
          expect(most).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});
