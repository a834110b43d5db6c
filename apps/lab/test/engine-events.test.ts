import { describe, expect, it } from "vitest";
import { type EngineEvent, lives, overlaps } from "../src/index.ts";

const event = (at: number, action: EngineEvent["action"], containerId: string): EngineEvent => ({
  at,
  action,
  containerId,
  labels: {},
});

describe("when containers were alive", () => {
  it("a life begins with the start and ends with the death", () => {
    const events = [event(1, "create", "a"), event(2, "start", "a"), event(5, "die", "a")];
    expect(lives(events)).toEqual([{ containerId: "a", from: 2, until: 5 }]);
  });

  it("a container that has not died is alive for ever", () => {
    expect(lives([event(2, "start", "a")])).toEqual([{ containerId: "a", from: 2 }]);
  });

  it("one after another does not overlap", () => {
    const events = [
      event(2, "start", "a"),
      event(5, "die", "a"),
      event(5, "start", "b"),
      event(9, "die", "b"),
    ];
    expect(overlaps(events)).toBe(false);
  });

  it("a start before the other's death overlaps, whatever the order of the list", () => {
    const events = [event(4, "start", "b"), event(2, "start", "a"), event(5, "die", "a")];
    expect(overlaps(events)).toBe(true);
  });

  it("a start while the other lives on overlaps", () => {
    expect(overlaps([event(2, "start", "a"), event(9, "start", "b")])).toBe(true);
  });
});
