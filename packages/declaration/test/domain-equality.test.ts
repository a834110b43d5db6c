import type { ScheduleSpec } from "@mesh/concurrency";
import type { Diagnostic as CronDiagnostic } from "@mesh/cron";
import { createJob, type Diagnostic as JobDiagnostic, type JobSpec } from "@mesh/jobs";
import type { InferOutput } from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { buildDeclarationSchema } from "../src/declaration-schema.ts";
import {
  type CronJobManifest,
  type Diagnostic,
  type HostDeclaration,
  type JobTemplate,
  type ModuleManifest,
  parseManifest,
  scheduleFromManifest,
} from "../src/index.ts";
import type { cronJobSchema, jobSchema, moduleSchema } from "../src/manifest-schema.ts";
import { DIGEST } from "./manifests.ts";

/** Schemas infer mutable data; what they check is never changed. */
type Frozen<T> = T extends readonly (infer I)[]
  ? readonly Frozen<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

type Shape<T> = Frozen<T> extends infer U ? { [K in keyof U]: U[K] } : never;
type Plain<T> = { [K in keyof T]: T[K] };

describe("types", () => {
  it("what the Job schema takes is a JobSpec, no more and no less (J1, R5)", () => {
    expectTypeOf<Shape<Omit<InferOutput<typeof jobSchema>, "kind">>>().toEqualTypeOf<
      Plain<JobSpec>
    >();
  });

  it("what the CronJob schema takes is a ScheduleSpec and a template (D1, R5)", () => {
    type Taken = InferOutput<typeof cronJobSchema>;
    expectTypeOf<Shape<Omit<Taken, "kind" | "jobTemplate">>>().toEqualTypeOf<Plain<ScheduleSpec>>();
    expectTypeOf<Shape<Taken["jobTemplate"]>>().toEqualTypeOf<Plain<JobTemplate>>();
  });

  it("what the module schema takes is a module, and a declaration likewise (R1, R3)", () => {
    expectTypeOf<Shape<Omit<InferOutput<typeof moduleSchema>, "kind">>>().toEqualTypeOf<
      Plain<Omit<ModuleManifest, "kind">>
    >();
    expectTypeOf<Shape<InferOutput<ReturnType<typeof buildDeclarationSchema>>>>().toMatchTypeOf<
      Omit<HostDeclaration, "modules">
    >();
  });

  it("a diagnostic is the one that every package has", () => {
    expectTypeOf<Diagnostic>().toEqualTypeOf<CronDiagnostic>();
    expectTypeOf<Diagnostic>().toExtend<JobDiagnostic>();
  });
});

const IMAGE = `docker.io/library/busybox@sha256:${DIGEST}`;

/** Every field of the template; a field that is new in the type does not compile here. */
const TEMPLATE: Required<JobTemplate> = {
  image: IMAGE,
  command: ["report"],
  environment: { TZ: "UTC" },
  resources: { cpu: "500m", memory: "64Mi" },
  secrets: [{ name: "token", key: "value" }],
  placement: [{ key: "zone", operator: "not_equals", value: "ams" }],
  volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
  backoffLimit: 3,
  backoff: { kind: "Exponential", delaySeconds: 1, factor: 3, maxSeconds: 60, jitter: 0.5 },
  activeDeadlineSeconds: 600,
  ttlSecondsAfterFinished: 0,
  failurePolicy: {
    rules: [
      { action: "Fail", onExitCodes: { in: [42] } },
      { action: "Ignore", onReasons: ["nodeLost"] },
    ],
    maxIgnored: 5,
  },
};

const SCHEDULE: Required<ScheduleSpec> = {
  name: "report",
  schedule: "0 9 * * 1-5",
  timezone: "Europe/Belgrade",
  dst: "Once",
  concurrencyPolicy: "Queue",
  missed: "Latest",
  missedScheduleLimit: 7,
  startingDeadlineSeconds: 300,
  suspended: true,
  successfulJobsHistoryLimit: 2,
  failedJobsHistoryLimit: 4,
};

describe("every field of the domain types", () => {
  it("[C31-132] of a JobSpec can be set from a manifest (J1, R5)", () => {
    expect(parseManifest({ name: "report", ...TEMPLATE })).toEqual({
      kind: "Job",
      name: "report",
      ...TEMPLATE,
    });
    for (const [field, value] of Object.entries(TEMPLATE)) {
      const manifest = { name: "report", image: IMAGE, [field]: value };
      expect(parseManifest(manifest)).toEqual({ kind: "Job", ...manifest });
    }
  });

  it("[C31-132] of a ScheduleSpec can be set from a manifest (D1, R5)", () => {
    const manifest = parseManifest({ ...SCHEDULE, jobTemplate: TEMPLATE }) as CronJobManifest;
    expect(scheduleFromManifest(manifest)).toEqual({ schedule: SCHEDULE, jobTemplate: TEMPLATE });
    for (const [field, value] of Object.entries(SCHEDULE)) {
      const { name, schedule } = SCHEDULE;
      const written = { name, schedule, [field]: value, jobTemplate: { image: IMAGE } };
      expect(parseManifest(written)).toEqual({ kind: "CronJob", ...written });
    }
  });

  it("a Job that the parser takes, createJob takes too (J2)", () => {
    const options = { jobId: "j1", namespace: "default", now: 0 };
    const { state } = createJob({ name: "report", ...TEMPLATE }, options);
    expect(state?.job.spec).toEqual({ name: "report", ...TEMPLATE });
  });
});
