import type { Diagnostic } from "@mesh/cron";
import { ScheduleStateError } from "./errors.ts";
import type { Evidence } from "./evidence.ts";
import { findContradictions } from "./invariants.ts";
import { specShape } from "./schedule-spec.ts";
import type { ScheduleState } from "./schedule-state.ts";
import {
  type Check,
  flag,
  instant,
  listOf,
  objectOf,
  oneOf,
  problem,
  scalarOr,
  text,
  wholeNumber,
} from "./shape.ts";

const count: Check = (value, pointer, problems) =>
  wholeNumber(1, Number.MAX_SAFE_INTEGER)(value, pointer, problems);

function stateShape(): Check {
  return objectOf(
    { v: oneOf([1]), uid: text, spec: specShape(), generation: count, createdAt: instant },
    { lastScheduleAt: instant, effectiveFrom: instant, heldAt: instant },
  );
}

function evidenceShape(): Check {
  const status = oneOf(["pending", "running", "stopping"]);
  const interval = objectOf({ firstAt: instant, lastAt: instant, count, countIsExact: flag });
  return objectOf(
    {
      v: oneOf([1]),
      rules: oneOf([1]),
      zoneData: text,
      schedule: stateShape(),
      active: listOf(objectOf({ id: text, status }, { occurrenceAt: instant })),
      now: instant,
      baseAt: instant,
      due: listOf(instant),
      truncated: flag,
    },
    {
      expired: interval,
      superseded: interval,
      nextAt: instant,
      namesInUse: listOf(text),
      decided: listOf(scalarOr(instant, interval)),
    },
  );
}

/**
 * A schedule's state as it came back from a database, checked (older versions are migrated; 1 is
 * the first). Throws a `ScheduleStateError` with every problem and its pointer; an unknown `v`
 * names the versions that are known.
 */
export function parseScheduleState(value: unknown): ScheduleState {
  return parseStored<ScheduleState>("schedule", value, stateShape());
}

/**
 * Stored evidence, checked as {@link parseScheduleState} checks a state, and for contradictions
 * between its facts. What it returns can be given to `replayDecision`.
 */
export function parseEvidence(value: unknown): Evidence {
  return parseStored<Evidence>("evidence", value, evidenceShape(), findContradictions);
}

function parseStored<T>(
  what: string,
  value: unknown,
  shape: Check,
  contradictions?: (value: T, problems: Diagnostic[]) => void,
): T {
  const problems: Diagnostic[] = [];
  const { v } = Object(value) as { v?: unknown };
  // The shape of a version that is not known cannot be judged: say that, and only that.
  if (typeof v === "number" && v !== 1) {
    problem(
      problems,
      "version.unsupported",
      "/v",
      `version ${v} is not known: this release knows 1`,
      {
        found: String(v),
        allowed: ["1"],
      },
    );
  } else shape(value, "", problems);
  if (problems.length === 0) contradictions?.(value as T, problems);
  if (problems.length > 0) throw new ScheduleStateError(what, problems);
  // Plain and finite throughout by now: the copy shares nothing, and has no `undefined` members.
  return JSON.parse(JSON.stringify(value)) as T;
}
