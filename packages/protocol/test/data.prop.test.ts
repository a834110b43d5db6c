import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  heartbeatRequestSchema,
  leaseSchema,
  pollAnswerSchema,
  pollRequestSchema,
  registerRequestSchema,
  reportsAnswerSchema,
  reportsRequestSchema,
} from "../src/index.ts";

const name = fc.string({ minLength: 1, maxLength: 40 });
const text = fc.string({ maxLength: 60 });
const instant = fc.nat();
const exitCode = fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 });
const maybe = { requiredKeys: [] as [] };

const taskReport = fc.oneof(
  fc.record({ status: fc.constantFrom("running", "healthy") }),
  fc.record({ status: fc.constant("stopped"), exitCode }),
  fc
    .record({ exitCode, reason: fc.constantFrom("nodeLost", "unknown"), message: text }, maybe)
    .map((rest) => ({ status: "failed", ...rest })),
  fc.record({ status: fc.constant("removed") }),
);
const report = fc.record({
  kind: fc.constant("task"),
  id: name,
  at: instant,
  taskId: name,
  report: taskReport,
});
const status = fc.record({
  generation: fc.nat(),
  applied: fc.boolean(),
  current: fc.boolean(),
  problems: fc.array(fc.record({ module: name, code: text, message: text })),
});
const assignment = fc.record({
  taskId: name,
  jobId: name,
  jobName: name,
  namespace: name,
  attempt: fc.integer({ min: 1, max: 10_001 }),
  desiredStatus: fc.constantFrom("running", "removed"),
  work: fc.record({ image: name, cpuMillicores: fc.nat(), memoryBytes: fc.nat() }),
});

const shapes: readonly [string, v.GenericSchema, fc.Arbitrary<object>][] = [
  [
    "register",
    registerRequestSchema,
    fc.record({
      node: name,
      labels: fc.dictionary(name, text),
      capacity: fc.record({ cpuMillicores: fc.nat(), memoryBytes: fc.nat() }),
      engine: fc.record({ kind: fc.constantFrom("docker", "podman", "raw-exec"), version: text }),
      agentVersion: text,
      zoneData: text,
    }),
  ],
  ["heartbeat", heartbeatRequestSchema, fc.record({ node: name, status })],
  ["poll", pollRequestSchema, fc.record({ node: name, revision: text })],
  ["reports", reportsRequestSchema, fc.record({ node: name, reports: fc.array(report) })],
  ["lease", leaseSchema, fc.record({ leaseSeconds: fc.nat(), serverVersion: text })],
  ["poll's answer", pollAnswerSchema, fc.record({ revision: text, tasks: fc.array(assignment) })],
  ["reports' answer", reportsAnswerSchema, fc.record({ acknowledged: fc.array(name) })],
];

describe("plain data", () => {
  it.each(shapes)(
    "%s: what the schema accepts comes out the same, also after JSON",
    (_, s, values) => {
      fc.assert(
        fc.property(values, (value) => {
          const parsed = v.parse(s, value);
          expect(parsed).toEqual(value);
          expect(v.parse(s, JSON.parse(JSON.stringify(parsed)))).toEqual(parsed);
        }),
      );
    },
  );

  it.each(shapes)("%s: an unknown member at the top is refused, never dropped", (_, s, values) => {
    const member = name.filter((key) => key !== "__proto__" && !(key in Object.prototype));
    fc.assert(
      fc.property(values, member, (value, key) => {
        fc.pre(!(key in value));
        const optional = ["revision", "generation", "declaration"].includes(key);
        expect(v.is(s, { ...value, [key]: null })).toBe(
          optional && key === "declaration" && s === pollAnswerSchema,
        );
      }),
    );
  });
});
