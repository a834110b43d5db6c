import { createSchedule } from "@mesh/concurrency";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scheduleFromContainer } from "../src/index.ts";

const nameOf = (name: string) => scheduleFromContainer({ name, schedule: "0 3 * * *" })?.name ?? "";

describe("the schedule of a scheduled container", () => {
  it("is in UTC, skips what overlaps and starts nothing late (R2, A4, A6)", () => {
    expect(scheduleFromContainer({ name: "kometa-sync", schedule: "0 3 * * *" })).toEqual({
      name: "kometa-sync",
      schedule: "0 3 * * *",
      timezone: "UTC",
      concurrencyPolicy: "Skip",
      missed: "None",
    });
    expect(scheduleFromContainer({ name: "kometa-web" })).toBeUndefined();
  });

  it("has a name that a schedule can have, and one of its own for each container (D10)", () => {
    expect(nameOf("a".repeat(40))).toBe("a".repeat(40));
    // Fixed for ever: an installed schedule keeps its name, and a host finds it again by that.
    expect(nameOf("a".repeat(41))).toBe(`${"a".repeat(29)}-c0f8bd4dbc`);
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    fc.assert(
      fc.property(label, label, (one, other) => {
        const spec = { name: nameOf(one), schedule: "0 3 * * *" };
        expect(createSchedule(spec, { uid: "u", now: 0 }).spec.name).toBe(spec.name);
        expect(nameOf(one) === nameOf(other)).toBe(one === other);
      }),
    );
  });
});
