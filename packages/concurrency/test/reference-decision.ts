import { type ActiveRun, occurrenceName, type ScheduleState } from "../src/index.ts";
import { allOccurrences, baseOf } from "./ledger.ts";

/** What the rules say of every single occurrence: the oracle that decisions are held against. */
export interface Fates {
  /** `outcome reason` of each occurrence in (base, now]; without one where the limit cuts. */
  readonly of: ReadonlyMap<number, string>;
  readonly stops: readonly string[];
  readonly checkpoint: number | undefined;
}

/**
 * D2 to D8 read one after another, one occurrence at a time, with everything enumerated: no jumps,
 * no intervals, no sharing with the implementation but the names of runs.
 */
export function referenceDecision(
  state: ScheduleState,
  active: readonly ActiveRun[],
  now: number,
  namesInUse: readonly string[] = [],
): Fates {
  const { spec, heldAt } = state;
  const policy = spec.concurrencyPolicy ?? "Allow";
  const of = new Map<number, string>();
  let due = spec.suspended ? [] : [...allOccurrences(state, baseOf(state), now)];
  const expire = (passed: readonly number[], reason: string): void => {
    for (const at of passed) of.set(at, `expire ${reason}`);
    due = due.filter((at) => !passed.includes(at));
  };
  const deadline = spec.startingDeadlineSeconds;
  if (deadline !== undefined) {
    expire(
      due.filter((at) => now - at > deadline * 1000),
      "deadline",
    );
  }
  const waits = policy === "Supersede" && heldAt !== undefined;
  if (spec.missed === "Latest") expire(due.slice(0, -1), "missed");
  if (spec.missed === "None" && !waits) {
    expire(
      due.filter((at) => now - at >= 60_000),
      "missed",
    );
  }
  const limit = (spec.missedScheduleLimit ?? 0) > 0 ? (spec.missedScheduleLimit as number) : 100;
  if (policy === "Supersede") {
    for (const at of due.slice(0, -1)) of.set(at, "supersede newerDue");
    due = due.slice(-1);
  } else due = due.slice(0, limit);
  const stops = judge(policy, active, due, of, (at) =>
    namesInUse.includes(occurrenceName(spec.name, at)),
  );
  return { of, stops, checkpoint: checkpointOf(state, of) };
}

function judge(
  policy: string,
  active: readonly ActiveRun[],
  due: readonly number[],
  of: Map<number, string>,
  isTaken: (at: number) => boolean,
): readonly string[] {
  const started = active.filter(({ status }) => status !== "stopping").map(({ id }) => id);
  const counted = ["Allow", "Forbid", "Replace"].includes(policy) ? started : active;
  const isBusy = counted.length > 0;
  let held = false;
  let created = 0;
  due.forEach((at, i) => {
    if (held) of.set(at, policy === "Queue" && isBusy ? "hold queued" : "hold afterHeld");
    else if (policy === "Forbid" && isBusy) of.set(at, "hold activeRun");
    else if (policy === "Skip" && isBusy) of.set(at, "skip activeRun");
    else if (policy === "Skip" && i > 0) of.set(at, "skip olderStarted");
    else if (policy === "Queue" && isBusy) of.set(at, "hold activeRun");
    else if (policy === "Queue" && i > 0) of.set(at, "hold queued");
    else if (isTaken(at)) of.set(at, "hold nameTaken");
    else if (policy === "Supersede" && isBusy) of.set(at, "hold activeRun");
    else {
      of.set(at, "create due");
      created += 1;
    }
    if (policy !== "Forbid" && of.get(at)?.startsWith("hold")) {
      held = policy !== "Queue" || isBusy || of.get(at) === "hold nameTaken";
    }
  });
  if (policy === "Replace" && created > 0) return started;
  const waits = policy === "Supersede" && due.some((at) => of.get(at) === "hold activeRun");
  return waits ? started : [];
}

/** The last final occurrence that no held one precedes (D9). */
function checkpointOf(state: ScheduleState, of: ReadonlyMap<number, string>): number | undefined {
  let checkpoint = state.lastScheduleAt;
  for (const [at, fate] of [...of].sort(([a], [b]) => a - b)) {
    if (fate.startsWith("hold")) break;
    checkpoint = at;
  }
  return checkpoint;
}
