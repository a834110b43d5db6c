import fc from "fast-check";
import { expect, it } from "vitest";
import { createWorld, moduleOf, scheduled, type World } from "./world.ts";

/** What happens to the host between two stretches of time. */
type Turn =
  | { readonly kind: "killNow" }
  | { readonly kind: "killAt"; readonly deed: number }
  | { readonly kind: "step"; readonly ms: number }
  | { readonly kind: "engineAway"; readonly ms: number }
  | { readonly kind: "engineRestart" }
  | { readonly kind: "purgeWhileDown" }
  | { readonly kind: "reapply" };

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.constant<Turn>({ kind: "killNow" }),
  fc.integer({ min: 1, max: 30 }).map((deed): Turn => ({ kind: "killAt", deed })),
  fc
    .constantFrom(-86_400_000, -3_600_000, -61_000, -1500, 1500, 61_000, 3_600_000, 86_400_000)
    .map((ms): Turn => ({ kind: "step", ms })),
  fc.integer({ min: 1, max: 90_000 }).map((ms): Turn => ({ kind: "engineAway", ms })),
  fc.constant<Turn>({ kind: "engineRestart" }),
  fc.constant<Turn>({ kind: "purgeWhileDown" }),
  fc.constant<Turn>({ kind: "reapply" }),
);

const story = fc.record({
  schedule: fc.constantFrom("* * * * *", "*/2 * * * *"),
  durations: fc.array(fc.constantFrom(500, 20_000, 70_000, 200_000), {
    minLength: 1,
    maxLength: 4,
  }),
  codes: fc.array(fc.constantFrom(0, 1, 137), { minLength: 1, maxLength: 3 }),
  turns: fc.array(
    fc.tuple(turn, fc.integer({ min: 100, max: 150_000 }), fc.integer({ min: 0, max: 40_000 })),
    { maxLength: 8 },
  ),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

async function live(world: World, { schedule, turns }: Story): Promise<void> {
  const module = moduleOf("kometa", scheduled(schedule));
  await world.start();
  await world.declare(module);
  for (const [one, before, downMs] of turns) {
    await world.clock.advance(before);
    switch (one.kind) {
      case "killNow":
        world.kill();
        await world.clock.advance(downMs);
        await world.start();
        break;
      case "killAt":
        world.life().killAt(one.deed);
        await world.clock.advance(downMs + 60_000);
        world.kill();
        await world.start();
        break;
      case "step":
        world.clock.step(one.ms);
        break;
      case "engineAway":
        world.engine.setAvailable(false);
        await world.clock.advance(one.ms);
        world.engine.setAvailable(true);
        break;
      case "engineRestart":
        world.engine.restart();
        break;
      case "purgeWhileDown":
        world.kill();
        for (const id of world.engine.containers.keys()) await world.engine.remove(id);
        await world.start();
        break;
      case "reapply":
        await world.declare(module);
    }
  }
  await world.clock.advance(300_000);
}

function expectNeverTwo(world: World): void {
  // Elapsed order is the order of the engine's record: a stretch begins after the one before ended.
  const stretches = world.startsOf("kometa-sync");
  stretches.forEach((one, index) => {
    const next = stretches[index + 1];
    if (next !== undefined)
      expect(one.endedBefore, "the run before had ended").toBeLessThan(next.begun);
  });
}

it("[A53-40] never two at once: kills anywhere, clock steps, engine away (A4, A7, D11)", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      let nth = 0;
      const world = createWorld({
        behave: () => {
          nth += 1;
          return {
            afterMs: told.durations[nth % told.durations.length] ?? 500,
            exitCode: told.codes[nth % told.codes.length] ?? 0,
          };
        },
      });
      await live(world, told);
      expectNeverTwo(world);

      const stretches = world.startsOf("kometa-sync");
      const ids = stretches.map(({ spec }) => spec.environment.MESH_RUN_ID);
      expect(new Set(ids).size, "no run is started twice").toBe(ids.length);
      expect(new Set(stretches.map(({ id }) => id)).size, "each in a new container").toBe(
        ids.length,
      );

      const ends = world
        .records("kometa-sync")
        .map(({ record }) => record)
        .filter((record) => record.outcome === "succeeded" || record.outcome === "failed");
      const ended = ends.map((record) => record.runId);
      expect(new Set(ended).size, "no run ends twice").toBe(ended.length);
      for (const { spec, endedAt, exitCode } of stretches) {
        if (endedAt === undefined) continue;
        const end = ends.find((record) => record.runId === spec.environment.MESH_RUN_ID);
        expect(end, "every end is on record").toBeDefined();
        if (end?.exitCode !== undefined) expect(end.exitCode, "its own code").toBe(exitCode);
        expect(end?.outcome === "succeeded", "never success by mistake").toBe(exitCode === 0);
      }
      expect(world.host().status()).toMatchObject({ applied: true, current: true });
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 60) },
  );
}, 600_000);
