import { matchesCron, parseCron } from "@mesh/cron";
import type { CronJobManifest, Manifest } from "@mesh/declaration";
import { cronJobManifests, manifests, schedules } from "@mesh/declaration/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { escapeExpansion } from "../src/expansion.ts";
import { formatKubernetesYaml, toKubernetes } from "../src/index.ts";
import { at } from "./manifests.ts";
import { validate } from "./schemas.ts";

const ALL = {
  accept: [
    "kubernetes.and-days",
    "kubernetes.backlog",
    "kubernetes.deadline",
    "kubernetes.failure-policy",
    "kubernetes.gate",
    "kubernetes.policy",
  ],
  user: { uid: 1000, gid: 1000 },
};

function claimsOf(manifest: Manifest): Record<string, string> {
  if (manifest.kind !== "Module") return {};
  const directories = manifest.resources.filter((one) => one.type === "directory");
  return Object.fromEntries(directories.map(({ path }, index) => [path, `claim-${index}`]));
}

/** What Kubernetes makes of a text: `$$` is `$`, and `$(NAME)` without such a variable stays. */
function expand(text: string): string {
  return text.replace(/\$\$|\$\([^)]*\)/g, (part) => (part === "$$" ? "$" : `<${part}>`));
}

/** Days as robfig/cron reads them: AND when one of the fields begins with `*`, else OR. */
function matchesThere(schedule: string, at: Date): boolean {
  const fields = schedule.split(" ");
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const both = day.startsWith("*") || weekday.startsWith("*");
  const matches = (one: readonly string[]) => matchesCron(parseCron(one.join(" ")), at);
  if (both) return matches(fields);
  return matches([minute, hour, day, month, "*"]) || matches([minute, hour, "*", month, weekday]);
}

describe("toKubernetes", () => {
  it("every object of a valid manifest satisfies the schemas of Kubernetes", () => {
    fc.assert(
      fc.property(manifests(), (manifest) => {
        const { objects, diagnostics } = toKubernetes(manifest, {
          ...ALL,
          claims: claimsOf(manifest),
        });
        expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
        for (const object of objects) validate(object);
        for (const { code, pointer, help } of diagnostics) {
          expect(code).toMatch(/^kubernetes\.[a-z-]+$/);
          expect(pointer).toMatch(/^(\/|$)/);
          expect(help).toMatch(/./);
        }
      }),
    );
  });

  it("is plain data, and the same as YAML", () => {
    fc.assert(
      fc.property(manifests(), (manifest) => {
        const { objects } = toKubernetes(manifest, { ...ALL, claims: claimsOf(manifest) });
        expect(JSON.parse(JSON.stringify(objects))).toEqual(objects);
        for (const version of ["1.1", "1.2"] as const) {
          const documents = parseAllDocuments(formatKubernetesYaml(objects), { version });
          expect(documents.map((one: { toJS(): unknown }) => one.toJS())).toEqual(objects);
        }
      }),
    );
  });

  it("an error means no objects, and accepting a refusal makes it a warning", () => {
    fc.assert(
      fc.property(cronJobManifests(), (manifest) => {
        const strict = toKubernetes(manifest);
        const errors = strict.diagnostics.filter(({ severity }) => severity === "error");
        expect(strict.objects.length === 0).toBe(errors.length > 0);
        const accepted = toKubernetes(manifest, { accept: errors.map(({ code }) => code) });
        expect(accepted.objects).toHaveLength(1);
        expect(accepted.diagnostics.map(({ code }) => code)).toEqual(
          strict.diagnostics.map(({ code }) => code),
        );
      }),
    );
  });

  it("a schedule that is not refused fires on the same days there (C3)", () => {
    fc.assert(
      fc.property(schedules(), fc.nat(2_000), (schedule, days) => {
        const manifest: CronJobManifest = {
          kind: "CronJob",
          name: "report",
          schedule,
          jobTemplate: { image: "busybox:1.36" },
        };
        const [object] = toKubernetes(manifest).objects;
        if (object === undefined) return;
        const there = at(object, "spec", "schedule") as string;
        const cron = parseCron(schedule);
        const hour = cron.hour[0] ?? 0;
        const minute = cron.minute[0] ?? 0;
        const instant = new Date(Date.UTC(2026, 0, 1 + days, hour, minute));
        expect(matchesThere(there, instant)).toBe(matchesCron(cron, instant));
      }),
      { numRuns: 500 },
    );
  });

  it("a text reaches the process as it was written", () => {
    const text = fc.string({ unit: fc.constantFrom(..."$()aB "), maxLength: 12 });
    fc.assert(
      fc.property(text, (written) => {
        expect(expand(escapeExpansion(written))).toBe(written);
      }),
    );
  });
});
