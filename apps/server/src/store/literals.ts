import { sql } from "kysely";

/**
 * Conditions of partial indexes, written as literals: against a bound parameter no planner can
 * tell that the index holds every row it is asked for.
 */
export const ONE = sql.lit(1);
export const READY = sql.lit("ready");

/** Statuses of a Job that holds its name (J2), as `jobs_active_name` has them. */
export const ACTIVE = [sql.lit("pending"), sql.lit("running")];
