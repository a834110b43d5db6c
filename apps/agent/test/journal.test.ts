import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Journal, NewReport, OpenRun } from "../src/journal/journal.ts";
import { sqliteJournal } from "../src/journal/sqlite-journal.ts";
import { isStartError } from "../src/start-error.ts";

let folder: string;
let file: string;
let journal: Journal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-journal-"));
  file = join(folder, "journal.sqlite");
  journal = sqliteJournal(file);
});

afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const reopen = (): void => {
  journal.close();
  journal = sqliteJournal(file);
};

const report = (taskId: string): NewReport => ({
  kind: "task",
  at: 1,
  taskId,
  report: { status: "running" },
});

const codeOf = (open: () => unknown): string => {
  try {
    open();
    return "opened";
  } catch (error) {
    return isStartError(error) ? error.code : String(error);
  }
};

describe("the journal", () => {
  it("holds what was written when it is opened again (A7)", () => {
    const run = { runId: "r1", phase: "starting" } as unknown as OpenRun;
    const declaration = { v: 1, node: "n1", generation: 3, modules: [] } as const;
    journal.setDeclaration(declaration);
    journal.setAppliedGeneration(3);
    journal.setApplied("kometa", [{ module: "kometa", key: "file:/x", hash: "h" }]);
    journal.putRun(run);
    journal.putTask({ taskId: "t1", phase: "running", containerId: "c1" });
    journal.setLease({ epoch: "boot", elapsedMs: 5 });
    journal.setUid("mesh-kometa", 200_007);
    reopen();
    expect(journal.declaration()).toEqual(declaration);
    expect(journal.appliedGeneration()).toBe(3);
    expect(journal.appliedModules()).toEqual(["kometa"]);
    expect(journal.applied("kometa")).toHaveLength(1);
    expect(journal.runs()).toEqual([run]);
    expect(journal.task("t1")).toMatchObject({ phase: "running" });
    expect(journal.lease()).toEqual({ epoch: "boot", elapsedMs: 5 });
    expect(journal.uid("mesh-kometa")).toBe(200_007);
  });

  it("gives each report an id of its own, the same at every repetition (A8)", () => {
    const ids = ["t1", "t2", "t3"].map((taskId) => journal.addReport(report(taskId)).id);
    expect(new Set(ids).size).toBe(3);
    reopen();
    expect(journal.pendingReports(10).map(({ id }) => id)).toEqual(ids);
    expect(journal.pendingReports(2).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    journal.acknowledge([ids[1] ?? ""]);
    expect(journal.pendingReports(10).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect(journal.records().map(({ id }) => id)).toEqual(ids);
    expect(journal.addReport(report("t4")).id).not.toBe(ids[2]);
  });

  it("made anew never repeats an id of the one before (A8)", () => {
    const { id } = journal.addReport(report("t1"));
    journal.close();
    rmSync(file);
    journal = sqliteJournal(file);
    expect(journal.addReport(report("t1")).id).not.toBe(id);
    journal.acknowledge([id]);
    expect(journal.pendingReports(10)).toHaveLength(1);
  });

  it("marks a task's end as known with the report's acknowledgement, in one commit (A8)", () => {
    const { id } = journal.addReport(report("t1"));
    journal.putTask({ taskId: "t1", phase: "ended", endReportId: id });
    journal.acknowledge(["other-1"]);
    expect(journal.task("t1")).not.toHaveProperty("endAcknowledged");
    journal.acknowledge([id]);
    expect(journal.task("t1")).toMatchObject({ endAcknowledged: true });
  });

  it("takes a transaction back as a whole when it throws", () => {
    expect(() =>
      journal.transaction(() => {
        journal.putTask({ taskId: "t1", phase: "starting" });
        journal.addReport(report("t1"));
        throw new Error("half-way");
      }),
    ).toThrow("half-way");
    expect(journal.tasks()).toEqual([]);
    expect(journal.pendingReports(10)).toEqual([]);
  });

  it("keeps the newest acknowledged reports only, and every pending one", () => {
    const first = journal.addReport(report("first"));
    journal.transaction(() => {
      for (let index = 0; index < 5100; index += 1) journal.addReport(report(`t${index}`));
    });
    const ids = journal.pendingReports(6000).map(({ id }) => id);
    journal.acknowledge(ids.slice(1));
    expect(journal.records().length).toBe(5001);
    expect(journal.pendingReports(1)[0]?.id).toBe(first.id);
  });

  it("that is damaged, at its beginning or in the middle, is told in words one can act on", () => {
    for (let index = 0; index < 200; index += 1) journal.addReport(report(`t${index}`));
    journal.close();
    const whole = readFileSync(file);
    for (const from of [0, 4096 * 2, 4096 * 4]) {
      const bytes = Buffer.from(whole);
      bytes.fill(0x5a, from, from + 4096);
      writeFileSync(file, bytes);
      expect(
        codeOf(() => sqliteJournal(file)),
        `from ${from}`,
      ).toBe("data-dir.damaged");
    }
    writeFileSync(file, whole);
    journal = sqliteJournal(file);
  });

  it("is held by one agent alone, and refused when a newer one wrote it", () => {
    expect(codeOf(() => sqliteJournal(file))).toBe("data-dir.locked");
    journal.close();
    const raw = new Database(file);
    raw.pragma("user_version = 99");
    raw.close();
    expect(codeOf(() => sqliteJournal(file))).toBe("data-dir.newer");
    expect(codeOf(() => sqliteJournal(join(folder, "none", "journal.sqlite")))).not.toBe("opened");
    rmSync(file);
    journal = sqliteJournal(file);
  });
});
