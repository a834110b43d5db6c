import { describe, expect, it } from "vitest";
import {
  checkBound,
  renderDeclaration,
  safeParseDeclaration,
  safeParseManifest,
} from "../src/index.ts";
import { BOUND } from "./host-bound.ts";
import { container, DIRECTORY, IMAGE, parsedModule } from "./manifests.ts";

const JOB = { name: "report", image: IMAGE };
const declaration = renderDeclaration([parsedModule(DIRECTORY, container())], {
  node: "ams-1",
  generation: 1,
});

/** Codes and pointers of what a manifest is refused for. */
function refused(value: unknown): readonly string[] {
  const result = safeParseManifest(value);
  return result.ok ? [] : result.diagnostics.map(({ code, pointer }) => `${code} ${pointer}`);
}

/** Values of JavaScript that JSON does not carry whole. */
const NOT_PLAIN: readonly [string, object, string][] = [
  ["a Map", { environment: new Map([["A", "1"]]) }, "/environment"],
  ["a Date", { environment: new Date(0) }, "/environment"],
  ["a regular expression", { resources: /x/ }, "/resources"],
  ["an inherited member", { resources: Object.create({ cpu: "1" }) }, "/resources"],
  ["a symbol as key", { [Symbol("x")]: 1 }, ""],
  // biome-ignore lint/suspicious/noSparseArray: a hole is what is refused
  ["a list with a hole", { command: [, "a"] }, "/command"],
  ["a list with a member", { command: Object.assign(["a"], { x: 1 }) }, "/command"],
  ["a list of ten million holes", { command: new Array(10_000_000) }, "/command"],
];

describe("plain data (R4)", () => {
  it.each(NOT_PLAIN)("%s is refused at its place, never passed over", (_, fields, pointer) => {
    expect(refused({ ...JOB, ...fields })).toEqual([`shape.type ${pointer}`]);
  });

  it("a getter or a proxy that throws is refused and does not escape", () => {
    const thrower = () => {
      throw new Error("no");
    };
    const getter = Object.defineProperty({ ...JOB }, "command", { enumerable: true, get: thrower });
    const proxy = new Proxy({}, { ownKeys: thrower });
    expect(refused(getter)).toEqual(["shape.type /command"]);
    expect(refused(proxy)).toEqual(["shape.type "]);
    expect(checkBound(proxy, BOUND).map(({ code }) => code)).toEqual(["shape.type"]);
  });

  it("a map that is shared at every level costs a bounded time", () => {
    let shared: object = {};
    for (let level = 0; level < 30; level++) shared = { a: shared, b: shared };
    expect(refused({ ...JOB, environment: shared })).toEqual(["shape.too-large "]);
  });

  it("one value has one fault", () => {
    const fields = { activeDeadlineSeconds: Number.POSITIVE_INFINITY, backoffLimit: -1.5 };
    expect(refused({ ...JOB, ...fields })).toHaveLength(2);
  });
});

describe("a declaration of a hostile sender (R7)", () => {
  it("what is answered is what was checked, whatever a getter says the second time", () => {
    let reads = 0;
    const changing = {
      v: 1,
      node: "ams-1",
      generation: 1,
      get modules() {
        return reads++ === 0 ? declaration.modules : [];
      },
    };
    const result = safeParseDeclaration(changing, BOUND);
    expect(result).toMatchObject({ ok: true, value: declaration });
  });

  it("half a million wrong items are refused by the first", () => {
    const sent = { ...declaration, modules: new Array(520_000).fill(0) };
    expect(checkBound(sent, BOUND).map(({ pointer }) => pointer)).toEqual(["/modules/0"]);
  });
});
