import { describe, expect, it } from "vitest";
import { toKubernetes } from "../src/index.ts";
import { at, container, cronJob, IMAGE, job, module, only, told } from "./manifests.ts";
import { validate } from "./schemas.ts";

const POD = ["spec", "template", "spec"] as const;
const JOB_SPEC = ["spec", "jobTemplate", "spec"] as const;

describe("a Job", () => {
  it("is a batch/v1 Job with every default written out", () => {
    const object = only(job());
    validate(object);
    expect(object).toMatchObject({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "report" },
      spec: { backoffLimit: 0, parallelism: 1, completions: 1 },
    });
    expect(at(object, ...POD)).toMatchObject({
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      containers: [
        {
          name: "report",
          image: IMAGE,
          resources: {
            requests: { cpu: "100m", memory: "128Mi" },
            limits: { cpu: "100m", memory: "128Mi" },
          },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    });
  });

  it("its command becomes arguments, and nothing in it is replaced", () => {
    const object = only(job({ command: ["sh", "-c", "echo $(id) $$(A) $HOME"] }));
    const [pod] = at(object, ...POD, "containers") as { args: string[]; command?: unknown }[];
    expect(pod?.args).toEqual(["sh", "-c", "echo $$(id) $$$$(A) $HOME"]);
    expect(pod).not.toHaveProperty("command");
  });

  it("knows its run, task, name and namespace; what is not set is told", () => {
    const object = only(job({ environment: { TZ: "UTC" } }));
    const environment = at(object, ...POD, "containers", 0, "env") as { name: string }[];
    expect(environment.map(({ name }) => name)).toEqual([
      "TZ",
      "MESH_RUN_ID",
      "MESH_TASK_ID",
      "MESH_NAMESPACE",
      "MESH_NAME",
    ]);
    expect(told(job())).toEqual(["kubernetes.environment "]);
  });

  it("places by labels, where not_equals is also true without the label", () => {
    const placement = [
      { key: "zone", operator: "equals", value: "ams" },
      { key: "disk", operator: "not_equals", value: "slow" },
    ];
    const object = only(job({ placement }));
    validate(object);
    const required = "requiredDuringSchedulingIgnoredDuringExecution";
    const terms = at(object, ...POD, "affinity", "nodeAffinity", required, "nodeSelectorTerms");
    expect(terms).toEqual([
      {
        matchExpressions: [
          { key: "zone", operator: "In", values: ["ams"] },
          { key: "disk", operator: "NotIn", values: ["slow"] },
        ],
      },
    ]);
  });

  it("reads secrets and claims that must be in the namespace", () => {
    const manifest = job({
      secrets: [{ name: "token", key: "pass" }, { name: "other" }],
      volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
    });
    const object = only(manifest);
    validate(object);
    expect(at(object, ...POD, "containers", 0, "volumeMounts")).toEqual([
      { name: "secrets", mountPath: "/run/secrets", readOnly: true },
      { name: "claim-0", mountPath: "/data", readOnly: true },
    ]);
    expect(at(object, ...POD, "volumes", 0, "projected", "sources")).toEqual([
      { secret: { name: "token", items: [{ key: "pass", path: "token" }] } },
      { secret: { name: "other", items: [{ key: "value", path: "other" }] } },
    ]);
    expect(told(manifest)).toEqual([
      "kubernetes.environment ",
      "kubernetes.secret /secrets/0",
      "kubernetes.secret /secrets/1",
      "kubernetes.claim /volumeClaims/0",
    ]);
    expect(told(job({ secrets: [{ name: "Token_1" }] }))).toContain(
      "error kubernetes.name /secrets/0/name",
    );
  });

  it("counts retries alike, with Kubernetes' own delay", () => {
    const manifest = job({
      backoffLimit: 2,
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 5,
    });
    expect(only(manifest).spec).toMatchObject({
      backoffLimit: 2,
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 5,
    });
    expect(told(manifest)).toContain("kubernetes.delay /backoffLimit");
    const own = job({ backoff: { kind: "Constant", delaySeconds: 1 } });
    expect(told(own)).toContain("kubernetes.delay /backoff");
  });
});

describe("a failure policy", () => {
  const policy = (...rules: readonly object[]) => job({ failurePolicy: { rules } });

  it("by exit codes is exact, with the codes in order and without 0", () => {
    const manifest = policy(
      { action: "Fail", onExitCodes: { in: [42, 0, 7, 42] } },
      { action: "Count", onExitCodes: { notIn: [3] } },
    );
    validate(only(manifest));
    expect(at(only(manifest), "spec", "podFailurePolicy", "rules")).toEqual([
      { action: "FailJob", onExitCodes: { operator: "In", values: [7, 42] } },
      { action: "Count", onExitCodes: { operator: "NotIn", values: [3] } },
    ]);
    expect(told(manifest)).toEqual(["kubernetes.environment "]);
  });

  it("by nodeLost is DisruptionTarget, and ignoring has no end there", () => {
    const manifest = policy({ action: "Ignore", onReasons: ["nodeLost"] });
    validate(only(manifest));
    expect(at(only(manifest), "spec", "podFailurePolicy", "rules")).toEqual([
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    ]);
    expect(told(manifest)).toEqual([
      "kubernetes.failure-policy /failurePolicy/rules/0",
      "kubernetes.failure-policy /failurePolicy/maxIgnored",
      "kubernetes.environment ",
    ]);
  });

  it("by other reasons is refused", () => {
    for (const rule of [
      { action: "Fail", onReasons: ["outOfMemory"] },
      { action: "Fail", onReasons: ["nodeLost"], onExitCodes: { in: [1] } },
    ]) {
      expect(toKubernetes(policy(rule)).objects).toEqual([]);
      expect(told(policy(rule))).toContain(
        "error kubernetes.failure-policy /failurePolicy/rules/0",
      );
    }
  });
});

describe("a CronJob", () => {
  it("writes zone, policy, limits and suspension out", () => {
    const object = only(cronJob());
    validate(object);
    expect(object.spec).toMatchObject({
      schedule: "0 9 * * 1-5",
      timeZone: "UTC",
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    expect(at(object, ...JOB_SPEC)).toMatchObject({ backoffLimit: 0 });
    expect(told(cronJob())).toEqual([
      "kubernetes.history /schedule",
      "kubernetes.environment /jobTemplate",
    ]);
  });

  it.each([
    ["0 0 1-31 * 5", "0 0 * * 5"],
    ["0 0 13 * 0-6", "0 0 13 * *"],
    ["0 0 */1 * 1-5", "0 0 * * 1-5"],
    ["05 03 */2 * *", "5 3 */2 * *"],
    ["*/90 * 1-31 * 0-6", "*/90 * * * *"],
  ])("%s is %s there: a day field that is its whole range is *", (schedule, expected) => {
    expect(at(only(cronJob({ schedule })), "spec", "schedule")).toBe(expected);
  });

  it("[and-days] both day fields restricted is refused, unless accepted", () => {
    const manifest = cronJob({ schedule: "0 0 13 * 5" });
    expect(toKubernetes(manifest).objects).toEqual([]);
    expect(told(manifest)[0]).toBe("error kubernetes.and-days /schedule");
    const accepted = toKubernetes(manifest, { accept: ["kubernetes.and-days"] });
    expect(accepted.objects).toHaveLength(1);
    expect(accepted.diagnostics[0]).toMatchObject({ severity: "warning" });
  });

  it.each([
    ["Allow", "Allow", undefined],
    ["Replace", "Replace", undefined],
    ["Forbid", "Forbid", "kubernetes.policy /concurrencyPolicy"],
    ["Skip", "Forbid", "kubernetes.policy /concurrencyPolicy"],
  ])("policy %s is %s there", (concurrencyPolicy, expected, warning) => {
    const manifest = cronJob({ concurrencyPolicy });
    expect(at(only(manifest), "spec", "concurrencyPolicy")).toBe(expected);
    expect(told(manifest).includes("kubernetes.policy /concurrencyPolicy")).toBe(
      warning !== undefined,
    );
  });

  it("Skip starts nothing late", () => {
    expect(
      at(only(cronJob({ concurrencyPolicy: "Skip" })), "spec", "startingDeadlineSeconds"),
    ).toBe(10);
  });

  it.each([
    ["Queue", "Forbid"],
    ["Supersede", "Replace"],
  ])("policy %s is refused; %s stands for it when accepted", (concurrencyPolicy, nearest) => {
    const manifest = cronJob({ concurrencyPolicy });
    expect(toKubernetes(manifest).objects).toEqual([]);
    expect(told(manifest)).toContain("error kubernetes.policy /concurrencyPolicy");
    const object = only(manifest, { accept: ["kubernetes.policy"] });
    expect(at(object, "spec", "concurrencyPolicy")).toBe(nearest);
  });

  it("a backlog that is asked for is refused, one by default is warned about", () => {
    expect(told(cronJob({ missed: "All" }))).toContain("error kubernetes.backlog /missed");
    expect(told(cronJob({ missed: undefined, missedScheduleLimit: 5 }))).toContain(
      "error kubernetes.backlog /missedScheduleLimit",
    );
    expect(told(cronJob({ missed: undefined }))).toContain("kubernetes.backlog /schedule");
    expect(told(cronJob({ missed: "Latest" })).join()).not.toContain("backlog");
  });

  it("missed: None and deadlines become a starting deadline; under 10 s is refused", () => {
    const deadline = (fields: object) =>
      at(only(cronJob(fields)), "spec", "startingDeadlineSeconds");
    expect(deadline({ missed: "None" })).toBe(60);
    expect(deadline({ missed: "None", startingDeadlineSeconds: 30 })).toBe(30);
    expect(deadline({ startingDeadlineSeconds: 300 })).toBe(300);
    expect(deadline({})).toBeUndefined();
    expect(told(cronJob({ startingDeadlineSeconds: 5 }))).toContain(
      "error kubernetes.deadline /startingDeadlineSeconds",
    );
  });

  it("zones that change their clock and suspension are warned about", () => {
    const manifest = cronJob({ timezone: "Europe/Belgrade", suspended: true });
    expect(only(manifest).spec).toMatchObject({ timeZone: "Europe/Belgrade", suspend: true });
    expect(told(manifest)).toEqual(
      expect.arrayContaining([
        "kubernetes.daylight-saving /timezone",
        "kubernetes.resume /suspended",
      ]),
    );
    expect(told(cronJob({ dst: "Once", timezone: "Europe/Belgrade" }))).toContain(
      "kubernetes.daylight-saving /dst",
    );
  });
});

const HOME = { type: "directory", path: "/var/lib/mesh/kometa" };
const CONFIG = { type: "file", path: "/etc/mesh/kometa/config.yml", content: "a: 1\n" };

describe("a module", () => {
  it("is a ConfigMap, and for each container a Deployment, CronJob or Job", () => {
    const manifest = module(
      CONFIG,
      container({ name: "web" }),
      container({ schedule: "0 3 * * *" }),
      container({ name: "seed", "run-once": true }),
    );
    const { objects } = toKubernetes(manifest, { namespace: "media" });
    for (const object of objects) validate(object);
    expect(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`),
    ).toEqual([
      "ConfigMap media/kometa-files",
      "Deployment media/kometa-web",
      "CronJob media/kometa-sync",
      expect.stringMatching(/^Job media\/kometa-seed-[0-9a-f]{8}$/),
    ]);
  });

  it("a service has one pod at a time", () => {
    expect(only(module(container())).spec).toMatchObject({
      replicas: 1,
      strategy: { type: "Recreate" },
    });
  });

  it("a scheduled container skips, in UTC, and is not tried again", () => {
    const object = only(module(container({ schedule: "0 3 * * *" })));
    expect(object.spec).toMatchObject({
      timeZone: "UTC",
      concurrencyPolicy: "Forbid",
      startingDeadlineSeconds: 10,
    });
    expect(at(object, ...JOB_SPEC)).toMatchObject({ backoffLimit: 0 });
    expect(told(module(container({ schedule: "0 0 13 * 5" })))).toContain(
      "error kubernetes.and-days /resources/0/schedule",
    );
  });

  it("a run-once has a name for its content; what would wait for it is refused", () => {
    const once = container({ name: "seed", "run-once": true });
    const name = (fields: object) => only(module({ ...once, ...fields })).metadata.name;
    expect(name({})).toBe(name({}));
    expect(name({})).not.toBe(name({ environment: { A: "1" } }));
    const gated = module(once, container());
    expect(told(gated)).toContain("error kubernetes.gate /resources/0/run-once");
    expect(toKubernetes(gated, { accept: ["kubernetes.gate"] }).objects).toHaveLength(2);
    expect(told(module(container(), once)).join()).not.toContain("gate");
  });

  it("a directory is the claim that the caller names, and is refused without one", () => {
    const volumes = [{ source: "/var/lib/mesh/kometa/cache", target: "/cache" }];
    const manifest = module(HOME, container({ volumes }));
    expect(told(manifest)).toContain("error kubernetes.volume /resources/1/volumes/0/source");
    const object = only(manifest, { claims: { "/var/lib/mesh/kometa": "kometa-data" } });
    validate(object);
    expect(at(object, ...POD, "containers", 0, "volumeMounts")).toEqual([
      { name: "claim-kometa-data", mountPath: "/cache", readOnly: false, subPath: "cache" },
    ]);
    expect(at(object, ...POD, "volumes")).toEqual([
      { name: "claim-kometa-data", persistentVolumeClaim: { claimName: "kometa-data" } },
    ]);
  });

  it("a file is mounted where a container sees its directory", () => {
    const volumes = [{ source: "/etc/mesh/kometa", target: "/config", readOnly: true }];
    const directory = { type: "directory", path: "/etc/mesh/kometa" };
    const { objects, diagnostics } = toKubernetes(
      module(directory, CONFIG, container({ volumes })),
    );
    for (const object of objects) validate(object);
    expect(at(objects[0], "data")).toEqual({ "file-0": "a: 1\n" });
    expect(at(objects[1], ...POD, "containers", 0, "volumeMounts")).toEqual([
      { name: "files", mountPath: "/config/config.yml", subPath: "file-0", readOnly: true },
    ]);
    expect(diagnostics.map(({ code }) => code)).toContain("kubernetes.file");
  });

  it("the account is the user that the caller gives", () => {
    const object = only(module(container()), { user: { uid: 200_001, gid: 200_001 } });
    expect(at(object, ...POD, "securityContext")).toMatchObject({
      runAsUser: 200_001,
      runAsGroup: 200_001,
      fsGroup: 200_001,
      runAsNonRoot: true,
    });
    expect(told(module(container()))).toContain("kubernetes.account /account");
  });

  it("a name that is too long there is refused", () => {
    const name = "a".repeat(50);
    expect(told(module(container({ name, schedule: "0 3 * * *" })))).toContain(
      "error kubernetes.name /resources/0/name",
    );
    expect(told(module(container({ name: "a".repeat(60) })))).toContain(
      "error kubernetes.name /resources/0/name",
    );
  });
});

describe("names of a module's objects", () => {
  it("two containers whose objects would share a name are refused", () => {
    const manifest = module(container(), container({ name: "kometa-sync" }));
    expect(told(manifest)).toContain("error kubernetes.name /resources/1/name");
  });
});

describe("the schemas of Kubernetes", () => {
  it("refuse an object that is wrong, so that passing them says something", () => {
    const object = only(job());
    const broken = structuredClone(object);
    Object.assign(at(broken, "spec") as object, { backoffLimit: "2" });
    expect(() => validate(broken)).toThrow(/backoffLimit/);
    const without = structuredClone(object);
    Object.assign(at(without, "spec", "template", "spec") as object, { containers: undefined });
    expect(() => validate(without)).toThrow(/containers/);
  });
});
