import { randomUUID } from "node:crypto";
import { isScheduleStateError, parseScheduleState } from "@mesh/concurrency";
import type { AppliedResource, HostDeclaration } from "@mesh/declaration";
import type { Report } from "@mesh/protocol";
import Database from "better-sqlite3";
import { StartError } from "../start-error.ts";
import type { HeldTask, InstalledSchedule, Journal, LeaseDeadline, OpenRun } from "./journal.ts";

/** Raised by each change of the tables below. */
const FORMAT = 1;
/** Acknowledged reports that are kept for a look back. */
const KEPT_REPORTS = 5000;

const TABLES = `
CREATE TABLE entries (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE reports (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  body TEXT NOT NULL,
  acknowledged INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX reports_pending ON reports (seq) WHERE acknowledged = 0;
PRAGMA user_version = ${FORMAT};
`;

type Kind = "meta" | "applied" | "schedule" | "run" | "task" | "account";

/**
 * The journal in one SQLite file, or in memory for `:memory:`. It is on disk at each commit, and
 * held by one process alone: a second agent on the same folder is refused with a `StartError`.
 */
export function sqliteJournal(file: string): Journal {
  const database = open(file);
  const entries = createEntries(database);
  const reports = createReports(database, journalId(entries));
  const two = (module: string, container: string): string => `${module} ${container}`;
  return {
    transaction: (work) => database.transaction(work).immediate(),
    declaration: () => entries.get<HostDeclaration>("meta", "declaration"),
    setDeclaration: (declaration) => entries.put("meta", "declaration", declaration),
    appliedGeneration: () => entries.get<number>("meta", "appliedGeneration") ?? 0,
    setAppliedGeneration: (generation) => entries.put("meta", "appliedGeneration", generation),
    appliedModules: () => entries.all("applied").map(([module]) => module),
    applied: (module) => entries.get<readonly AppliedResource[]>("applied", module) ?? [],
    setApplied: (module, resources) => {
      if (resources.length === 0) entries.remove("applied", module);
      else entries.put("applied", module, resources);
    },
    schedules: () => entries.all<InstalledSchedule>("schedule").flatMap(([, one]) => readable(one)),
    schedule: (module, container) => {
      const found = entries.get<InstalledSchedule>("schedule", two(module, container));
      return found === undefined ? undefined : readable(found)[0];
    },
    putSchedule: (schedule) =>
      entries.put("schedule", two(schedule.module, schedule.resource.name), schedule),
    removeSchedule: (module, container) => entries.remove("schedule", two(module, container)),
    runs: () => entries.all<OpenRun>("run").map(([, run]) => run),
    putRun: (run) => entries.put("run", run.runId, run),
    removeRun: (runId) => entries.remove("run", runId),
    tasks: () => entries.all<HeldTask>("task").map(([, task]) => task),
    task: (taskId) => entries.get<HeldTask>("task", taskId),
    putTask: (task) => entries.put("task", task.taskId, task),
    removeTask: (taskId) => entries.remove("task", taskId),
    ...reports,
    acknowledge: (ids) => {
      const known = new Set(ids);
      database.transaction(() => {
        reports.acknowledge(ids);
        for (const [key, task] of entries.all<HeldTask>("task")) {
          if (task.endReportId === undefined || !known.has(task.endReportId)) continue;
          entries.put("task", key, { ...task, endAcknowledged: true });
        }
      })();
    },
    lease: () => entries.get<LeaseDeadline>("meta", "lease"),
    setLease: (lease) => entries.put("meta", "lease", lease),
    uid: (account) => entries.get<number>("account", account),
    accounts: () => new Map(entries.all<number>("account")),
    setUid: (account, uid) => entries.put("account", account, uid),
    close: () => database.close(),
  };
}

function open(file: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { timeout: 250 });
    database.pragma("locking_mode = EXCLUSIVE");
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    migrate(database);
    const found = database.pragma("quick_check(1)", { simple: true });
    if (found !== "ok") throw damaged(file, new Error(String(found)));
    return database;
  } catch (error) {
    database?.close();
    throw asStartError(file, error);
  }
}

function migrate(database: Database.Database): void {
  database
    .transaction(() => {
      const found = database.pragma("user_version", { simple: true }) as number;
      if (found > FORMAT) {
        throw new StartError(
          "data-dir.newer",
          `the journal was written by a newer agent (format ${found}, this one knows ${FORMAT})`,
          "start the agent of that version again, or give this one a data folder of its own",
        );
      }
      if (found === 0) database.exec(TABLES);
    })
    .immediate();
}

function asStartError(file: string, error: unknown): unknown {
  const code = (error as { code?: string }).code ?? "";
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new StartError(
      "data-dir.locked",
      `another agent holds ${file}`,
      "stop that agent, or give this one a data folder of its own",
      error,
    );
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return damaged(file, error);
  if (/^SQLITE_(FULL|IOERR)/.test(code)) {
    return new StartError(
      "data-dir.not-writable",
      `the journal ${file} cannot be read or written: ${(error as Error).message}`,
      "make room on its disk, and see that the disk is sound",
      error,
    );
  }
  if (!code.startsWith("SQLITE_CANTOPEN") && !code.startsWith("SQLITE_READONLY")) return error;
  return new StartError(
    "data-dir.not-writable",
    `the journal ${file} cannot be written`,
    "make the data folder writable for the agent, or name another one",
    error,
  );
}

function damaged(file: string, error: unknown): StartError {
  return new StartError(
    "data-dir.damaged",
    `the journal ${file} is damaged: ${(error as Error).message}`,
    "put a copy of the data folder back; without a journal, run-once steps are run again",
    error,
  );
}

function createEntries(database: Database.Database) {
  const get = database.prepare("SELECT body FROM entries WHERE kind = ? AND key = ?").pluck();
  const all = database.prepare("SELECT key, body FROM entries WHERE kind = ? ORDER BY key").raw();
  const put = database.prepare(
    `INSERT INTO entries VALUES (?, ?, ?)
      ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body`,
  );
  const remove = database.prepare("DELETE FROM entries WHERE kind = ? AND key = ?");
  return {
    get<T>(kind: Kind, key: string): T | undefined {
      const body = get.get(kind, key) as string | undefined;
      return body === undefined ? undefined : (JSON.parse(body) as T);
    },
    all<T>(kind: Kind): [string, T][] {
      const rows = all.all(kind) as [string, string][];
      return rows.map(([key, body]) => [key, JSON.parse(body) as T]);
    },
    put(kind: Kind, key: string, value: unknown): void {
      put.run(kind, key, JSON.stringify(value));
    },
    remove(kind: Kind, key: string): void {
      remove.run(kind, key);
    },
  };
}

/** Part of every report's id, so that a journal made anew never repeats the ids of the old one. */
function journalId(entries: ReturnType<typeof createEntries>): string {
  const found = entries.get<string>("meta", "journalId");
  if (found !== undefined) return found;
  const id = randomUUID().slice(0, 8);
  entries.put("meta", "journalId", id);
  return id;
}

type Reports = Pick<Journal, "addReport" | "pendingReports" | "acknowledge" | "records">;

function createReports(database: Database.Database, id: string): Reports {
  const add = database.prepare("INSERT INTO reports (body) VALUES (?)");
  const read = "SELECT seq, body FROM reports";
  const pending = database.prepare(`${read} WHERE acknowledged = 0 ORDER BY seq LIMIT ?`).raw();
  const every = database.prepare(`${read} ORDER BY seq`).raw();
  const acknowledge = database.prepare("UPDATE reports SET acknowledged = 1 WHERE seq = ?");
  const prune = database.prepare(
    `DELETE FROM reports WHERE acknowledged = 1
      AND seq <= (SELECT coalesce(max(seq), 0) FROM reports) - ${KEPT_REPORTS}`,
  );
  const revive = (rows: unknown[]): readonly Report[] =>
    (rows as [number, string][]).map(([seq, body]) => ({
      ...JSON.parse(body),
      id: `${id}-${seq}`,
    }));
  return {
    addReport: (report) => {
      const { lastInsertRowid } = add.run(JSON.stringify(report));
      return { ...report, id: `${id}-${lastInsertRowid}` } as Report;
    },
    pendingReports: (limit) => revive(pending.all(limit)),
    acknowledge: (ids) => {
      for (const one of ids) {
        const [owner, seq] = one.split("-");
        if (owner === id) acknowledge.run(Number(seq));
      }
      prune.run();
    },
    records: () => revive(every.all()),
  };
}

/**
 * What comes back from disk is checked, and brought to the present form (D9). A schedule that
 * cannot be read is as good as gone: the next apply installs it anew, and no other is held up.
 */
function readable(schedule: InstalledSchedule): readonly InstalledSchedule[] {
  try {
    return [{ ...schedule, state: parseScheduleState(schedule.state) }];
  } catch (error) {
    if (isScheduleStateError(error)) return [];
    throw error;
  }
}
