import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  type Manifest,
  parseImageReference,
  parseQuantity,
  safeParseManifest,
} from "../src/index.ts";
import { manifests, pinnedImages } from "../src/testing.ts";
import { formatManifestYaml, parseManifestsYaml, parseManifestYaml } from "../src/yaml.ts";
import { listCases, readCase } from "./case-files.ts";
import { accepts } from "./schema-check.ts";

type Json = Record<string, unknown>;
type Path = readonly (string | number)[];

/** Paths to every map whose keys are the format's own. */
function maps(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null || path.at(-1) === "environment") return [];
  const nested = Object.entries(value).flatMap(([key, member]) =>
    maps(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return Array.isArray(value) ? nested : [path, ...nested];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, key) => (holder as Json)[key], value);
}

function pointer(path: Path): string {
  return path
    .map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

const strangeKeys = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "prototype",
    "",
    "a/b",
    "a~b",
    "privileged",
  ),
  fc.constantFrom("runOnce", "env", "timeZone", "backoff_limit", "Schedule", "metadata", "0"),
  fc.string({ maxLength: 12 }).map((text) => `x${text}`),
);

/** One random change of plain data: a member set, dropped, renamed or repeated. */
const changes = fc.record({
  where: fc.nat(),
  which: fc.nat(),
  kind: fc.constantFrom("set", "drop", "add"),
  key: strangeKeys,
  value: fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      "root",
      "../x",
      "/etc/passwd",
      "0 0 30 2 *",
      "busybox",
      "1Gi",
      "07777",
      -1,
      1e9,
    ),
  ),
});

function changed(
  manifest: Manifest,
  change: typeof changes extends fc.Arbitrary<infer T> ? T : never,
) {
  const copy = structuredClone(manifest) as unknown as Json;
  const places = maps(copy);
  const holder = at(copy, places[change.where % places.length] ?? []) as Json;
  const keys = Object.keys(holder);
  const key = keys[change.which % keys.length] ?? change.key;
  if (change.kind === "drop") delete holder[key];
  else {
    const name = change.kind === "set" ? key : change.key;
    const { value } = change;
    Object.defineProperty(holder, name, { value, enumerable: true, configurable: true });
  }
  return copy;
}

describe("parsing", () => {
  it("a valid manifest is its own parse, copied (R5)", () => {
    fc.assert(
      fc.property(manifests(), (manifest) => {
        const parsed = safeParseManifest(manifest);
        expect(parsed).toMatchObject({ ok: true });
        if (!parsed.ok) return;
        expect(parsed.value).toEqual(manifest);
        expect(parsed.value).not.toBe(manifest);
        expect(structuredClone(parsed.value)).toEqual(parsed.value);
        expect(JSON.parse(JSON.stringify(parsed.value))).toEqual(parsed.value);
      }),
    );
  });

  it("what is written as YAML is read back as the same manifest (R4)", () => {
    fc.assert(
      fc.property(manifests(), (manifest) => {
        const { manifest: read, diagnostics } = parseManifestYaml(formatManifestYaml(manifest));
        expect(read).toEqual(manifest);
        expect(diagnostics.filter(({ code }) => code.startsWith("yaml."))).toEqual([]);
      }),
    );
  });

  it("several manifests in one text are read in their order (R4)", () => {
    const several = fc.uniqueArray(manifests(), {
      minLength: 1,
      maxLength: 4,
      selector: (one) =>
        one.kind === "Module" ? `Module ${one.module}` : `${one.kind} ${one.name}`,
    });
    fc.assert(
      fc.property(several, (written) => {
        const text = written.map(formatManifestYaml).join("---\n");
        expect(parseManifestsYaml(text).manifests).toEqual(written);
        expect(parseManifestYaml(text).manifest === undefined).toBe(written.length > 1);
      }),
    );
  });

  it("an unknown key anywhere is refused with its path (R4)", () => {
    fc.assert(
      fc.property(manifests(), fc.nat(), strangeKeys, fc.jsonValue(), (good, where, key, value) => {
        const places = maps(good);
        const place = places[where % places.length] ?? [];
        const copy = structuredClone(good);
        Object.defineProperty(at(copy, place), key, { value, enumerable: true });
        const parsed = safeParseManifest(copy);
        const found = parsed.ok ? [] : parsed.diagnostics;
        expect(found.map((one) => one.pointer)).toEqual([pointer([...place, key])]);
        expect(found[0]?.code).toBe(key === "privileged" ? "bound.option" : "shape.unknown-key");
      }),
    );
  });

  it("what the JSON Schema refuses the parser refuses, and good manifests pass both (R6)", () => {
    const validate = accepts("manifest.json");
    fc.assert(
      fc.property(manifests(), fc.array(changes, { maxLength: 2 }), (good, list) => {
        const value = list.reduce(
          (one, change) => changed(one as Manifest, change),
          good as unknown,
        );
        const parsed = safeParseManifest(value);
        if (parsed.ok) expect(validate(value)).toBe(true);
        if (list.length === 0) expect(parsed.ok).toBe(true);
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 300) },
    );
  });

  it("changed manifests are taken whole or refused with a code, a place and a help (R4)", () => {
    fc.assert(
      fc.property(manifests(), fc.array(changes, { minLength: 1, maxLength: 3 }), (good, list) => {
        const value = list.reduce(
          (one, change) => changed(one as Manifest, change),
          good as unknown,
        );
        const parsed = safeParseManifest(value);
        if (parsed.ok) {
          expect(parsed.value).toEqual({ ...(value as Json), kind: parsed.value.kind });
          return;
        }
        expect(parsed.diagnostics.some(({ severity }) => severity === "error")).toBe(true);
        for (const { code, message, pointer: place, help } of parsed.diagnostics) {
          expect(code).toMatch(/^[a-z]+\.[a-zA-Z0-9-]+$/);
          expect(message).not.toBe("");
          expect(place).toMatch(/^(\/|$)/);
          expect(help).toMatch(/./);
        }
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 300) },
    );
  });
});

describe("values that are no plain data", () => {
  it("inherited members and cycles are refused (R4)", () => {
    const inherited = Object.create({ image: "busybox" });
    inherited.name = "report";
    const parsed = safeParseManifest(inherited);
    expect(parsed.ok ? [] : parsed.diagnostics.map(({ code }) => code)).toEqual(["shape.type"]);
    const cycle: Json = { name: "report", image: "busybox" };
    cycle.environment = cycle;
    const refused = safeParseManifest(cycle);
    expect(refused).toMatchObject({ ok: false, diagnostics: [{ code: "shape.too-deep" }] });
  });

  it("a key whose value is undefined is no key", () => {
    const written = { name: "report", image: "busybox", command: undefined };
    const parsed = safeParseManifest(written);
    expect(parsed.ok && Object.keys(parsed.value)).toEqual(["kind", "name", "image"]);
  });

  it("functions, dates, maps and symbols are refused where they stand (R4)", () => {
    for (const image of [() => "busybox", new Date(0), new Map(), Symbol("a"), 1n, Number.NaN]) {
      expect(safeParseManifest({ name: "report", image })).toMatchObject({
        ok: false,
        diagnostics: [{ code: "shape.type", pointer: "/image" }],
      });
    }
  });
});

describe("fuzzing YAML text", () => {
  const texts = ["manifests-good", "manifests-bad"]
    .flatMap((folder) => listCases(folder).map((file) => readCase(`${folder}/${file}`)))
    .filter((text) => text.length < 10_000);
  const pieces = [
    ..."\t\n\r :-*&!%@`\"'#{}[]|>?,~<\0\ufeff\u2028é0aN",
    "\n---\n",
    "<<: ",
    "!!str ",
    "&a ",
    "*a",
    "0x1",
    "\n    ",
  ];
  const edits = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    drop: fc.nat(6),
    insert: fc.array(fc.constantFrom(...pieces), { maxLength: 3 }).map((parts) => parts.join("")),
  });

  it("never crashes, ends quickly, and drops nothing of what it takes (R4)", () => {
    let slowest = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(edits, { minLength: 1, maxLength: 4 }),
        (text, list) => {
          const edited = list.reduce((one, { at: part, drop, insert }) => {
            const place = Math.floor(part * one.length);
            return one.slice(0, place) + insert + one.slice(place + drop);
          }, text);
          const before = performance.now();
          const { manifest, diagnostics } = parseManifestYaml(edited);
          slowest = Math.max(slowest, performance.now() - before);
          const errors = diagnostics.filter(({ severity }) => severity === "error");
          expect(manifest === undefined).toBe(errors.length > 0);
          if (manifest !== undefined) {
            expect(manifest).toEqual({
              ...parse(edited, { logLevel: "silent" }),
              kind: manifest.kind,
            });
          }
        },
      ),
      { numRuns: Number(process.env.FC_RUNS ?? 1000) },
    );
    expect(slowest).toBeLessThan(1000);
  });

  it("texts made to be slow are answered at once", () => {
    const long = (piece: string) => piece.repeat(Math.floor((256 * 1024) / piece.length));
    for (const piece of [
      "[",
      "{",
      "a: ",
      "- ",
      "&a ",
      "*a ",
      "? ",
      "!!a ",
      "'",
      '"',
      "|\n",
      "#\n",
      ":\n",
    ]) {
      expect(parseManifestYaml(long(piece)).manifest).toBeUndefined();
    }
    const image = `a/${"a-".repeat(400)}`;
    expect(safeParseManifest({ name: "a", image }).ok).toBe(false);
    expect(safeParseManifest({ name: "a", image: IMAGE_OF_DASHES }).ok).toBe(false);
  });
});

const IMAGE_OF_DASHES = `${"a".repeat(40)}${"-".repeat(900)}!`;

describe("values", () => {
  it("a canonical image reference is its own canonical form (R1)", () => {
    fc.assert(
      fc.property(pinnedImages(), (text) => {
        const { canonical, digest } = parseImageReference(text);
        const again = parseImageReference(canonical);
        expect(again.canonical).toBe(canonical);
        expect(again.digest).toBe(digest);
        expect(again.registry).toBeDefined();
      }),
    );
  });

  it("a canonical quantity has the value of the text it came from (R5)", () => {
    const amount = fc.tuple(
      fc.integer({ min: 1, max: 999_999 }),
      fc.constantFrom("Ki", "Mi", "", "k", "e3"),
    );
    fc.assert(
      fc.property(amount, ([number, suffix]) => {
        const { bytes, canonical } = parseQuantity(`${number}${suffix}`, "memory");
        expect(parseQuantity(canonical, "memory")).toEqual({ bytes, canonical });
      }),
    );
  });
});
