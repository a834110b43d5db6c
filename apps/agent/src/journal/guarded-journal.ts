import type { Journal } from "./journal.ts";

/**
 * The journal, with every failure of its own told to `onFailure` before it is thrown: whoever calls
 * may wait and try again, but an agent whose records fail must not go on. What the work inside a
 * transaction throws by itself is not the journal's.
 */
export function guardedJournal(journal: Journal, onFailure: (error: unknown) => void): Journal {
  const guarded = (key: keyof Journal) => {
    return (...given: never[]): unknown => {
      try {
        return (journal[key] as (...all: never[]) => unknown)(...given);
      } catch (error) {
        if (key !== "transaction" || isStorageError(error)) onFailure(error);
        throw error;
      }
    };
  };
  const keys = Object.keys(journal) as (keyof Journal)[];
  return Object.fromEntries(keys.map((key) => [key, guarded(key)])) as unknown as Journal;
}

function isStorageError(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith("SQLITE_");
}
