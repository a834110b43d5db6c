import type { RunOnceRecord, RunRecord } from "@mesh/protocol";
import { minuteText, spanText } from "../instants.ts";
import type { NewEvent } from "../store/records.ts";

export function nodeEvent(
  node: string,
  type: string,
  predicate: string,
  data?: Record<string, unknown>,
): NewEvent {
  return {
    type,
    subject: { kind: "node", name: node },
    message: `Node ${node} ${predicate}`,
    ...(data === undefined ? {} : { data }),
  };
}

export function moduleEvent(module: string, type: string, predicate: string): NewEvent {
  return {
    type,
    subject: { kind: "module", name: module },
    message: `Module ${module} ${predicate}`,
  };
}

interface Place {
  readonly node: string;
  readonly module: string;
  readonly container: string;
}

/** What a host reported of a scheduled container (A3, A4). */
export function runEvent(place: Place, record: RunRecord): NewEvent {
  const data = { ...place, ...record };
  return containerEvent(place, `container.${record.outcome}`, runText(record), data);
}

function runText(record: RunRecord): string {
  switch (record.outcome) {
    case "started":
      return `starts its run of ${minuteText(record.occurrenceAt)}`;
    case "succeeded":
      return `succeeded in its run of ${minuteText(record.occurrenceAt)}`;
    case "failed":
      return `failed in its run of ${minuteText(record.occurrenceAt)}${failureText(record)}`;
    case "skipped": {
      const active = record.activeRunId === undefined ? "" : ` (${record.activeRunId} still runs)`;
      return `skips ${minuteText(record.occurrenceAt)}: ${record.reason}${active}`;
    }
    case "missed":
      return `missed ${spanText(record)}: ${record.reason}`;
  }
}

/** What a host reported of a run-once step (A5). */
export function stepEvent(place: Place, record: RunOnceRecord): NewEvent {
  const text =
    record.outcome === "succeeded"
      ? "succeeded as a run-once step"
      : `failed as a run-once step${failureText(record)}`;
  return containerEvent(place, `step.${record.outcome}`, text, { ...place, ...record });
}

function failureText(record: {
  readonly exitCode?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}): string {
  const code = record.exitCode === undefined ? "" : ` with code ${record.exitCode}`;
  const reason = record.reason === undefined ? "" : ` (${record.reason})`;
  const message = record.message === undefined ? "" : `: ${record.message}`;
  return code + reason + message;
}

function containerEvent(
  { node, module, container }: Place,
  type: string,
  predicate: string,
  data: Record<string, unknown>,
): NewEvent {
  const { output: _, ...told } = data;
  return {
    type,
    subject: { kind: "container", name: `${module}/${container}` },
    message: `Container ${container} of module ${module} on node ${node} ${predicate}`,
    data: told,
  };
}
