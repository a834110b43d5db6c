import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { formatKubernetesYaml, type KubernetesObject, toKubernetes } from "../src/index.ts";
import { container, cronJob, job, module } from "./manifests.ts";

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

/** The object as kubectl's own types hold it: what they do not know is gone. No cluster is asked. */
function readBack(object: KubernetesObject): unknown {
  const local = ["set", "env", "--local", "-f", "-", "MESH_CHECK=1", "-o", "json"];
  const input = formatKubernetesYaml([object]);
  const { status, stdout, stderr } = spawnSync("kubectl", local, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout, (_, value) =>
    Array.isArray(value) ? value.filter((one) => one?.name !== "MESH_CHECK") : value,
  );
}

const FULL_JOB = job({
  command: ["sh", "-c", "echo $(id)"],
  environment: { COUNTRY: "NO", PORT: "0644", WHEN: "2026-10-13" },
  backoffLimit: 2,
  activeDeadlineSeconds: 60,
  ttlSecondsAfterFinished: 60,
  secrets: [{ name: "token", key: "value" }],
  placement: [{ key: "zone", operator: "equals", value: "ams" }],
  volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
  failurePolicy: { rules: [{ action: "Fail", onExitCodes: { in: [42] } }] },
});

const FULL_MODULE = module(
  { type: "directory", path: "/var/lib/mesh/kometa" },
  container({ volumes: [{ source: "/var/lib/mesh/kometa/a", target: "/a" }] }),
  container({ name: "nightly", schedule: "0 3 * * *" }),
  container({ name: "seed", "run-once": true }),
);

const objects = [
  ...toKubernetes(FULL_JOB).objects,
  ...toKubernetes(cronJob({ startingDeadlineSeconds: 60 }), { namespace: "media" }).objects,
  ...toKubernetes(FULL_MODULE, {
    user: { uid: 1000, gid: 1000 },
    claims: { "/var/lib/mesh/kometa": "data" },
  }).objects,
];

describe.skipIf(!hasKubectl)("kubectl", () => {
  it.each(objects)("knows every field of $kind $metadata.name", (object) => {
    // `false` is what readOnly is when it is left out.
    const written = JSON.parse(JSON.stringify(object).replaceAll(',"readOnly":false', ""));
    expect(readBack(object)).toMatchObject(written);
  });

  it("drops a field that it does not know, so that keeping all says something", () => {
    const [object] = objects;
    if (object === undefined) throw new Error("there are objects");
    const spec = { ...(object.spec as object), retries: 1 };
    expect(readBack({ ...object, spec })).not.toMatchObject({ spec });
  });
});
