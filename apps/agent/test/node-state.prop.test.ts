import type { NodeStatus } from "@mesh/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Behaviour } from "../src/engine/simulated.ts";
import { createWorld, moduleOf, scheduled, service } from "./world.ts";

type Fate = "succeeds" | "fails" | "killed" | "neverStarts" | "overruns" | "outOfMemory" | "lost";

const behaviours: Readonly<Record<Fate, Behaviour>> = {
  succeeds: { afterMs: 1000, exitCode: 0 },
  fails: { afterMs: 1000, exitCode: 7 },
  killed: { afterMs: 2000, exitCode: 137 },
  neverStarts: { refused: "no such command" },
  overruns: { afterMs: 150_000, exitCode: 0 },
  outOfMemory: { afterMs: 500, exitCode: 0, outOfMemory: true },
  lost: {},
};

/** Every different status that was sent, in order, of a host whose runs end in these ways. */
async function statusesOf(
  fates: readonly Fate[],
  schedule: string,
): Promise<readonly NodeStatus[]> {
  let runs = 0;
  const world = createWorld({
    behave: ({ id, spec }) => {
      if (spec.environment.MESH_NAME !== "kometa-sync") return {};
      const fate = fates[runs % fates.length] ?? "succeeds";
      runs += 1;
      if (fate === "lost") {
        world.clock.after(3000, () => world.engine.end(id, { kind: "unknown", message: "gone" }));
      }
      return behaviours[fate];
    },
  });
  await world.start();
  await world.declare(moduleOf("kometa", service(), scheduled(schedule)));
  await world.until("12:12:30");
  if (schedule === "* * * * *")
    expect(world.startsOf("kometa-sync").length + runs).toBeGreaterThan(0);
  const sent = world.server.statuses.map(({ status }) => status);
  return sent.filter((one, index) => JSON.stringify(one) !== JSON.stringify(sent[index - 1]));
}

it("[A53-35] the node's state is that of no run at all, whatever becomes of its runs (A3, A4)", async () => {
  const without = await statusesOf(["succeeds"], "0 0 1 1 *");
  expect(without.at(-1)).toMatchObject({ applied: true, current: true });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...(Object.keys(behaviours) as Fate[])), {
        minLength: 1,
        maxLength: 8,
      }),
      async (fates) => {
        expect(await statusesOf(fates, "* * * * *")).toEqual(without);
      },
    ),
    { numRuns: Number(process.env.FC_RUNS ?? 40) },
  );
}, 600_000);
