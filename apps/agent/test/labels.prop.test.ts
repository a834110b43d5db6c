import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  containerLabels,
  containerName,
  hostLabels,
  type Owner,
  readLabels,
  writeLabels,
} from "../src/engine/labels.ts";

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const common = { module: label, container: label, hash };

/** Owners of every kind, some of which differ from one another in a single part. */
const owner: fc.Arbitrary<Owner> = fc.oneof(
  fc.record({ kind: fc.constant("service" as const), ...common }),
  fc.record({
    kind: fc.constant("runOnce" as const),
    ...common,
    runId: label,
    attempt: fc.integer({ min: 1, max: 9999 }),
  }),
  fc.record({
    kind: fc.constant("scheduled" as const),
    ...common,
    runId: label,
    schedule: fc.constantFrom("* * * * *", "0 3 * * *", "*/5 1-3 * * 0"),
    occurrenceAt: fc.integer({ min: 0, max: 4e12 }),
  }),
  fc.record({ kind: fc.constant("task" as const), taskId: label }),
);

const carries = (labels: object, wanted: object): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key as keyof object] === value);

describe("labels", () => {
  it("[C31-54] reading what was written gives the owner back, for every kind (A7)", () => {
    fc.assert(
      fc.property(label, owner, (host, one) => {
        expect(readLabels(host, writeLabels(host, one))).toEqual(one);
        expect(carries(writeLabels(host, one), hostLabels(host))).toBe(true);
      }),
    );
  });

  it("[C31-54] labels of another kind, module, task or host never match (A7)", () => {
    fc.assert(
      fc.property(label, label, owner, owner, (host, other, one, two) => {
        fc.pre(host !== other);
        expect(readLabels(other, writeLabels(host, one))).toBeUndefined();
        expect(carries(writeLabels(host, one), hostLabels(other))).toBe(false);
        const same = JSON.stringify(one) === JSON.stringify(two);
        expect(carries(writeLabels(host, one), writeLabels(host, two))).toBe(same);
        expect(containerName(host, one) === containerName(host, two)).toBe(same);
        expect(containerName(host, one)).not.toBe(containerName(other, one));
        if (two.kind === "task") return;
        const wanted = containerLabels(host, two.kind, two);
        const isOfTwo =
          one.kind === two.kind && one.module === two.module && one.container === two.container;
        expect(carries(writeLabels(host, one), wanted)).toBe(isOfTwo);
      }),
    );
  });

  it("labels that somebody else wrote or damaged are nobody's (A7)", () => {
    fc.assert(
      fc.property(label, owner, fc.nat(), (host, one, pick) => {
        const labels = Object.entries(writeLabels(host, one));
        const without = labels.filter((_, index) => index !== pick % labels.length);
        expect(readLabels(host, Object.fromEntries(without))).toBeUndefined();
      }),
    );
  });

  it("a container's name is one that engines take", () => {
    fc.assert(
      fc.property(label, owner, (host, one) => {
        expect(containerName(host, one)).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,100}$/);
      }),
    );
  });
});
