import { describe, expect, it } from "vitest";
import { installProblem, nodeProblem } from "../bootstrap.mjs";
import { childEnvironment } from "../child-process.mjs";

const locked = {
  packages: {
    "": {},
    "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
    "node_modules/@mesh/cron": { resolved: "packages/cron", link: true },
    "node_modules/for-windows": { version: "1.0.0", optional: true },
  },
};
const installed = (changes: Record<string, unknown> = {}) => {
  const { "": _root, "node_modules/for-windows": _other, ...rest } = locked.packages;
  return { packages: { ...rest, ...changes } };
};

describe("the version of Node.js", () => {
  it.each([
    ["v20.19.0", undefined],
    ["v20.20.2", undefined],
    ["v24.0.0", undefined],
    ["v20.18.9", "Mesh needs Node.js >=20.19; this is v20.18.9."],
    ["v18.20.0", "Mesh needs Node.js >=20.19; this is v18.20.0."],
  ])("%s against 20.19: %s", (version, problem) => {
    expect(nodeProblem(version, ">=20.19")).toBe(problem);
  });
});

describe("what is installed", () => {
  it("matches when only packages for other platforms are absent", () => {
    expect(installProblem(locked, installed())).toBeUndefined();
  });

  it.each([
    ["nothing is installed", undefined, "nothing is installed yet"],
    [
      "another version",
      installed({ "node_modules/a": { version: "1.0.1", integrity: "sha512-a" } }),
      "node_modules/a differs in its version",
    ],
    [
      "other content",
      installed({ "node_modules/a": { version: "1.0.0", integrity: "sha512-b" } }),
      "node_modules/a differs in its integrity",
    ],
    [
      "a copy where a link belongs",
      installed({ "node_modules/@mesh/cron": { version: "0.1.0" } }),
      "node_modules/@mesh/cron differs in its version",
    ],
    ["one too many", installed({ "node_modules/b": {} }), "node_modules/b is no longer wanted"],
  ])("does not match with %s", (_name, found, problem) => {
    expect(installProblem(locked, found)).toBe(problem);
  });

  it("does not match without a package that every platform needs", () => {
    const { "node_modules/a": _gone, ...packages } = installed().packages;
    expect(installProblem(locked, { packages })).toBe("node_modules/a is missing");
  });
});

it("a child npm sees nothing that an outer npm run set", () => {
  const outer = {
    PATH: "/bin",
    npm_config_loglevel: "silent",
    npm_lifecycle_event: "start",
    npm_package_name: "mesh",
    npm_execpath: "/npm.js",
  };
  const inner = childEnvironment(outer);
  expect(Object.keys(inner).filter((name) => name.startsWith("npm_"))).toEqual([]);
  expect(inner).toMatchObject({ PATH: "/bin" });
});
