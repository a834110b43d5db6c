import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
export const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });

/** How work is tried again. */
export const policy = { backoffLimit: 3, backoff: { kind: "Constant", delaySeconds: 60 } } as const;

/** How long an instance may take for an attempt before it is thought dead. */
export const leaseMs = 600_000;

/** Done once or twice, it leaves one row behind: its key is the run's id, the same at each try. */
export async function work(runId: string): Promise<void> {
  await sql`INSERT INTO mails VALUES (${runId}) ON CONFLICT DO NOTHING`.execute(db);
}
