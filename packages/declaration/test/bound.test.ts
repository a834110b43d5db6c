import { describe, expect, it } from "vitest";
import { contentHash } from "../src/content-hash.ts";
import {
  checkBound,
  type HostBound,
  renderDeclaration,
  safeParseDeclaration,
} from "../src/index.ts";
import { readRows } from "./case-files.ts";
import { BOUND } from "./host-bound.ts";
import { container, DIRECTORY, IMAGE, parsedModule } from "./manifests.ts";

type Json = Record<string, unknown>;

/** A resource as a sender would complete it: defaults where the row is silent, and its hash. */
function completed(resource: Json): Json {
  const defaults: Json =
    resource.type === "file" || resource.type === "directory"
      ? { owner: "mesh-kometa" }
      : resource.type === "container"
        ? { environment: {}, volumes: [], resources: {}, "run-once": false }
        : {};
  const volumes = (resource.volumes as Json[] | undefined)?.map((volume) => ({
    readOnly: false,
    ...volume,
  }));
  const content = { ...defaults, ...resource, ...(volumes === undefined ? {} : { volumes }) };
  return { ...content, hash: contentHash(content) };
}

const HOME = completed({ ...DIRECTORY, mode: "0750" });

function send(...resources: readonly Json[]): Json {
  return {
    v: 1,
    node: "ams-1",
    generation: 3,
    modules: [{ module: "kometa", account: "mesh-kometa", resources: [HOME, ...resources] }],
  };
}

function codes(declaration: unknown, bound: HostBound = BOUND): readonly string[] {
  return checkBound(declaration, bound).map(({ code }) => code);
}

interface BoundRow {
  readonly id: string;
  readonly where: "decl" | "fs" | "link";
  readonly code: string;
  readonly what: string;
  readonly resource: Json;
}

const rows = readRows<BoundRow>("host-bound.jsonl");
const SCHEDULED = { account: "mesh-kometa", ...container() };

describe("checkBound", () => {
  it.each(rows.filter(({ where }) => where === "decl"))("$id: $what → $code (R7)", (row) => {
    expect(codes(send(completed(row.resource)))).toEqual([row.code]);
  });

  it("allows what the renderer makes of a good module (R3, R7)", () => {
    const volumes = [{ source: DIRECTORY.path, target: "/config" }];
    const manifest = parsedModule(
      DIRECTORY,
      { type: "file", path: "/etc/mesh/kometa/a", content: "a" },
      container({ volumes, schedule: "0 3 * * *", resources: { cpu: "1", memory: "64Mi" } }),
      container({ name: "seed", "run-once": true }),
    );
    const declaration = renderDeclaration([manifest], { node: "ams-1", generation: 1 });
    expect(checkBound(declaration, BOUND)).toEqual([]);
    expect(safeParseDeclaration(declaration, BOUND)).toEqual({
      ok: true,
      value: declaration,
      warnings: [],
    });
  });

  it("bound-63: an unknown format version is declaration.format (R7)", () => {
    expect(codes({ ...send(), v: 2 })).toEqual(["declaration.format"]);
    expect(codes({ ...send(), v: "1" })).toEqual(["declaration.format"]);
  });

  it("bound-65: roots, registries and limits in a declaration are bound.change (R7)", () => {
    for (const word of ["roots", "registries", "limits", "maximum", "rawExec", "accountRange"]) {
      expect(codes({ ...send(), [word]: {} })).toEqual(["bound.change"]);
    }
  });

  it("bound-66: more scheduled containers than the host takes are schedule.flood (R7)", () => {
    const many = Array.from({ length: 21 }, (_, index) =>
      completed({ ...SCHEDULED, name: `poll-${index}`, schedule: "* * * * *" }),
    );
    expect(codes(send(...many))).toEqual(["schedule.flood"]);
    expect(codes(send(...many.slice(1)))).toEqual([]);
  });

  it("another node, another module's account, and one module twice are refused (R7)", () => {
    expect(codes(send(), { ...BOUND, node: "fra-1" })).toEqual(["declaration.wrong-host"]);
    expect(codes(send(), { ...BOUND, node: "ams-1" })).toEqual([]);
    const [module] = send().modules as Json[];
    expect(codes({ ...send(), modules: [{ ...module, account: "mesh-vault" }] })).toEqual([
      "account.not-scoped",
    ]);
    expect(codes({ ...send(), modules: [module, module] })).toEqual(["name.duplicate"]);
    expect(codes({ ...send(), modules: [{ ...module, module: "mesh-x" }] })).toEqual([
      "account.reserved",
    ]);
  });

  it("an owner that is not the module's account is refused (R7)", () => {
    for (const owner of ["root", "kometa", "mesh-vault", "0"]) {
      const file = { type: "file", path: "/etc/mesh/kometa/a", mode: "0640", content: "", owner };
      expect(codes(send(completed(file)))).toEqual(["account.not-scoped"]);
    }
  });

  it("what exceeds the host's ceilings is bound.maximum (R7)", () => {
    const maximum = { ...BOUND.maximum, resources: 1, fileBytes: 3, memory: 1000, cpu: 100 };
    const tight = { ...BOUND, maximum };
    const file = { type: "file", path: "/etc/mesh/kometa/a", mode: "0640" };
    expect(codes(send(completed({ ...file, content: "" })), tight)).toEqual(["bound.maximum"]);
    const wide = { ...tight, maximum: { ...maximum, resources: 9 } };
    expect(codes(send(completed({ ...file, content: "äö" })), wide)).toEqual(["bound.maximum"]);
    const resources = { cpu: "101m", memory: "1001" };
    expect(codes(send(completed({ ...SCHEDULED, resources })), wide)).toEqual([
      "bound.maximum",
      "bound.maximum",
    ]);
  });

  it("a hash that does not stand for its content is declaration.hash (R7)", () => {
    const sent = completed({ ...SCHEDULED, schedule: "0 3 * * *" });
    expect(codes(send(sent))).toEqual([]);
    expect(codes(send({ ...sent, schedule: "0 4 * * *" }))).toEqual(["declaration.hash"]);
  });

  it("[A53-52] the host judges the schedule itself and refuses the whole (R7)", () => {
    const sent = (fields: Json) => codes(send(completed({ ...SCHEDULED, ...fields })));
    expect(sent({ schedule: "0 24 * * *" })).toEqual(["cron.range"]);
    expect(sent({ schedule: "0 3 * * *; reboot" })).toEqual(["cron.fields"]);
    expect(sent({ schedule: "$(id) * * * *" })).toEqual(["cron.syntax"]);
    expect(sent({ schedule: "@reboot" })).toEqual(["cron.macro"]);
    expect(sent({ "run-once": true, schedule: "0 3 * * *" })).toEqual(["run.exclusive"]);
  });

  it("[A53-53] raw-exec is refused wherever a declaration asks for it (R7)", () => {
    expect(codes({ ...send(), rawExec: true })).toEqual(["bound.change"]);
    expect(codes({ ...send(), "raw-exec": true })).toEqual(["bound.change"]);
    const [module] = send().modules as Json[];
    expect(codes({ ...send(), modules: [{ ...module, rawExec: true }] })).toHaveLength(1);
    expect(codes(send(completed({ ...SCHEDULED, "raw-exec": true })))).toHaveLength(1);
    expect(codes(send(completed({ ...SCHEDULED, driver: "raw-exec" })))).toHaveLength(1);
    expect(codes(send(completed({ ...SCHEDULED, image: "" })))).toEqual(["shape.empty"]);
  });

  it("[A53-07] command, exec and run are no resource types for a host either (R2, R7)", () => {
    for (const type of ["command", "exec", "run", "timer"]) {
      expect(codes(send({ type, name: "x", exec: ["sh"] }))).toEqual(["bound.shape"]);
    }
  });

  it("[A53-04] an image by tag sent straight to the host is refused (R7)", () => {
    const image = IMAGE.replace(/@.*/, ":latest");
    const sent = completed({ ...SCHEDULED, image, schedule: "0 3 * * *" });
    expect(codes(send(sent))).toEqual(["image.not-pinned"]);
  });

  it("an image that is not written in full is image.unqualified (R7)", () => {
    const digest = IMAGE.replace(/^.*@/, "");
    for (const image of [`busybox@${digest}`, `ghcr.io/acme/kometa:1@${digest}`]) {
      const any = { ...BOUND, registries: undefined };
      expect(codes(send(completed({ ...SCHEDULED, image })), any)).toEqual(["image.unqualified"]);
    }
  });

  it("an inherited member is refused, for no JSON has one (R7)", () => {
    expect(codes(Object.assign(Object.create({ zzz: 1 }), send()))).toEqual(["shape.type"]);
  });

  it("what is no declaration at all is refused, not thrown at the caller", () => {
    for (const value of [undefined, null, 1, "x", [], {}, { v: 1 }, { modules: null }]) {
      expect(codes(value).length).toBeGreaterThan(0);
    }
  });
});
