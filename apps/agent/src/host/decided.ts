import type { Decision, Interval } from "@mesh/concurrency";

/** Older intervals are forgotten: only a clock that goes back past so many gaps would tell. */
const KEPT_INTERVALS = 64;

/**
 * What a schedule ran or skipped, as intervals without a gap. The newest grows while decisions
 * follow one another; what expired or was passed over leaves a gap. So once a clock that was ahead
 * is set right, what was missed can still run, and nothing else comes due again (D9).
 */
export function extendDecided(
  decided: readonly Interval[],
  { outcomes, evidence }: Decision,
): readonly Interval[] {
  let next = decided;
  let through: number | undefined = evidence.baseAt;
  for (const outcome of outcomes) {
    if (outcome.outcome === "expire") through = undefined;
    if (outcome.outcome !== "create" && outcome.outcome !== "skip") continue;
    const span =
      outcome.outcome === "create"
        ? { firstAt: outcome.at, lastAt: outcome.at, count: 1, countIsExact: true }
        : spanOf(outcome);
    next = append(next, span, through);
    through = span.lastAt;
  }
  return next;
}

function append(
  decided: readonly Interval[],
  span: Interval,
  through: number | undefined,
): readonly Interval[] {
  const last = decided.at(-1);
  if (last === undefined || last.lastAt !== through) {
    return [...decided, span].slice(-KEPT_INTERVALS);
  }
  const grown = { ...last, lastAt: span.lastAt, count: last.count + span.count };
  return [...decided.slice(0, -1), grown];
}

function spanOf({ firstAt, lastAt, count, countIsExact }: Interval): Interval {
  return { firstAt, lastAt, count, countIsExact };
}
