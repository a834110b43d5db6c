import { describe, expect, it } from "vitest";
import type { ScheduleSpec } from "../src/index.ts";
import { explore } from "./explorer/explore.ts";

const policies = ["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"] as const;

/** `MESH_EXPLORE=large` takes minutes and gigabytes; the normal scope is part of every run. */
const large = process.env.MESH_EXPLORE === "large";
const disturbances = large ? 2 : 1;

const variants: readonly Omit<ScheduleSpec, "name" | "schedule">[] = large
  ? [
      {},
      { missedScheduleLimit: 1 },
      { missed: "Latest" },
      { missed: "None" },
      { startingDeadlineSeconds: 60 },
    ]
  : [{}];

describe(`two schedules, three occurrences, two nodes, ${disturbances} disturbances`, () => {
  const rows = variants.flatMap((more) => policies.map((policy) => [policy, more] as const));

  it.each(rows)(
    "%s %j: the laws of D11 hold in every state of every interleaving",
    (concurrencyPolicy, more) => {
      const { states, steps, stores } = explore({ concurrencyPolicy, ...more }, { disturbances });
      console.log(
        `${concurrencyPolicy} ${JSON.stringify(more)}: ${states} states, ${steps} steps, ` +
          `${stores} stores of one schedule`,
      );
      expect(states).toBeGreaterThan(10_000);
    },
    3_600_000,
  );
});

describe("the limit, late starts and deadlines, in rows of the same scope", () => {
  it.each([
    ["Allow", { missedScheduleLimit: 1 }],
    ["Queue", { startingDeadlineSeconds: 60 }],
    ["Supersede", { missed: "None" }],
    ["Skip", { missed: "None" }],
  ] as const)(
    "%s %j",
    (concurrencyPolicy, more) => {
      const { states } = explore({ concurrencyPolicy, ...more }, { disturbances: 1 });
      console.log(`${concurrencyPolicy} ${JSON.stringify(more)}: ${states} states`);
      expect(states).toBeGreaterThan(10_000);
    },
    120_000,
  );
});
