import { describe, expect, it } from "vitest";
import { safeParseImageReference, safeParseManifest, safeParseQuantity } from "../src/index.ts";
import { canonicalText, readExact } from "../src/quantity.ts";
import { parseManifestYaml } from "../src/yaml.ts";
import { listCases, readCase, readRows } from "./case-files.ts";

interface BadRow {
  readonly file: string;
  readonly kind: string;
  readonly path: string;
  readonly line?: number;
  readonly col?: number;
}

const WARNINGS: Readonly<Record<string, readonly string[]>> = {
  "seed-cronjob.yaml": ["image.not-pinned", "quantity.memory-below-6Mi"],
  "and-dom-dow.yaml": ["cron.both-day-fields"],
  "schedule-star-step.yaml": ["cron.both-day-fields"],
  "norway-is-a-string-in-1.2.yaml": ["yaml.ambiguous-scalar"],
};

describe("good manifests", () => {
  it.each(listCases("manifests-good"))("%s parses with exactly its warnings (R4, R5)", (file) => {
    const { manifest, diagnostics } = parseManifestYaml(readCase(`manifests-good/${file}`));
    expect(manifest).toBeDefined();
    expect([...new Set(diagnostics.map(({ code }) => code))].sort()).toEqual(WARNINGS[file] ?? []);
    expect(diagnostics.every(({ severity }) => severity === "warning")).toBe(true);
    const again = safeParseManifest(JSON.parse(JSON.stringify(manifest)));
    expect(again.ok && again.value).toEqual(manifest);
  });
});

describe("bad manifests", () => {
  const rows = readRows<BadRow>("manifests-bad/index.jsonl");

  it("every bad file has its row", () => {
    expect(rows.map(({ file }) => file).sort()).toEqual([...listCases("manifests-bad")].sort());
  });

  it.each(rows)("$file is refused with $kind alone (R4)", ({ file, kind, path, line, col }) => {
    const { manifest, diagnostics } = parseManifestYaml(readCase(`manifests-bad/${file}`));
    expect(manifest).toBeUndefined();
    const places = diagnostics.map(({ code, severity, pointer, range }) => ({
      code,
      severity,
      pointer,
      ...(line === undefined ? {} : { line: range?.start.line }),
      ...(col === undefined ? {} : { column: range?.start.column }),
    }));
    expect(places).toEqual([
      {
        code: kind,
        severity: "error",
        pointer: path,
        ...(line === undefined ? {} : { line }),
        ...(col === undefined ? {} : { column: col }),
      },
    ]);
    expect(diagnostics[0]?.help).toMatch(/./);
  });
});

interface ImageRow {
  readonly id: string;
  readonly ref: string;
  readonly expect: "accept" | "refuse";
  readonly kind?: string;
  readonly canonical?: string;
}

describe("image references", () => {
  it.each(readRows<ImageRow>("image-refs.jsonl"))("$id: $expect $kind (R1)", (row) => {
    const parsed = safeParseImageReference(row.ref);
    if (row.expect === "accept") {
      expect(parsed.ok && parsed.value.canonical).toBe(row.canonical);
    } else if (row.kind === "image.not-pinned") {
      expect(parsed.ok).toBe(true);
      expect(parsed.ok && parsed.value).not.toHaveProperty("digest");
    } else {
      expect(parsed.ok ? [] : parsed.diagnostics.map(({ code }) => code)).toEqual([row.kind]);
    }
    const job = safeParseManifest({ name: "report", image: row.ref });
    expect(job.ok).toBe(row.expect === "accept" || row.kind === "image.not-pinned");
    const module = safeParseManifest({
      module: "kometa",
      version: 1,
      resources: [{ type: "container", name: "sync", image: row.ref }],
    });
    expect(module.ok ? [] : module.diagnostics.map(({ code }) => code)).toEqual(
      row.expect === "accept" ? [] : [row.kind],
    );
  });
});

interface Verdict {
  readonly expect: "accept" | "refuse";
  readonly kind?: string;
  readonly millicores?: number;
  readonly bytes?: number;
  readonly warn?: string;
}

interface QuantityRow {
  readonly id: string;
  readonly value: string;
  readonly canonical?: string;
  readonly nano?: string;
  readonly cpu: Verdict;
  readonly memory: Verdict;
}

describe("quantities", () => {
  const rows = readRows<QuantityRow>("quantities.jsonl");

  it.each(rows)("$id: $value as cpu (R5)", ({ value, canonical, cpu }) => {
    const parsed = safeParseQuantity(value, "cpu");
    if (cpu.expect === "accept") {
      expect(parsed.ok && parsed.value).toEqual({ millicores: cpu.millicores, canonical });
    } else {
      expect(parsed.ok ? [] : parsed.diagnostics.map(({ code }) => code)).toEqual([cpu.kind]);
    }
  });

  it.each(rows)("$id: $value as memory (R5)", ({ value, canonical, memory }) => {
    const parsed = safeParseQuantity(value, "memory");
    if (memory.expect === "accept") {
      expect(parsed.ok && parsed.value).toEqual({ bytes: memory.bytes, canonical });
      const warnings = parsed.ok ? parsed.warnings.map(({ code }) => code) : [];
      expect(warnings).toEqual(memory.warn === undefined ? [] : [memory.warn]);
    } else {
      expect(parsed.ok ? [] : parsed.diagnostics.map(({ code }) => code)).toEqual([memory.kind]);
    }
  });

  it.each(rows.filter(({ nano }) => nano !== undefined))(
    "$id: $value has its exact value and canonical text",
    ({ value, nano, canonical }) => {
      const exact = readExact(value, "cpu").value;
      expect(exact?.nano).toBe(BigInt(nano ?? ""));
      expect(exact && canonicalText(exact)).toBe(canonical);
    },
  );
});
