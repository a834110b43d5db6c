import { recordStep, resourceKey } from "@mesh/declaration";
import type { RunOnceRecord, RunRecord } from "@mesh/protocol";
import type { Clock } from "../clock.ts";
import type { Journal, NewReport, OpenRun } from "../journal/journal.ts";
import { isSuccess, type RunEnd } from "./outcome.ts";

/** What is known of an end beside its kind. */
export interface EndFacts {
  readonly finishedAt: number;
  readonly output: string | undefined;
}

/** Puts a run's end on record and takes its row away; for one commit, with what follows from it. */
export function recordEnd(
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  run: OpenRun,
  end: RunEnd,
  facts: EndFacts,
): void {
  journal.removeRun(run.runId);
  journal.addReport(endReport(run, end, facts, clock.now()));
  if (run.kind !== "runOnce" || !isSuccess(end)) return;
  // Done and known to be done, or neither: a step that succeeded is not run again (A5).
  const { module, account, resource } = run;
  const step = {
    module,
    account,
    key: resourceKey(resource),
    action: "runOnce",
    resource,
  } as const;
  const applied = { v: 1, generation: 0, resources: journal.applied(module) } as const;
  journal.setApplied(module, recordStep(applied, step, { at: facts.finishedAt }).resources);
}

/** Tells that a scheduled run goes on; a run-once step is told of by its end alone. */
export function startedReport(run: OpenRun, at: number): NewReport | undefined {
  const { occurrenceAt, startedAt, containerId, runId } = run;
  if (occurrenceAt === undefined || startedAt === undefined) return undefined;
  const record: RunRecord = {
    outcome: "started",
    runId,
    occurrenceAt,
    startedAt,
    ...(containerId === undefined ? {} : { containerId }),
  };
  return { kind: "run", at, module: run.module, container: run.resource.name, record };
}

function endReport(run: OpenRun, end: RunEnd, facts: EndFacts, at: number): NewReport {
  const { runId, module, occurrenceAt, startedAt, resource } = run;
  const place = { at, module, container: resource.name };
  const { finishedAt } = facts;
  const output = facts.output === undefined ? {} : { output: facts.output };
  const started = startedAt === undefined ? {} : { startedAt };
  const failed = failedPart(end);
  if (run.kind === "runOnce") {
    const record: RunOnceRecord = isSuccess(end)
      ? { outcome: "succeeded", runId, ...started, finishedAt, exitCode: 0, ...output }
      : { outcome: "failed", runId, ...started, finishedAt, ...failed, ...output };
    return { kind: "runOnce", ...place, record };
  }
  const common = { runId, occurrenceAt: occurrenceAt ?? 0 };
  const record: RunRecord =
    isSuccess(end) && startedAt !== undefined
      ? { outcome: "succeeded", ...common, startedAt, finishedAt, exitCode: 0, ...output }
      : { outcome: "failed", ...common, ...started, finishedAt, ...failed, ...output };
  return { kind: "run", ...place, record };
}

function failedPart(end: RunEnd) {
  const { kind: _, ...rest } = end;
  return rest;
}
