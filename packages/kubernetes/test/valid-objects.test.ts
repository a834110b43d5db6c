import { describe, expect, it } from "vitest";
import { toKubernetes } from "../src/index.ts";
import { at, container, cronJob, job, module, only, told } from "./manifests.ts";

const HOME = "/var/lib/mesh/kometa";
const directory = { type: "directory", path: HOME };
const mounted = (target: string) => container({ volumes: [{ source: HOME, target }] });

describe("what the API server would refuse is told before", () => {
  it("a colon in a target is refused", () => {
    const claims = [{ claim: "data", target: "/data:ro" }];
    expect(told(job({ volumeClaims: claims }))).toContain("error kubernetes.volume /volumeClaims");
    const options = { claims: { [HOME]: "data" } };
    expect(told(module(directory, mounted("/a:b")), options)).toContain(
      "error kubernetes.volume /resources/1/volumes",
    );
  });

  it("two places that are one are refused", () => {
    const file = { type: "file", path: `${HOME}/a`, content: "" };
    const below = { type: "directory", path: `${HOME}/b` };
    const volumes = [
      { source: HOME, target: "/c" },
      { source: `${HOME}/b`, target: "/c/a" },
    ];
    const manifest = module(directory, file, below, container({ volumes }));
    expect(told(manifest, { claims: { [HOME]: "data" } })).toContain(
      "error kubernetes.volume /resources/3/volumes",
    );
  });

  it("a claim's name may have dots, its volume's may not", () => {
    const manifest = module(directory, mounted("/data"));
    const pod = (claim: string) =>
      at(only(manifest, { claims: { [HOME]: claim } }), "spec", "template", "spec", "volumes");
    expect(pod("data.fast")).toMatchObject([
      { name: "volume-0", persistentVolumeClaim: { claimName: "data.fast" } },
    ]);
    expect(pod("data")).toMatchObject([{ name: "claim-data" }]);
    expect(told(manifest, { claims: { [HOME]: "Data_1" } })).toContain(
      "error kubernetes.name /resources/1/volumes/0/source",
    );
  });

  it("a namespace is a label, and a user's ids are whole numbers", () => {
    expect(told(job(), { namespace: "Team A" })).toContain("error kubernetes.name ");
    expect(() => toKubernetes(job(), { user: { uid: -1, gid: 0 } })).toThrow(RangeError);
    expect(() => toKubernetes(job(), { user: { uid: 0, gid: 0.5 } })).toThrow("user.gid");
  });

  it.each([
    ["too large", [4_294_967_295]],
    ["too many", Array.from({ length: 256 }, (_, code) => code + 1)],
  ])("exit codes that are %s are refused", (_, codes) => {
    const failurePolicy = { rules: [{ action: "Fail", onExitCodes: { in: codes } }] };
    expect(told(job({ backoffLimit: 1, failurePolicy }))).toContain(
      "error kubernetes.failure-policy /failurePolicy/rules/0/onExitCodes",
    );
  });

  it.each(["Latest", "None"])("a limit means nothing beside missed: %s (D8)", (missed) => {
    expect(told(cronJob({ missed, missedScheduleLimit: 50 }))).toEqual(told(cronJob({ missed })));
  });

  it("a ConfigMap is measured in bytes", () => {
    const content = "€".repeat(400_000);
    const file = { type: "file", path: "/etc/mesh/kometa/a", content };
    expect(told(module(file))).toContain("error kubernetes.config-size /resources");
  });
});
