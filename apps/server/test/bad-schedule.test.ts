import type { CronJobManifest } from "@mesh/declaration";
import { describe, expect, it } from "vitest";
import { type Bench, IMAGE, MINUTE, NOON, refusalOf, startBench } from "./harness.ts";

const minutely = (name: string): CronJobManifest => ({
  kind: "CronJob",
  name,
  schedule: "* * * * *",
  jobTemplate: { image: IMAGE },
});

const good = Array.from({ length: 10 }, (_, index) => `good-${index}`);

/** Changes a stored row by hand, as a faulty tool or an older version might have left it. */
async function spoil(
  { store }: Bench,
  name: string,
  change: (row: { schedule: string; template: string }) => { schedule?: string; template?: string },
): Promise<void> {
  await store.write(async ({ db }) => {
    const row = await db
      .selectFrom("schedules")
      .selectAll()
      .where("name", "=", name)
      .executeTakeFirstOrThrow();
    const { schedule = row.schedule_json, template = row.template_json } = change({
      schedule: row.schedule_json,
      template: row.template_json,
    });
    await db
      .updateTable("schedules")
      .set({ schedule_json: schedule, template_json: template })
      .where("name", "=", name)
      .execute();
  });
}

describe("one bad schedule never stops another (D1)", () => {
  const faults: readonly [string, Parameters<typeof spoil>[2], RegExp][] = [
    [
      "an unknown zone",
      ({ schedule }) => ({ schedule: schedule.replace('"UTC"', '"Mars/Olympus"') }),
      /Mars\/Olympus/,
    ],
    [
      "a bad expression",
      ({ schedule }) => ({ schedule: schedule.replace("* * * * *", "0 24 * * *") }),
      /24/,
    ],
    [
      "a state of another version",
      ({ schedule }) => ({ schedule: schedule.replace('"v":1', '"v":9') }),
      /9/,
    ],
    ["a state that is no JSON", () => ({ schedule: "{" }), /JSON/],
    [
      "a template with a quantity that is none",
      () => ({ template: '{"image":"x","resources":{"cpu":"much"}}' }),
      /quantity/,
    ],
    [
      "a template that no Job can be made of",
      () => ({ template: '{"image":"x","backoffLimit":-1}' }),
      /backoffLimit/,
    ],
  ];

  it.each(faults)(
    "[C31-67] %s: the ten others fire, and an event says why",
    async (_, fault, why) => {
      const bench = await startBench();
      const { mesh, advance } = bench;
      for (const name of [...good.slice(0, 5), "bad", ...good.slice(5)]) {
        await mesh.createCronJob("default", minutely(name));
      }
      await bench.settle();
      await spoil(bench, "bad", fault);
      await advance(MINUTE);
      const made = (await mesh.jobs("default")).map(({ state }) => state.job.spec.name).sort();
      expect(made).toEqual(good.map((name) => `${name}-202610131201`).sort());
      const problems = (await mesh.events({ after: 0, limit: 1000 })).filter(
        ({ type }) => type === "cronjob.problem",
      );
      expect(problems).toHaveLength(1);
      expect(problems[0]?.subject).toEqual({ kind: "cronjob", namespace: "default", name: "bad" });
      expect(problems[0]?.message).toMatch(why);
      const shown = await mesh.cronJobs("default");
      expect(shown).toHaveLength(11);
      expect(shown.filter(({ problem }) => problem !== undefined)).toHaveLength(1);
      // It is told once, and the others go on.
      await advance(10 * MINUTE);
      expect(await mesh.jobs("default")).toHaveLength(110);
      const again = (await mesh.events({ after: problems[0]?.id ?? 0, limit: 1000 })).filter(
        ({ type }) => type === "cronjob.problem",
      );
      expect(again).toEqual([]);
    },
  );

  it.each(faults.slice(0, 4))("%s: an operator is told, and may delete it", async (_, fault) => {
    const bench = await startBench();
    const { mesh } = bench;
    await mesh.createCronJob("default", minutely("bad"));
    await bench.settle();
    await spoil(bench, "bad", fault);
    await bench.advance(MINUTE);
    const hourly = { ...minutely("bad"), schedule: "0 * * * *" };
    const { status, error } = await refusalOf(mesh.applyCronJob("default", hourly));
    expect([status, error.code]).toEqual([409, "cronjob.unreadable"]);
    await mesh.deleteCronJob("default", "bad");
    expect((await mesh.applyCronJob("default", hourly)).outcome).toBe("created");
  });

  it("once the row is mended it fires again, and nothing is lost", async () => {
    const bench = await startBench();
    const { mesh } = bench;
    await mesh.createCronJob("default", minutely("bad"));
    await bench.settle();
    await spoil(bench, "bad", ({ schedule }) => ({
      schedule: schedule.replace('"UTC"', '"Nope"'),
    }));
    await bench.advance(MINUTE);
    expect((await mesh.cronJobs("default"))[0]?.problem).toMatch(/Nope/);
    await spoil(bench, "bad", ({ schedule }) => ({
      schedule: schedule.replace('"Nope"', '"UTC"'),
    }));
    await bench.advance(5 * MINUTE);
    const view = await mesh.cronJob("default", "bad");
    expect(view).not.toHaveProperty("problem");
    expect(view.schedule.lastScheduleAt).toBe(NOON + 6 * MINUTE);
    expect(await mesh.jobs("default")).toHaveLength(6);
  });
});
