import { expect, it } from "vitest";
import { explore, policies } from "./explore.ts";
import { brokenLaws } from "./laws.ts";

it.each(policies)(
  "every law holds in every state of a small world: %j (J10)",
  (policy) => {
    let steps = 0;
    const states = explore(policy, (before, event, step) => {
      steps += 1;
      const broken = brokenLaws(before, event, step);
      if (broken.length === 0) return;
      throw new Error(`${broken.join("; ")}\n${JSON.stringify({ before, event, step }, null, 2)}`);
    });
    console.info(`explored ${states} states, ${steps} steps: ${JSON.stringify(policy)}`);
    expect(states).toBeGreaterThan(30);
  },
  120_000,
);
