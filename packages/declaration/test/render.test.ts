import { describe, expect, it } from "vitest";
import { type HostDeclaration, renderDeclaration, safeParseManifest } from "../src/index.ts";
import { asModule, container, DIGEST, DIRECTORY, IMAGE, parsedModule } from "./manifests.ts";

const ON_NODE = { node: "ams-1", generation: 7 };

function withoutHashes(declaration: HostDeclaration): unknown {
  return JSON.parse(JSON.stringify(declaration), (key, value) =>
    key === "hash" ? undefined : value,
  );
}

describe("renderDeclaration", () => {
  it("writes every default out and keeps the order (R3)", () => {
    const file = { type: "file", path: "/etc/mesh/kometa/config.yml", content: "cache: true\n" };
    const declaration = renderDeclaration([parsedModule(container(), DIRECTORY, file)], ON_NODE);
    expect(withoutHashes(declaration)).toEqual({
      v: 1,
      node: "ams-1",
      generation: 7,
      modules: [
        {
          module: "kometa",
          account: "mesh-kometa",
          resources: [
            {
              type: "container",
              name: "kometa-sync",
              account: "mesh-kometa",
              image: IMAGE,
              environment: {},
              volumes: [],
              resources: {},
              "run-once": false,
            },
            { type: "directory", path: DIRECTORY.path, mode: "0750", owner: "mesh-kometa" },
            { ...file, mode: "0640", owner: "mesh-kometa" },
          ],
        },
      ],
    });
  });

  it("names images in full, without a tag, with the registry in lower case (R3)", () => {
    const images = [
      `busybox:1.36@sha256:${DIGEST}`,
      `Example.COM/a/b@sha256:${DIGEST}`,
      `index.docker.io/busybox@sha256:${DIGEST}`,
    ];
    const rendered = images.map((image) => {
      const { modules } = renderDeclaration([parsedModule(container({ image }))], ON_NODE);
      const [resource] = modules[0]?.resources ?? [];
      return resource?.type === "container" ? resource.image : undefined;
    });
    expect(rendered).toEqual([
      `docker.io/library/busybox@sha256:${DIGEST}`,
      `example.com/a/b@sha256:${DIGEST}`,
      `docker.io/library/busybox@sha256:${DIGEST}`,
    ]);
  });

  it("[A53-03] with and without schedule differs in that field and its hash alone (R1, R3)", () => {
    const volumes = [
      { source: "/var/lib/mesh/kometa/a", target: "/a" },
      { source: "/var/lib/mesh/kometa/b", target: "/b", readOnly: true },
    ];
    const fields = { environment: { TZ: "Europe/Amsterdam" }, volumes };
    const schedule = "0 3 * * *";
    const [plain, scheduled] = [{}, { schedule }].map((extra) => {
      const parsed = parsedModule(DIRECTORY, container({ ...fields, ...extra }));
      return renderDeclaration([parsed], ON_NODE);
    });
    if (plain === undefined || scheduled === undefined) throw new Error("two were rendered");
    const marked = JSON.parse(JSON.stringify(withoutHashes(plain)));
    marked.modules[0].resources[1].schedule = schedule;
    expect(withoutHashes(scheduled)).toEqual(marked);
    expect(scheduled.modules[0]?.resources[0]).toEqual(plain.modules[0]?.resources[0]);
    expect(scheduled.modules[0]?.resources[1]?.hash).not.toBe(plain.modules[0]?.resources[1]?.hash);
  });

  it("[A53-05] a service and a scheduled container have the module's one account (R3)", () => {
    const manifest = parsedModule(
      container({ name: "kometa-web" }),
      container({ schedule: "0 3 * * *" }),
    );
    const { modules } = renderDeclaration([manifest], ON_NODE);
    expect(modules[0]?.account).toBe("mesh-kometa");
    const accounts = modules[0]?.resources.map((one) => one.type === "container" && one.account);
    expect(accounts).toEqual(["mesh-kometa", "mesh-kometa"]);
  });

  it("[A53-55] schedule reaches the host unchanged, also after JSON there and back (R3)", () => {
    const schedule = "*/05   3-4 * * 1-5";
    const parsed = safeParseManifest({
      module: "kometa",
      version: 1,
      resources: [container({ schedule })],
    });
    if (!parsed.ok) throw new Error("the manifest is good");
    const declaration = renderDeclaration([asModule(parsed.value)], ON_NODE);
    const again = JSON.parse(JSON.stringify(declaration)) as HostDeclaration;
    expect(again).toEqual(declaration);
    const [resource] = again.modules[0]?.resources ?? [];
    expect(resource?.type === "container" && resource.schedule).toBe(schedule);
  });

  it("gives equal amounts one spelling and so one hash (R5)", () => {
    const spellings = [
      { cpu: "0.5", memory: "1Gi" },
      { cpu: "500m", memory: "1024Mi" },
      { cpu: "5e-1", memory: "1073741824" },
    ];
    const rendered = spellings.map(
      (resources) => renderDeclaration([parsedModule(container({ resources }))], ON_NODE).modules,
    );
    expect(rendered[1]).toEqual(rendered[0]);
    expect(rendered[2]).toEqual(rendered[0]);
    const [resource] = rendered[0]?.[0]?.resources ?? [];
    expect(resource?.type === "container" && resource.resources).toEqual({
      cpu: "500m",
      memory: "1Gi",
    });
  });

  it("hashes content, not the order in which its keys were written", () => {
    const one = parsedModule(container({ environment: { A: "1", B: "2" } }));
    const two = parsedModule(container({ environment: { B: "2", A: "1" } }));
    const other = parsedModule(container({ environment: { A: "1", B: "3" } }));
    const [first, second, third] = [one, two, other].map(
      (manifest) => renderDeclaration([manifest], ON_NODE).modules[0]?.resources[0]?.hash,
    );
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it("puts modules in the order of their names and refuses one twice", () => {
    const kometa = parsedModule(container());
    const atlas = { ...kometa, module: "atlas" };
    const { modules } = renderDeclaration([kometa, atlas], ON_NODE);
    expect(modules.map(({ module }) => module)).toEqual(["atlas", "kometa"]);
    expect(() => renderDeclaration([kometa, kometa], ON_NODE)).toThrow(RangeError);
    expect(() => renderDeclaration([kometa], { node: "a", generation: -1 })).toThrow(RangeError);
  });
});
