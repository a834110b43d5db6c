import Sqlite from "better-sqlite3";
import { Kysely, Migrator, SqliteDialect, type SqliteStatement } from "kysely";
import { StartError } from "../start-error.ts";
import { migrations } from "./migrations.ts";
import type { Database } from "./schema.ts";
import { ATTEMPTS, isConflict, type Store, type Topic } from "./store.ts";

/** Called before each statement is executed: counts them, or dies at one of them, in tests. */
export type StatementHook = (sql: string) => void;

/**
 * A store in one SQLite file, made and migrated where needed. Write-ahead log with a sync at each
 * commit, so that what was acknowledged outlives a power cut (S1).
 */
export async function openSqliteStore(options: {
  file: string;
  onStatement?: StatementHook | undefined;
}): Promise<Store> {
  const sqlite = openFile(options.file);
  // Migrations may be repeated, so they need no sync each; the first commit after them syncs all.
  sqlite.pragma("synchronous = NORMAL");
  sqlite.pragma("busy_timeout = 0");
  const prepare = cachedStatements(sqlite, options.onStatement);
  const dialect = new SqliteDialect({ database: { close: () => sqlite.close(), prepare } });
  const db = new Kysely<Database>({ dialect });
  try {
    await migrate(db);
    sqlite.pragma("synchronous = FULL");
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return storeOver(db);
}

function openFile(file: string): Sqlite.Database {
  const sqlite = new Sqlite(file, { timeout: 0 });
  try {
    sqlite.pragma("journal_mode = WAL");
    return sqlite;
  } catch (error) {
    sqlite.close();
    const code = codeOf(error);
    if (code !== "SQLITE_NOTADB" && !code.startsWith("SQLITE_CORRUPT")) throw error;
    const text = `${file} is damaged, or was not written by a server`;
    throw new StartError("data-dir.damaged", text, "restore it from a backup, or move it away");
  }
}

/** A statement for many rows at once is seldom met again, and its compiled form is large. */
const CACHED = { statements: 1_000, length: 4_096 };

/**
 * Statements by their text, compiled once. Every transaction here may write, so it takes the write
 * lock at its start: a lock that is taken halfway can fail where waiting no longer helps.
 */
function cachedStatements(sqlite: Sqlite.Database, hook: StatementHook | undefined) {
  const cache = new Map<string, SqliteStatement>();
  return (text: string): SqliteStatement => {
    const sql = text === "begin" ? "begin immediate" : text;
    let statement = cache.get(sql);
    if (statement === undefined) {
      statement = sqlite.prepare(sql) as unknown as SqliteStatement;
      if (cache.size < CACHED.statements && sql.length < CACHED.length) cache.set(sql, statement);
    }
    hook?.(sql);
    return statement;
  };
}

async function migrate(db: Kysely<Database>): Promise<void> {
  const provider = migrations({
    type: "integer",
    define: (column) => column.primaryKey().autoIncrement(),
  });
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error === undefined) return;
  if (error instanceof Error && /previously executed migration/.test(error.message)) {
    const message = "the data folder was written by a newer version";
    throw new StartError("data-dir.newer", message, "start that version, or a newer one", error);
  }
  throw error;
}

function storeOver(db: Kysely<Database>): Store {
  const listeners = new Set<(topics: ReadonlySet<Topic>) => void>();
  return {
    // The one connection is held, and one process has the file: nothing is written meanwhile.
    read: (work) => db.connection().execute(work),
    async write(work, { retryConflicts = true } = {}) {
      for (let attempt = 1; ; attempt += 1) {
        const topics = new Set<Topic>();
        try {
          const result = await db
            .transaction()
            .execute((trx) => work({ db: trx, touch: (topic) => topics.add(topic) }));
          if (topics.size > 0) for (const listener of listeners) listener(topics);
          return result;
        } catch (error) {
          if (attempt >= ATTEMPTS || !(isBusy(error) || (retryConflicts && isLost(error))))
            throw error;
          await new Promise((resolve) => setTimeout(resolve, attempt));
        }
      }
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => db.destroy(),
  };
}

/** A lost race: against a version, or a key that another writer took. */
function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return (
    isConflict(error) ||
    code === "SQLITE_CONSTRAINT_UNIQUE" ||
    code === "SQLITE_CONSTRAINT_PRIMARYKEY"
  );
}

/** Another connection holds the file's write lock at this moment. */
function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
