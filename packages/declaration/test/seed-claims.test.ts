import { createSchedule, decideSchedule } from "@mesh/concurrency";
import { nextOccurrence, parseCron } from "@mesh/cron";
import { createJob } from "@mesh/jobs";
import { describe, expect, it } from "vitest";
import {
  containerKind,
  type Diagnostic,
  type JobManifest,
  type Manifest,
  parseQuantity,
  safeParseManifest,
  scheduleFromManifest,
} from "../src/index.ts";
import { parseManifestYaml } from "../src/yaml.ts";
import { readCase } from "./case-files.ts";
import { asModule, container, IMAGE, moduleOf } from "./manifests.ts";

/** Codes and pointers of what is wrong; empty when the manifest is taken. */
function problems(value: unknown): readonly string[] {
  return diagnostics(value).map(({ code, pointer }) => `${code} ${pointer}`);
}

function diagnostics(value: unknown): readonly Diagnostic[] {
  const parsed = safeParseManifest(value);
  return parsed.ok ? [] : parsed.diagnostics;
}

function parsed(value: unknown): Manifest {
  const result = safeParseManifest(value);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.value;
}

function good(file: string): Manifest {
  const { manifest } = parseManifestYaml(readCase(`manifests-good/${file}`));
  if (manifest === undefined) throw new Error(`${file} does not parse`);
  return manifest;
}

const JOB = { name: "atlas-report", image: IMAGE };
const CRON_JOB = { name: "report", schedule: "0 9 * * *", jobTemplate: { image: IMAGE } };
const SCHEDULE_AT = "/resources/0/schedule";

describe("ADR 53: a container with a schedule", () => {
  it("[A53-01] is a plain container with that very text (R1, R2, C1)", () => {
    const result = safeParseManifest(moduleOf(container({ schedule: "0 3 * * *" })));
    expect(result).toMatchObject({ ok: true, warnings: [] });
    const [resource] = asModule(parsed(moduleOf(container({ schedule: "0 3 * * *" })))).resources;
    expect(resource).toMatchObject({ type: "container", schedule: "0 3 * * *" });
  });

  it("[A53-02] its schedule is one string and nothing else (R2, R4)", () => {
    const refused = (schedule: unknown) => problems(moduleOf(container({ schedule })));
    expect(refused(["0 3 * * *"])).toEqual([`shape.type ${SCHEDULE_AT}`]);
    expect(refused("")).toEqual([`shape.empty ${SCHEDULE_AT}`]);
    for (const other of [{ cron: "0 3 * * *" }, 3, null, true]) {
      expect(refused(other)).toEqual([`shape.type ${SCHEDULE_AT}`]);
    }
  });

  it("[A53-04] is pinned by digest like any other (R1)", () => {
    const image = "ghcr.io/acme/kometa:latest";
    expect(problems(moduleOf(container({ image, schedule: "0 3 * * *" })))).toEqual([
      "image.not-pinned /resources/0/image",
    ]);
  });

  it("[A53-05] an account of another is not the module's (R3)", () => {
    expect(problems({ ...moduleOf(container()), account: "postgres" })).toEqual([
      "account.not-scoped /account",
    ]);
    expect(problems({ ...moduleOf(container()), account: "kometa" })).toEqual([]);
  });

  it("[A53-07][A53-08] no resource type runs a host command or a timer (R2, R7)", () => {
    for (const type of ["command", "exec", "run", "timer"]) {
      expect(problems(moduleOf({ type, name: "x" }))).toEqual(["bound.shape /resources/0/type"]);
    }
  });

  it("[A53-08] no file can be a host's timer or crontab (R7, R8)", () => {
    for (const path of ["/etc/cron.d/x", "/etc/systemd/system/x.timer"]) {
      expect(problems(moduleOf({ type: "file", path, content: "" }))).toEqual([
        "path.outside-root /resources/0/path",
      ]);
    }
  });

  it("[A53-09] lifecycle hooks are refused each with its pointer, none dropped (R4, R7)", () => {
    const words = ["hooks", "pre-start", "post-start", "pre-remove", "on-schedule"];
    const later = ["on-build", "on-publish"];
    const fields = Object.fromEntries([...words, ...later].map((word) => [word, "sh -c x"]));
    const expected = (prefix: string) => [
      ...words.map((word) => `bound.option ${prefix}/${word}`),
      ...later.map((word) => `shape.unknown-key ${prefix}/${word}`),
    ];
    expect(problems(moduleOf(container(fields)))).toEqual(expected("/resources/0"));
    expect(problems({ ...moduleOf(container()), ...fields })).toEqual(expected(""));
  });

  it("[A53-10] scheduled work has no resource type of its own (R1, R4)", () => {
    for (const type of ["schedule", "cron", "scheduled", "job"]) {
      const [problem, ...others] = diagnostics(moduleOf({ type, name: "x" }));
      expect(problem).toMatchObject({ code: "shape.enum", pointer: "/resources/0/type" });
      expect([...(problem?.allowed ?? [])].sort()).toEqual(["container", "directory", "file"]);
      expect(others).toEqual([]);
    }
  });

  it("[A53-54] command is the argument inside the image; entrypoint is refused (R1, R7)", () => {
    expect(problems(moduleOf(container({ command: ["sync"] })))).toEqual([]);
    expect(problems(moduleOf(container({ entrypoint: ["sh"] })))).toEqual([
      "bound.option /resources/0/entrypoint",
    ]);
  });

  it("[A53-56] what is no cron expression is refused and no manifest comes back (R2, R4)", () => {
    const refused = (schedule: string) => diagnostics(moduleOf(container({ schedule })));
    expect(refused("0 24 * * *")).toMatchObject([{ code: "cron.range", pointer: SCHEDULE_AT }]);
    expect(refused("@daily")).toMatchObject([{ code: "cron.macro", pointer: SCHEDULE_AT }]);
    const [six, ...others] = refused("0 0 3 * * *");
    expect(six).toMatchObject({ code: "cron.fields", pointer: SCHEDULE_AT });
    expect(`${six?.message} ${six?.found}`).toContain("6");
    expect(others).toEqual([]);
  });

  it("[A53-57] run-once and schedule together are refused (R1)", () => {
    const both = container({ "run-once": true, schedule: "0 3 * * *" });
    expect(problems(moduleOf(both))).toEqual([`run.exclusive ${SCHEDULE_AT}`]);
  });

  it("[A53-58] a container runs in exactly one of three ways (R1, R7)", () => {
    const kind = (fields: object) => {
      const [resource] = asModule(parsed(moduleOf(container(fields)))).resources;
      return resource?.type === "container" && containerKind(resource);
    };
    expect(kind({ "run-once": false, schedule: "0 3 * * *" })).toBe("scheduled");
    expect(kind({ "run-once": true })).toBe("runOnce");
    expect(kind({})).toBe("service");
    expect(problems(moduleOf(container({ restart: "always", schedule: "0 3 * * *" })))).toEqual([
      "bound.option /resources/0/restart",
    ]);
  });

  it("[A53-59] both day fields: a warning, and both must match (R2, C3)", () => {
    const result = safeParseManifest(moduleOf(container({ schedule: "0 0 13 * 5" })));
    expect(result).toMatchObject({ ok: true, warnings: [{ code: "cron.both-day-fields" }] });
    const next = nextOccurrence(parseCron("0 0 13 * 5"), new Date("2026-10-01T00:00:00Z"));
    expect(next?.toISOString()).toBe("2026-11-13T00:00:00.000Z");
  });
});

describe("chapter 31: Jobs", () => {
  it("[C31-01] a Job's eight names arrive with their values (J1, R5)", () => {
    expect(good("job-all.yaml")).toEqual({
      kind: "Job",
      name: "report",
      image:
        "docker.io/library/busybox@sha256:" +
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
      command: ["sh", "-c", "echo hi"],
      backoffLimit: 2,
      resources: { cpu: "0.5", memory: "1Gi" },
      secrets: [{ name: "token", key: "value" }],
      placement: [{ key: "zone", operator: "equals", value: "ams" }],
      volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
    });
  });

  it("[C31-02] other spellings are refused and the right one is named (R4, R5)", () => {
    const right = {
      backoff_limit: "backoffLimit",
      secret_refs: "secrets",
      placement_constraints: "placement",
      volume_claims: "volumeClaims",
    };
    for (const [wrong, name] of Object.entries(right)) {
      expect(diagnostics({ ...JOB, [wrong]: 1 })).toMatchObject([
        { code: "shape.unknown-key", pointer: `/${wrong}`, help: `write ${name}` },
      ]);
    }
  });

  it("[C31-03] a Kubernetes Job is refused, with its nesting (R4, R5)", () => {
    const object = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a" }, spec: {} };
    const found = problems(object);
    expect(found).toContain("shape.unknown-key /apiVersion");
    expect(found).toContain("shape.unknown-key /metadata");
    expect(found).toContain("shape.unknown-key /spec");
    const nested = { ...CRON_JOB, jobTemplate: { image: IMAGE, spec: {} } };
    expect(problems(nested)).toEqual(["shape.unknown-key /jobTemplate/spec"]);
  });

  it("[C31-04] the spec is validated (J2, R4)", () => {
    expect(problems({ name: "atlas-report" })).toEqual(["shape.missing /image"]);
    expect(problems({ ...JOB, backoffLimit: -1 })).toEqual(["limit.range /backoffLimit"]);
  });

  it("[C31-05] what a manifest leaves out is filled in when the Job is created (J1)", () => {
    const resources = (fields: object) => {
      const { kind: _, ...spec } = parsed({ ...JOB, ...fields }) as JobManifest;
      const { state } = createJob(spec, { jobId: "j1", namespace: "default", now: 0 });
      return state?.job.spec.resources;
    };
    expect(resources({})).toEqual({ cpu: "100m", memory: "128Mi" });
    expect(resources({ resources: { cpu: "500m" } })).toEqual({ cpu: "500m", memory: "128Mi" });
  });

  it("[C31-128] quantities are strings, and request and limit are one field (J1)", () => {
    expect(parseQuantity("100m", "cpu").millicores).toBe(100);
    expect(parseQuantity("1Mi", "memory").bytes).toBe(1_048_576);
    expect(problems({ ...JOB, resources: { cpu: 1 } })).toEqual(["quantity.type /resources/cpu"]);
    expect(problems({ ...JOB, resources: { requests: {}, limits: {} } })).toEqual([
      "shape.unknown-key /resources/requests",
      "shape.unknown-key /resources/limits",
    ]);
  });

  it("[C31-133] unknown fields are refused with the nearest name and place (R4)", () => {
    expect(diagnostics({ ...CRON_JOB, missedschedulelimit: 2 })).toMatchObject([
      { pointer: "/missedschedulelimit", help: "write missedScheduleLimit" },
    ]);
    const text = `name: report\nimage: ${IMAGE}\nretries: 1\n`;
    const { manifest, diagnostics: found } = parseManifestYaml(text);
    expect(manifest).toBeUndefined();
    expect(found).toMatchObject([
      {
        code: "shape.unknown-key",
        pointer: "/retries",
        help: "write backoffLimit",
        range: { start: { line: 3, column: 1 } },
      },
    ]);
  });
});

describe("chapter 31: CronJobs", () => {
  it("[C31-61] a CronJob's fields arrive unchanged; others are refused (D1, R5)", () => {
    expect(good("cronjob-all.yaml")).toEqual({
      kind: "CronJob",
      name: "report",
      schedule: "0 9 * * 1-5",
      timezone: "Europe/Belgrade",
      concurrencyPolicy: "Replace",
      suspended: true,
      missedScheduleLimit: 10,
      jobTemplate: {
        image:
          "docker.io/library/busybox@sha256:" +
          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        command: ["sh", "-c", "echo report"],
        resources: { cpu: "100m", memory: "16Mi" },
      },
    });
    expect(diagnostics({ ...CRON_JOB, suspend: true, timeZone: "UTC" })).toMatchObject([
      { code: "shape.unknown-key", pointer: "/suspend", help: "write suspended" },
      { code: "shape.unknown-key", pointer: "/timeZone", help: "write timezone" },
    ]);
  });

  it("[C31-62] the zone defaults to UTC and the policy to Allow (D1)", () => {
    const manifest = parsed(CRON_JOB);
    if (manifest.kind !== "CronJob") throw new Error("a CronJob was written");
    const { schedule } = scheduleFromManifest(manifest);
    const createdAt = Date.parse("2026-10-13T08:00:00Z");
    const now = Date.parse("2026-10-13T09:00:00Z");
    const state = createSchedule(schedule, { uid: "u1", now: createdAt });
    const active = [{ id: "j0", status: "running" }] as const;
    const { outcomes } = decideSchedule(state, active, { now });
    expect(outcomes).toMatchObject([{ outcome: "create", at: now }]);
  });

  it("[C31-63] unknown policies are refused, with the list of those allowed (D1, R4)", () => {
    for (const concurrencyPolicy of ["allow", "Never"]) {
      const [problem, ...others] = diagnostics({ ...CRON_JOB, concurrencyPolicy });
      expect(problem).toMatchObject({ code: "shape.enum", pointer: "/concurrencyPolicy" });
      expect(problem?.allowed).toEqual([
        "Allow",
        "Forbid",
        "Replace",
        "Skip",
        "Queue",
        "Supersede",
      ]);
      expect(others).toEqual([]);
    }
  });

  it("[C31-64] the template is validated too (D1, R4)", () => {
    expect(problems({ ...CRON_JOB, jobTemplate: {} })).toEqual([
      "shape.missing /jobTemplate/image",
    ]);
  });

  it("[C31-127] the chapter's CronJob parses as it stands (R5)", () => {
    const { manifest, diagnostics: found } = parseManifestYaml(
      readCase("manifests-good/seed-cronjob.yaml"),
    );
    expect(found.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "warning image.not-pinned",
      "warning quantity.memory-below-6Mi",
    ]);
    if (manifest?.kind !== "CronJob") throw new Error("it is a CronJob");
    expect(manifest).toMatchObject({ concurrencyPolicy: "Forbid", timezone: "UTC" });
    expect(manifest.jobTemplate.command?.[2]).toBe("printf 'atlas report\\n'");
    expect(manifest.jobTemplate.command?.[2]?.slice(-3)).toBe("\\n'");
  });

  it("[C31-129] the template has no name: runs are named after the schedule (D10)", () => {
    const named = { ...CRON_JOB, jobTemplate: { image: IMAGE, name: "mine" } };
    expect(problems(named)).toEqual(["shape.unknown-key /jobTemplate/name"]);
    const manifest = parsed(CRON_JOB);
    if (manifest.kind !== "CronJob") throw new Error("a CronJob was written");
    const { schedule, jobTemplate } = scheduleFromManifest(manifest);
    expect(schedule).toEqual({ name: "report", schedule: "0 9 * * *" });
    expect(jobTemplate).toEqual({ image: IMAGE });
  });
});
