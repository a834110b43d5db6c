import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  heartbeatRequestSchema,
  pollRequestSchema,
  registerRequestSchema,
  reportSchema,
  reportsRequestSchema,
  taskAssignmentSchema,
} from "../src/index.ts";

const accepts = (schema: v.GenericSchema, value: unknown): boolean => v.is(schema, value);

const task = (report: object): unknown => ({ kind: "task", id: "r1", at: 1, taskId: "t1", report });
const run = (record: object): unknown => ({
  kind: "run",
  id: "r1",
  at: 1,
  module: "kometa",
  container: "kometa-sync",
  record,
});
const began = { runId: "x", occurrenceAt: 60_000, startedAt: 60_001 };

describe("reports (A8)", () => {
  it.each([
    ["running", task({ status: "running", containerId: "c1" })],
    ["healthy", task({ status: "healthy" })],
    ["stopped with its code", task({ status: "stopped", exitCode: 0 })],
    ["failed without a code", task({ status: "failed", reason: "outOfMemory" })],
    ["a code of unsigned 32 bits", task({ status: "stopped", exitCode: 0xffff_ffff })],
    ["removed", task({ status: "removed" })],
    ["a run that starts", run({ outcome: "started", ...began })],
    ["a run that succeeded", run({ outcome: "succeeded", ...began, finishedAt: 9, exitCode: 0 })],
    ["a run that failed", run({ outcome: "failed", ...began, finishedAt: 9, exitCode: 17 })],
    ["a skip", run({ outcome: "skipped", occurrenceAt: 1, activeRunId: "x", reason: "activeRun" })],
    [
      "missed ones",
      run({ outcome: "missed", firstAt: 1, lastAt: 2, count: 2, countIsExact: true, reason: "m" }),
    ],
  ])("%s is accepted", (_, report) => {
    expect(accepts(reportSchema, report)).toBe(true);
  });

  it.each([
    ["stopped without a code", task({ status: "stopped" })],
    ["an unknown status", task({ status: "exited", exitCode: 0 })],
    ["an unknown member", task({ status: "removed", code: 1 })],
    ["a code that no system has", task({ status: "stopped", exitCode: 2 ** 33 })],
    ["a fractional code", task({ status: "stopped", exitCode: 0.5 })],
    ["an unknown reason", task({ status: "failed", reason: "bad luck" })],
    ["a success that did not exit with 0", run({ ...began, outcome: "succeeded", exitCode: 1 })],
    ["an instant before 1970", { ...(task({ status: "removed" }) as object), at: -1 }],
    ["an empty id", { ...(task({ status: "removed" }) as object), id: "" }],
    ["an unknown kind", { kind: "note", id: "r1", at: 1 }],
  ])("%s is refused", (_, report) => {
    expect(accepts(reportSchema, report)).toBe(false);
  });

  it("at most 500 go in one request", () => {
    const many = (count: number) => ({
      node: "a",
      reports: Array.from({ length: count }, () => task({ status: "removed" })),
    });
    expect(accepts(reportsRequestSchema, many(500))).toBe(true);
    expect(accepts(reportsRequestSchema, many(501))).toBe(false);
  });

  it("a text of more than 4096 characters is refused, not cut", () => {
    const failed = (message: string) => task({ status: "failed", message });
    expect(accepts(reportSchema, failed("x".repeat(4096)))).toBe(true);
    expect(accepts(reportSchema, failed("x".repeat(4097)))).toBe(false);
  });
});

describe("requests of an agent", () => {
  const register = {
    node: "a",
    labels: { zone: "ams" },
    capacity: { cpuMillicores: 4000, memoryBytes: 8_000_000_000 },
    engine: { kind: "docker", version: "29.1" },
    agentVersion: "1.0.0",
    zoneData: "2026f",
  };

  it("register, heartbeat and poll are accepted as documented", () => {
    const status = {
      generation: 3,
      applied: true,
      current: false,
      problems: [{ module: "kometa", key: "container:web", code: "gate", message: "exit 1" }],
    };
    expect(accepts(registerRequestSchema, register)).toBe(true);
    expect(accepts(heartbeatRequestSchema, { node: "a", status })).toBe(true);
    expect(accepts(pollRequestSchema, { node: "a" })).toBe(true);
    expect(accepts(pollRequestSchema, { node: "a", revision: "7", generation: 3 })).toBe(true);
  });

  it.each([
    ["an unknown member", { ...register, admin: true }],
    ["an unknown engine", { ...register, engine: { kind: "rkt", version: "1" } }],
    ["a capacity below nothing", { ...register, capacity: { cpuMillicores: -1, memoryBytes: 1 } }],
    ["a label that is no text", { ...register, labels: { zone: 1 } }],
  ])("%s is refused", (_, request) => {
    expect(accepts(registerRequestSchema, request)).toBe(false);
  });
});

describe("a task as its node is told of it (J2, J12)", () => {
  const assignment = {
    taskId: "t1",
    jobId: "j1",
    jobName: "report",
    namespace: "default",
    attempt: 1,
    desiredStatus: "running",
    work: { image: "busybox:1", cpuMillicores: 100, memoryBytes: 1 },
  };

  it("what is not asked for may be absent", () => {
    expect(accepts(taskAssignmentSchema, assignment)).toBe(true);
  });

  it("attempts are counted from 1", () => {
    expect(accepts(taskAssignmentSchema, { ...assignment, attempt: 0 })).toBe(false);
  });
});
