import type { Decision } from "../../src/index.ts";
import { allOccurrences, baseOf } from "../ledger.ts";
import type { Local } from "./schedule-world.ts";

const MINUTE = 60_000;

/** The run that the explorer's one trigger creates. */
export const TRIGGERED = "tx";

/** The laws that one commit must keep, whatever else is under way (D11). */
export function checkLaws(local: Local, decision: Decision): void {
  const { outcomes, evidence, schedule } = decision;
  const policy = local.schedule.spec.concurrencyPolicy ?? "";
  const created = outcomes.flatMap((o) => (o.outcome === "create" ? [o.at] : []));
  const started = evidence.active.filter(({ status }) => status !== "stopping").length;
  demand((!local.deleted && !schedule.spec.suspended) || outcomes.length === 0, () => [
    "a schedule that is gone or suspended decides",
    decision,
  ]);
  demand(
    created.every((at) => at <= evidence.now),
    () => ["created ahead of time", decision],
  );
  if (created.length === 0) return;
  if (policy === "Forbid") demand(started === 0, () => ["Forbid overlaps", decision]);
  if (["Skip", "Queue", "Supersede"].includes(policy)) {
    demand(created.length === 1 && local.runs.length === 0, () => [`${policy} overlaps`, decision]);
  }
  if (policy === "Replace") {
    demand(decision.stopRunIds.length === started, () => ["Replace leaves one", decision]);
  }
}

/** The base never goes back, and every occurrence that it moves over is in the ledger by then. */
export function checkCovered(before: Local, after: Local): void {
  const [from, to] = [baseOf(before.schedule), baseOf(after.schedule)];
  demand(from <= to, () => ["the base goes back", before.schedule, after.schedule]);
  for (const at of allOccurrences(before.schedule, from, to)) {
    demand(after.rows[at / MINUTE - 1] !== "", () => ["an occurrence is lost", after.schedule]);
  }
  after.rows.forEach((row, i) => {
    demand(row === "" || (i + 1) * MINUTE <= to, () => ["decided ahead of the base", after.rows]);
  });
}

/** Nobody polls: whenever a decision would start, stop or skip something, the wake is due. */
export function checkWake(local: Local, decision: Decision): void {
  const { outcomes, ...rest } = decision;
  // A triggered run wakes nobody: it is asked to stop when the one before it has ended.
  const stopRunIds = rest.stopRunIds.filter((id) => id !== TRIGGERED);
  const acts = outcomes.some(({ outcome }) => outcome === "create" || outcome === "skip");
  if (!acts && stopRunIds.length === 0) return;
  const { wake } = local;
  demand(wake === "now" || (typeof wake === "number" && wake <= decision.evidence.now), () => [
    "a wake is lost",
    local,
    outcomes,
  ]);
}

export function demand(holds: boolean, facts: () => readonly unknown[]): void {
  if (!holds)
    throw new Error(
      facts()
        .map((fact) => JSON.stringify(fact))
        .join("\n"),
    );
}
