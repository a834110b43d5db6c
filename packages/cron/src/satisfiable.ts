import type { ParseResult } from "./diagnostic.ts";
import { bitsOf, type CronExpression } from "./expression.ts";
import { neverMatches } from "./findings.ts";
import { safeParseCron } from "./parse.ts";

/** Whether any date can ever match (C12), without a search: 30 February cannot. */
export function isSatisfiable(cron: CronExpression): boolean {
  return bitsOf(cron).possible;
}

/**
 * Like `safeParseCron`, but also refuses, with `cron.never`, an expression that no date can match:
 * what to ask before a schedule is stored (C12).
 */
export function admitCron(text: string): ParseResult<CronExpression> {
  const result = safeParseCron(text);
  const never = result.ok ? neverMatches(bitsOf(result.value)) : undefined;
  return never ? { ok: false, diagnostics: [never] } : result;
}
