import type { Task } from "@mesh/jobs";
import { explainJobReason } from "@mesh/jobs";
import type { EventView, JobView } from "@mesh/protocol";
import { attemptsText, statusColour } from "../columns.ts";
import type { Context } from "../context.ts";
import { printable } from "../paint.ts";
import type { Column } from "../table.ts";
import { fieldLines, tableLines } from "../table.ts";
import type { Clockface } from "../times.ts";
import { lengthText, localText, utcText } from "../times.ts";
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
  const both = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : `${utcText(at)} (${localText(at, reader)})`;
  const attempts = attemptsOf(view);
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

/** One task of a Job with its number: the tasks of a Job are its attempts, in order (J4). */
interface Attempt {
  readonly attempt: number;
  readonly task: Task;
}

function attemptsOf({ state }: JobView): readonly Attempt[] {
  return state.tasks.map((task, index) => ({ attempt: index + 1, task }));
}

/** What a work printed, line by line, safe to show on a terminal. */
export function outputLines(output: string | undefined): readonly string[] {
  if (output === undefined || output === "") return [];
  return printable(output).replace(/\n$/, "").split("\n");
}

const attemptColumns = (reader: Clockface): readonly Column<Attempt>[] => [
  { title: "ATTEMPT", text: ({ attempt }) => attempt },
  { title: "NODE", text: ({ task }) => task.nodeId },
  {
    title: "STATUS",
    text: ({ task }) => task.actualStatus,
    colour: ({ task }) => statusColour(task.actualStatus),
  },
  { title: "EXIT", text: ({ task }) => task.exitCode },
  {
    title: "REASON",
    text: ({ task: { failureReason } }) =>
      failureReason === undefined ? undefined : explainJobReason(failureReason),
  },
  { title: "STARTED", text: ({ task }) => at(task.startedAt, reader) },
  { title: "FINISHED", text: ({ task }) => at(task.finishedAt, reader) },
  { title: "TASK", text: ({ task }) => task.id },
];

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

function at(instant: number | undefined, reader: Clockface): string | undefined {
  return instant === undefined ? undefined : localText(instant, reader);
}
