import { describe, expect, it } from "vitest";
import { checkManifests } from "../checks/manifests.mjs";
import { plant } from "./planted-tree.ts";

const json = (value: unknown): string => JSON.stringify(value);
const cron = { name: "@mesh/cron", version: "0.1.0" };
const cli = { name: "@mesh/cli", version: "0.1.0" };

const messages = (files: Readonly<Record<string, string>>): string[] =>
  checkManifests(plant(files)).map(({ message }) => message);

describe("versions", () => {
  it.each(["^1.2.3", "~1.2.3", "1.x", "*", ">=1", "latest", "workspace:*"])(
    "%s is refused",
    (version) => {
      const files = { "package.json": json({ devDependencies: { vitest: version } }) };
      expect(messages(files)).toEqual([`vitest ${version} is no exact version`]);
    },
  );

  it("a dependency among ourselves names the version that is here", () => {
    const files = {
      "packages/cron/package.json": json(cron),
      "apps/cli/package.json": json({ ...cli, dependencies: { "@mesh/cron": "0.0.9" } }),
    };
    expect(messages(files)).toEqual(["@mesh/cron is 0.0.9; here it is 0.1.0"]);
  });

  it("a peer dependency may be a range", () => {
    const peers = { peerDependencies: { "fast-check": "^4.0.0" } };
    expect(messages({ "packages/cron/package.json": json({ ...cron, ...peers }) })).toEqual([]);
  });

  it("the lock file names no registry host", () => {
    const lock = '{\n"resolved": "https://registry.example/a.tgz"\n}';
    expect(messages({ "package-lock.json": lock })).toEqual([
      "the lock file names a registry host",
    ]);
  });
});

describe("imports", () => {
  const imports = (path: string, specifier: string, manifest: object): string[] =>
    messages({
      "package.json": json({ devDependencies: { vitest: "4.1.12" } }),
      "packages/cron/package.json": json(cron),
      "apps/cli/package.json": json({ ...cli, ...manifest }),
      [path]: `import { a } from "${specifier}";\n`,
    });

  it.each([
    ["apps/cli/src/main.ts", "@mesh/cron"],
    ["apps/cli/src/main.ts", "@mesh/cron/testing"],
    ["apps/cli/src/main.ts", "vitest"],
    ["apps/cli/test/main.test.ts", "left-pad"],
  ])("%s cannot import %s undeclared", (path, specifier) => {
    const [message] = imports(path, specifier, {});
    expect(message).toMatch(/^imports (@mesh\/cron|vitest|left-pad), which/);
  });

  it.each([
    ["apps/cli/src/main.ts", "@mesh/cron"],
    ["apps/cli/src/main.ts", "node:fs"],
    ["apps/cli/test/main.test.ts", "vitest"],
  ])("%s can import %s when it is declared", (path, specifier) => {
    expect(imports(path, specifier, { dependencies: { "@mesh/cron": "0.1.0" } })).toEqual([]);
  });
});
