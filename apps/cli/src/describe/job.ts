import { explainJobReason } from "@mesh/jobs";
import type { EventView, JobView } from "@mesh/protocol";
import { attemptColumns, attemptsText } from "../columns.ts";
import type { Context } from "../context.ts";
import { printable } from "../paint.ts";
import { fieldLines, tableLines } from "../table.ts";
import { bothTexts, lengthText, utcText } from "../times.ts";
import { eventLines } from "./event.ts";
import { section } from "./section.ts";

/** A Job in full: what it is, its attempts, why it stands so, what it printed. */
export function jobLines(
  context: Context,
  view: JobView,
  { output, events }: { output: string | undefined; events: readonly EventView[] },
): readonly string[] {
  const { job } = view.state;
  const { paint, reader } = context;
  const both = (at: number | undefined) => (at === undefined ? undefined : bothTexts(at, reader));
  const attempts = view.state.tasks.map((task, index) => ({ attempt: index + 1, task }));
  return [
    ...fieldLines(
      [
        ["name", job.spec.name],
        ["namespace", job.namespace],
        ["id", job.id],
        ["status", job.status],
        ["why", whyText(view)],
        ["attempts", attemptsText(job)],
        ["last exit", job.lastExitCode],
        ["image", job.spec.image],
        ["command", job.spec.command?.map((word) => JSON.stringify(word)).join(" ")],
        ["schedule", view.origin?.scheduleName],
        ["occurrence", both(view.origin?.occurrenceAt)],
        ["created", both(job.createdAt)],
        ["ended", both(job.completedAt)],
        ["took", tookText(job.createdAt, job.completedAt)],
      ],
      paint,
    ),
    ...section("Attempts", tableLines(attempts, attemptColumns(reader), paint), paint),
    ...section("Output of the last attempt", outputLines(output), paint),
    ...section("What happened", eventLines(context, events), paint),
  ];
}

/** What a work printed, line by line, safe to show on a terminal. */
export function outputLines(output: string | undefined): readonly string[] {
  if (output === undefined || output === "") return [];
  return printable(output).replace(/\n$/, "").split("\n");
}

/** Why the Job stands where it does, as far as its own state tells. */
function whyText({ state: { job, tasks } }: JobView): string | undefined {
  switch (job.status) {
    case "failed":
      return job.reason === undefined ? undefined : explainJobReason(job.reason);
    case "cancelled":
      return job.deletedAt === undefined ? "it was cancelled" : "it was deleted";
    case "pending": {
      if (job.suspendedAt !== undefined) return "it is suspended";
      const live = tasks.at(-1);
      if (live?.notBefore !== undefined)
        return `its next attempt waits until ${utcText(live.notBefore)}`;
      return live?.nodeId === undefined
        ? "no node has taken it yet: none is ready, has room and matches its placement"
        : `node ${live.nodeId} has it and has not started it yet`;
    }
    case "running":
    case "succeeded":
      return undefined;
  }
}

function tookText(from: number, to: number | undefined): string | undefined {
  return to === undefined ? undefined : lengthText(to - from);
}
