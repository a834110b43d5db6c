import fc, { type Arbitrary } from "fast-check";
import { contentHash } from "./content-hash.ts";
import type { AppliedState, HostDeclaration } from "./declaration.ts";
import type {
  ContainerResource,
  CronJobManifest,
  DirectoryResource,
  FileResource,
  JobManifest,
  JobTemplate,
  Manifest,
  ModuleManifest,
  Volume,
} from "./manifest.ts";
import { renderDeclaration } from "./render.ts";

/** A record of which any part may be missing; what is missing is no key at all. */
function parts<T extends object, K extends keyof T>(
  model: { [P in keyof T]-?: Arbitrary<NonNullable<T[P]>> },
  requiredKeys: readonly K[],
): Arbitrary<T> {
  return fc.record(model, { requiredKeys: [...requiredKeys] }) as unknown as Arbitrary<T>;
}

const letters = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });

/** DNS labels that are not reserved: they begin with a letter no reserved name begins with. */
export function labels(maxLength = 12): Arbitrary<string> {
  return letters("abcdefghijklmnopqrstuvwxyz0123456789", 0, maxLength - 1).map((end) => `k${end}`);
}

/** Pinned image references, short and full, with and without a tag. */
export function pinnedImages(): Arbitrary<string> {
  const digest = letters("0123456789abcdef", 64, 64);
  const registry = fc.constantFrom("", "ghcr.io/", "localhost:5000/", "Example.COM/team/");
  const tag = fc.constantFrom("", ":1.2", ":latest");
  return fc
    .tuple(registry, labels(), tag, digest)
    .map(([host, name, version, hex]) => `${host}${name}${version}@sha256:${hex}`);
}

const field = (least: number, most: number): Arbitrary<string> => {
  const value = fc.integer({ min: least, max: most });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: 99 }).map((by) => `*/${by}`);
  return fc.oneof(fc.constant("*"), value.map(String), range, step);
};

/** Cron expressions that some date matches. */
export function schedules(): Arbitrary<string> {
  return fc
    .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6))
    .map((fields) => fields.join(" "));
}

const words = () =>
  fc.string({ unit: fc.constantFrom(..."abc XYZ0_:*#\n\t\"'\\{}é%$"), maxLength: 20 });

const environments = () =>
  fc.dictionary(letters("ABCdef_", 1, 8), words(), { maxKeys: 4, noNullPrototype: true });

const quantities = () =>
  parts<{ cpu?: string; memory?: string }, never>(
    {
      cpu: fc.integer({ min: 1, max: 64_000 }).map((millicores) => `${millicores}m`),
      memory: fc.integer({ min: 6, max: 4096 }).map((mebibytes) => `${mebibytes}Mi`),
    },
    [],
  );

const targets = (count: number): Arbitrary<readonly string[]> =>
  fc
    .uniqueArray(labels(), { minLength: count, maxLength: count })
    .map((names) => names.map((name) => `/data/${name}`));

function volumesOf(directories: readonly string[]): Arbitrary<readonly Volume[]> {
  if (directories.length === 0) return fc.constant([]);
  const model = { source: fc.constantFrom(...directories), readOnly: fc.boolean() };
  const volume = fc.record(model, { requiredKeys: ["source"] });
  return fc
    .tuple(fc.array(volume, { maxLength: 3 }), targets(3))
    .map(([chosen, names]) =>
      chosen.map((one, index) => ({ ...one, target: names[index] ?? "/data" })),
    );
}

type Run = Pick<ContainerResource, "run-once" | "schedule">;

const runs = () =>
  fc.oneof(
    fc.constant<Run>({}),
    fc.constant<Run>({ "run-once": true }),
    schedules().map((schedule): Run => ({ schedule })),
    schedules().map((schedule): Run => ({ "run-once": false, schedule })),
  );

/** Containers of a module that declares these directories. */
export function containers(
  name: string,
  directories: readonly string[],
): Arbitrary<ContainerResource> {
  const base = parts<ContainerResource, "type" | "name" | "image">(
    {
      type: fc.constant("container"),
      name: fc.constant(name),
      image: pinnedImages(),
      command: fc.array(words(), { minLength: 1, maxLength: 3 }),
      environment: environments(),
      volumes: volumesOf(directories),
      resources: quantities(),
      "run-once": fc.constant(false),
      schedule: schedules(),
    },
    ["type", "name", "image"],
  );
  return fc.tuple(base, runs()).map(([container, run]) => {
    const { "run-once": _, schedule: __, ...rest } = container;
    return { ...rest, ...run };
  });
}

const placeModel = (path: string, module: string) => ({
  path: fc.constant(path),
  mode: fc.constantFrom("0700", "0750", "0640", "0644", "0000"),
  owner: fc.constant(module),
});

const directoryAt = (path: string, module: string) =>
  parts<DirectoryResource, "type" | "path">(
    { type: fc.constant("directory"), ...placeModel(path, module) },
    ["type", "path"],
  );

const fileAt = (path: string, module: string) =>
  parts<FileResource, "type" | "path" | "content">(
    { type: fc.constant("file"), content: words(), ...placeModel(path, module) },
    ["type", "path", "content"],
  );

/** Valid modules; every field of every resource may be there or not. */
export function moduleManifests(module: Arbitrary<string> = labels()): Arbitrary<ModuleManifest> {
  const names = fc.uniqueArray(labels(), { maxLength: 6 });
  return fc.tuple(module, names, fc.boolean()).chain(([own, all, named]) => {
    const third = Math.ceil(all.length / 3);
    const paths = all.slice(0, third).map((name) => `/var/lib/mesh/${own}/${name}`);
    const files = all.slice(third, 2 * third).map((name) => `/etc/mesh/${own}/${name}`);
    const rest = all.slice(2 * third);
    return fc
      .tuple(
        fc.tuple(...paths.map((path) => directoryAt(path, own))),
        fc.tuple(...files.map((path) => fileAt(path, own))),
        fc.tuple(...rest.map((name) => containers(name, paths))),
      )
      .map(
        ([first, second, last]): ModuleManifest => ({
          kind: "Module",
          module: own,
          version: 1,
          ...(named ? { account: own } : {}),
          resources: [...first, ...second, ...last],
        }),
      );
  });
}

const seconds = () => fc.integer({ min: 1, max: 1_000_000 });

const backoffs = (): Arbitrary<NonNullable<JobTemplate["backoff"]>> => {
  const jitter = fc.constantFrom(0, 0.25, 1);
  return fc.oneof(
    fc.constant({ kind: "None" as const }),
    fc.record(
      { kind: fc.constant("Constant" as const), delaySeconds: seconds(), jitter },
      { requiredKeys: ["kind", "delaySeconds"] },
    ),
    fc.record(
      {
        kind: fc.constant("Exponential" as const),
        delaySeconds: seconds(),
        factor: fc.constantFrom(1, 1.5, 2),
        maxSeconds: seconds(),
        jitter,
      },
      { requiredKeys: ["kind", "delaySeconds"] },
    ),
  );
};

const failurePolicies = (): Arbitrary<NonNullable<JobTemplate["failurePolicy"]>> => {
  const action = fc.constantFrom("Fail" as const, "Ignore" as const, "Count" as const);
  const codes = fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 3 });
  const onExitCodes = fc.oneof(
    codes.map((list) => ({ in: list })),
    codes.map((list) => ({ notIn: list })),
  );
  const onReasons = fc.subarray(["nodeLost", "outOfMemory", "neverStarted"] as const, {
    minLength: 1,
  });
  const rule = fc.oneof(
    fc.record({ action, onExitCodes }),
    fc.record({ action, onReasons }),
    fc.record({ action, onExitCodes, onReasons }),
  );
  return fc.record(
    { rules: fc.array(rule, { maxLength: 3 }), maxIgnored: fc.nat(10_000) },
    { requiredKeys: ["rules"] },
  );
};

function templateModel() {
  const claim = fc.record({ claim: labels(), readOnly: fc.boolean() }, { requiredKeys: ["claim"] });
  const mounts = fc
    .tuple(fc.array(claim, { maxLength: 3 }), targets(3))
    .map(([claims, names]) =>
      claims.map((one, index) => ({ ...one, target: names[index] ?? "/data" })),
    );
  const secret = parts<{ name: string; key?: string }, "name">({ name: labels(), key: labels() }, [
    "name",
  ]);
  const operator = fc.constantFrom("equals" as const, "not_equals" as const);
  return {
    image: fc.oneof(pinnedImages(), fc.constant("busybox:1.36")),
    command: fc.array(words(), { minLength: 1, maxLength: 3 }),
    environment: environments(),
    resources: quantities(),
    secrets: fc.uniqueArray(secret, { maxLength: 3, selector: ({ name }) => name }),
    placement: fc.array(fc.record({ key: labels(), operator, value: labels() }), { maxLength: 3 }),
    volumeClaims: mounts,
    backoffLimit: fc.nat(10_000),
    backoff: backoffs(),
    activeDeadlineSeconds: seconds(),
    ttlSecondsAfterFinished: fc.nat(1_000_000),
    failurePolicy: failurePolicies(),
  };
}

/** Valid Jobs; every field may be there or not. */
export function jobManifests(): Arbitrary<JobManifest> {
  return parts<JobManifest, "kind" | "name" | "image">(
    { kind: fc.constant("Job"), name: labels(), ...templateModel() },
    ["kind", "name", "image"],
  );
}

const POLICIES = ["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"] as const;

/** Valid CronJobs; every field may be there or not. */
export function cronJobManifests(): Arbitrary<CronJobManifest> {
  return parts<CronJobManifest, "kind" | "name" | "schedule" | "jobTemplate">(
    {
      kind: fc.constant("CronJob"),
      name: labels(),
      schedule: schedules(),
      timezone: fc.constantFrom("UTC", "Europe/Belgrade", "Australia/Lord_Howe"),
      dst: fc.constantFrom("Literal", "Once"),
      concurrencyPolicy: fc.constantFrom(...POLICIES),
      missed: fc.constantFrom("All", "Latest", "None"),
      missedScheduleLimit: fc.nat(10_000),
      startingDeadlineSeconds: fc.nat(1_000_000),
      suspended: fc.boolean(),
      successfulJobsHistoryLimit: fc.nat(100),
      failedJobsHistoryLimit: fc.nat(100),
      jobTemplate: parts<JobTemplate, "image">(templateModel(), ["image"]),
    },
    ["kind", "name", "schedule", "jobTemplate"],
  );
}

/** Valid manifests of every kind. */
export function manifests(): Arbitrary<Manifest> {
  return fc.oneof(moduleManifests(), jobManifests(), cronJobManifests());
}

/** Declarations of up to three modules, drawn from few names so that two overlap. */
export function declarations(): Arbitrary<HostDeclaration> {
  const module = moduleManifests(fc.constantFrom("kone", "ktwo", "kthree"));
  return fc
    .uniqueArray(module, { maxLength: 3, selector: (one) => one.module })
    .map((modules) => renderDeclaration(modules, { node: "ams-1", generation: 1 }));
}

/** What a host may have recorded, of other declarations and unfinished steps too. */
export function appliedStates(): Arbitrary<AppliedState> {
  const type = fc.constantFrom("directory:/var/lib/mesh/", "file:/etc/mesh/", "container:");
  const resource = fc.record(
    {
      module: fc.constantFrom("kone", "ktwo", "kthree"),
      key: fc.tuple(type, labels(2)).map(([prefix, name]) => `${prefix}${name}`),
      hash: fc.nat(3).map((content) => contentHash(content)),
      ranOnceAt: fc.nat(),
      installedAt: fc.nat(),
    },
    { requiredKeys: ["module", "key", "hash"] },
  );
  return fc
    .uniqueArray(resource, { maxLength: 8, selector: ({ module, key }) => `${module} ${key}` })
    .map((resources) => ({ v: 1, generation: 0, resources }));
}
