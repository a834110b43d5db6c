import { describe, expect, it } from "vitest";
import {
  createSchedule,
  decideSchedule,
  dueSet,
  resetCheckpoint,
  resumeSchedule,
  suspendSchedule,
  updateSchedule,
} from "../src/index.ts";
import { schedule } from "./seed-schedule.ts";

describe("arguments that are no instant are named", () => {
  const state = schedule();
  const bad = "2026-10-13T12:00Z" as unknown as number;

  it.each([
    ["createSchedule", "now", () => createSchedule(state.spec, { uid: "s1", now: bad })],
    ["updateSchedule", "now", () => updateSchedule(state, state.spec, { now: bad })],
    ["suspendSchedule", "now", () => suspendSchedule(state, { now: bad })],
    ["resumeSchedule", "now", () => resumeSchedule(state, { now: bad })],
    ["resetCheckpoint", "at", () => resetCheckpoint(state, { at: bad })],
    ["dueSet", "now", () => dueSet(state, { now: bad })],
    ["decideSchedule", "now", () => decideSchedule(state, [], { now: bad })],
  ])("%s: %s", (_, argument, call) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(
      `${argument} must be a number of milliseconds since 1970 (UTC), found string`,
    );
  });

  it("a uid that is no text is refused", () => {
    const uid = 7 as unknown as string;
    expect(() => createSchedule(state.spec, { uid, now: 0 })).toThrow("uid must be a text");
  });
});
