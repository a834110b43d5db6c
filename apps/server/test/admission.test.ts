import type { ScheduleSpec } from "@mesh/concurrency";
import type { CronJobManifest, JobManifest, ModuleManifest } from "@mesh/declaration";
import type { JobSpec } from "@mesh/jobs";
import type { MeshClient } from "@mesh/protocol";
import { describe, expect, it } from "vitest";
import { DIGEST, hostOf, IMAGE, MINUTE, NOON, refusalOf, startBench } from "./harness.ts";

const job: JobManifest = { kind: "Job", name: "atlas-report", image: IMAGE };
const cronJob: CronJobManifest = {
  kind: "CronJob",
  name: "report",
  schedule: "0 9 * * 1-5",
  jobTemplate: { image: IMAGE },
};
const module: ModuleManifest = {
  kind: "Module",
  module: "kometa",
  version: 1,
  resources: [
    {
      type: "container",
      name: "kometa-sync",
      image: `ghcr.io/acme/kometa@${DIGEST}`,
      schedule: "0 3 * * *",
    },
  ],
};

/** A manifest that no type would let through. */
const wrong = <T>(manifest: T, members: object): T => ({ ...manifest, ...members }) as T;
const without = <T extends object>(manifest: T, member: string): T =>
  Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== member)) as T;

async function everything(mesh: MeshClient): Promise<unknown> {
  return [await mesh.jobs("default"), await mesh.cronJobs("default"), await mesh.modules()];
}

/** Each diagnostic as code and place. */
async function told(call: Promise<unknown>): Promise<(string | undefined)[][]> {
  const { status, error } = await refusalOf(call);
  expect(status).toBe(400);
  return (error.diagnostics ?? []).map(({ code, pointer }) => [code, pointer]);
}

describe("bad Jobs are refused and nothing is stored (S5)", () => {
  it("[C31-04] a Job without an image, or with a negative limit, is refused (J2)", async () => {
    const { mesh } = await startBench();
    expect(await told(mesh.createJob("default", without(job, "image")))).toEqual([
      ["shape.missing", "/image"],
    ]);
    expect(await told(mesh.createJob("default", { ...job, backoffLimit: -1 }))).toEqual([
      ["limit.range", "/backoffLimit"],
    ]);
    expect(await told(mesh.applyJob("default", { ...job, backoffLimit: -1 }))).toEqual([
      ["limit.range", "/backoffLimit"],
    ]);
    expect(await everything(mesh)).toEqual([[], [], []]);
  });

  it("[C31-06] a namespace that does not exist, or cannot, is refused (J2)", async () => {
    const { mesh, store } = await startBench();
    const unknown = await refusalOf(mesh.createJob("nope", job));
    expect([unknown.status, unknown.error.code]).toEqual([404, "namespace.unknown"]);
    const illegal = await refusalOf(mesh.createJob("No_Pe", job));
    expect([illegal.status, illegal.error.code]).toEqual([400, "name.invalid"]);
    expect((await refusalOf(mesh.createNamespace("No_Pe"))).status).toBe(400);
    expect(await mesh.namespaces()).toEqual(["default"]);
    expect(await store.read((db) => db.selectFrom("jobs").selectAll().execute())).toEqual([]);
  });

  it("a name that belongs to a schedule's runs is refused at admission (J2, D10)", async () => {
    const { mesh } = await startBench();
    const call = mesh.createJob("default", { ...job, name: "report-202610130900" });
    expect(await told(call)).toEqual([["name.reserved", "/name"]]);
  });

  it("a manifest of another kind, or under another name, is refused", async () => {
    const { mesh, app } = await startBench();
    expect(await told(mesh.createJob("default", cronJob as never))).toEqual([
      ["manifest.kind", "/kind"],
    ]);
    const put = await app.inject({
      method: "PUT",
      url: "/v1/namespaces/default/jobs/other",
      headers: { host: "127.0.0.1" },
      payload: job,
    });
    expect([put.statusCode, put.json().error.code]).toEqual([400, "name.mismatch"]);
  });
});

describe("bad CronJobs are refused and nothing is stored (S5)", () => {
  it.each(["allow", "Never"])(
    "[C31-63] the policy %s is refused with the allowed ones (D1)",
    async (policy) => {
      const { mesh } = await startBench();
      const call = mesh.createCronJob("default", wrong(cronJob, { concurrencyPolicy: policy }));
      const { status, error } = await refusalOf(call);
      expect(status).toBe(400);
      const [diagnostic] = error.diagnostics ?? [];
      expect([diagnostic?.code, diagnostic?.pointer]).toEqual(["shape.enum", "/concurrencyPolicy"]);
      expect([...(diagnostic?.allowed ?? [])].sort()).toEqual(
        ["Allow", "Forbid", "Queue", "Replace", "Skip", "Supersede"].sort(),
      );
      expect(await everything(mesh)).toEqual([[], [], []]);
    },
  );

  it("[C31-64] the template is checked at creation (D1)", async () => {
    const { mesh } = await startBench();
    const call = mesh.createCronJob("default", wrong(cronJob, { jobTemplate: { command: ["x"] } }));
    expect(await told(call)).toEqual([["shape.missing", "/jobTemplate/image"]]);
    expect(await everything(mesh)).toEqual([[], [], []]);
  });

  it.each([
    ["0 24 * * *", "cron.range"],
    ["* * * * * *", "cron.fields"],
    ["0 0 30 2 *", "cron.never"],
  ])("[C31-65] the expression %s is refused at creation: %s (D1)", async (schedule, code) => {
    const { mesh, store, advance } = await startBench();
    const bad = { ...cronJob, schedule };
    expect(await told(mesh.createCronJob("default", bad))).toEqual([[code, "/schedule"]]);
    expect(await told(mesh.applyCronJob("default", bad))).toEqual([[code, "/schedule"]]);
    await advance(MINUTE);
    expect(await store.read((db) => db.selectFrom("schedules").selectAll().execute())).toEqual([]);
  });

  it("[C31-66] the zone is checked at creation, with the nearest known name (C7)", async () => {
    const { mesh } = await startBench();
    const belgrad = { ...cronJob, timezone: "Europe/Belgrad" };
    const { error } = await refusalOf(mesh.createCronJob("default", belgrad));
    expect(error.diagnostics?.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["timezone.unknown", "/timezone"],
    ]);
    expect(error.diagnostics?.[0]?.help).toContain("Europe/Belgrade");
    for (const timezone of ["+02:00", "CEST", ""]) {
      const { status } = await refusalOf(mesh.createCronJob("default", { ...cronJob, timezone }));
      expect(status).toBe(400);
    }
    expect(await everything(mesh)).toEqual([[], [], []]);
  });

  it("[C31-133] unknown fields are refused with the nearest name, never ignored (R4)", async () => {
    const { mesh } = await startBench();
    const typo = wrong(cronJob, { missedschedulelimit: 2 });
    const { status, error } = await refusalOf(mesh.createCronJob("default", typo));
    expect(status).toBe(400);
    const [diagnostic] = error.diagnostics ?? [];
    expect([diagnostic?.code, diagnostic?.pointer]).toEqual([
      "shape.unknown-key",
      "/missedschedulelimit",
    ]);
    expect(diagnostic?.help).toContain("missedScheduleLimit");
    expect(await told(mesh.createJob("default", wrong(job, { retries: 1 })))).toEqual([
      ["shape.unknown-key", "/retries"],
    ]);
    expect(await everything(mesh)).toEqual([[], [], []]);
  });
});

describe("bad modules are refused and the old one stays (S5)", () => {
  it.each([
    ["0 24 * * *", "cron.range"],
    ["@daily", "cron.macro"],
    ["0 0 3 * * *", "cron.fields"],
  ])("[A53-56] the schedule %s is refused: %s (R2)", async (schedule, code) => {
    const bench = await startBench();
    const { mesh } = bench;
    const host = hostOf(bench);
    await host.join();
    await mesh.applyModule(module);
    await mesh.assignModule("kometa", "a");
    const before = [await mesh.module("kometa"), await mesh.poll({ node: "a" })];
    const [container] = module.resources as [object];
    const bad = wrong(module, { resources: [{ ...container, schedule }] });
    const { status, error } = await refusalOf(mesh.applyModule(bad));
    expect(status).toBe(400);
    expect(error.diagnostics?.map((d) => [d.code, d.pointer])).toEqual([
      [code, "/resources/0/schedule"],
    ]);
    if (code === "cron.fields") expect(error.message).toContain("6");
    expect([await mesh.module("kometa"), await mesh.poll({ node: "a" })]).toEqual(before);
  });
});

describe("what is accepted arrives whole (R5)", () => {
  it("[C31-17] a Job's own retry limit is stored", async () => {
    const { mesh } = await startBench();
    await mesh.createJob("default", { ...job, backoffLimit: 2 });
    expect((await mesh.job("default", "atlas-report")).state.job.spec.backoffLimit).toBe(2);
  });

  it("[C31-130] missedScheduleLimit 2 is stored, and cuts a backlog end to end (D1)", async () => {
    const { mesh, clock, settle } = await startBench();
    await mesh.createCronJob("default", {
      ...cronJob,
      schedule: "* * * * *",
      missedScheduleLimit: 2,
    });
    expect((await mesh.cronJob("default", "report")).schedule.spec.missedScheduleLimit).toBe(2);
    await settle();
    // Three minutes pass at once, as for a server that was down.
    clock.step(3 * MINUTE);
    await clock.advance(0, settle);
    const decisions = await mesh.decisions("default", "report");
    expect(
      decisions.map(({ decision }) => decision.outcomes.map((o) => "at" in o && o.at)),
    ).toEqual([[NOON + 3 * MINUTE], [NOON + MINUTE, NOON + 2 * MINUTE]]);
  });

  it("[C31-131] the template's limit becomes the run's: two attempts at most (J4)", async () => {
    const bench = await startBench();
    const { mesh, advance } = bench;
    const host = hostOf(bench);
    await host.join();
    const jobTemplate = { image: IMAGE, backoffLimit: 1 };
    await mesh.createCronJob("default", { ...cronJob, schedule: "1 12 * * *", jobTemplate });
    await advance(MINUTE);
    for (const attempt of [1, 2]) {
      await host.beat();
      const [task] = await host.tasks();
      expect(task?.attempt).toBe(attempt);
      await host.report(task?.taskId as string, { status: "stopped", exitCode: 3 });
    }
    const [run] = await mesh.jobs("default");
    expect([run?.state.job.status, run?.state.job.attempts]).toEqual(["failed", 2]);
    expect(run?.state.job.spec.backoffLimit).toBe(1);
    expect(await host.tasks()).toEqual([]);
  });

  it("[C31-132] every field of a Job's and a schedule's type is read back as it was set", async () => {
    const { mesh } = await startBench();
    const work = {
      image: IMAGE,
      command: ["sh", "-c", "echo hi"],
      environment: { COUNTRY: "NO", EMPTY: "" },
      backoffLimit: 2,
      backoff: { kind: "Exponential", delaySeconds: 5, factor: 3, maxSeconds: 60, jitter: 0.5 },
      activeDeadlineSeconds: 600,
      ttlSecondsAfterFinished: 3600,
      failurePolicy: {
        rules: [
          { action: "Fail", onExitCodes: { in: [42] } },
          { action: "Ignore", onReasons: ["nodeLost"] },
        ],
        maxIgnored: 3,
      },
      resources: { cpu: "500m", memory: "1Gi" },
      secrets: [{ name: "token", key: "value" }],
      placement: [{ key: "zone", operator: "equals", value: "ams" }],
      volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
    } as const satisfies Required<Omit<JobSpec, "name">>;
    await mesh.createJob("default", { kind: "Job", name: "all", ...work });
    expect((await mesh.job("default", "all")).state.job.spec).toEqual({ name: "all", ...work });

    const timing = {
      name: "all",
      schedule: "30 2 * * *",
      timezone: "Europe/Belgrade",
      dst: "Once",
      concurrencyPolicy: "Queue",
      missed: "Latest",
      missedScheduleLimit: 7,
      startingDeadlineSeconds: 900,
      suspended: true,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    } as const satisfies Required<ScheduleSpec>;
    await mesh.createCronJob("default", { kind: "CronJob", ...timing, jobTemplate: work });
    const view = await mesh.cronJob("default", "all");
    expect(view.schedule.spec).toEqual(timing);
    expect(view.jobTemplate).toEqual(work);
  });

  it("warnings come back with what was accepted (R4)", async () => {
    const { mesh } = await startBench();
    const tagged = { ...cronJob, jobTemplate: { image: "busybox:1.36" }, schedule: "0 0 13 * 5" };
    const { outcome, warnings } = await mesh.applyCronJob("default", tagged);
    expect(outcome).toBe("created");
    expect(warnings.map(({ code }) => code).sort()).toEqual([
      "cron.both-day-fields",
      "image.not-pinned",
    ]);
  });
});
