import type { EventView, MeshClient } from "@mesh/protocol";
import { outputLines } from "../describe/job.ts";
import type { Colour, Paint } from "../paint.ts";
import { printable } from "../paint.ts";
import type { Clockface } from "../times.ts";
import { clockText, fromNow, localText, utcText } from "../times.ts";

export interface Narrator {
  /** Says that the reader has been told of this Job: its creation needs no line. */
  readonly announce: (jobName: string) => void;
  /** Tells one event, with what the work printed and when its schedule fires next. */
  readonly tell: (event: EventView) => Promise<void>;
}

/** What a narrator needs: the server to ask for details, and where and how to print. */
export interface NarratorParts {
  readonly client: MeshClient;
  readonly say: (line: string) => void;
  readonly paint: Paint;
  readonly reader: Clockface;
  readonly now: () => number;
}

/**
 * Turns the server's events into lines, one fact each, in the order they happened. Events that
 * say nothing new to a reader (a Job that its schedule has just announced, a placement that is
 * followed by the start) are passed over.
 */
export function createNarrator(parts: NarratorParts): Narrator {
  const announced = new Set<string>();
  return {
    announce: (jobName) => announced.add(jobName),
    async tell(event) {
      if (event.type === "run.created") announced.add(textOf(event, "runName") ?? "");
      if (isEcho(event, announced)) return;
      parts.say(eventLine(event, parts));
      const output = await outputOf(event, parts.client);
      for (const line of outputLines(output)) {
        parts.say(`${" ".repeat(16)}${parts.paint("│", "dim")} ${line}`);
      }
      if (event.type.startsWith("run.")) await tellNext(event, parts);
    },
  };
}

/** `13:24:00 +01:00 Job default/hello-1 attempt 1 runs on node dev`. */
export function eventLine(
  event: EventView,
  { paint, reader }: Pick<NarratorParts, "paint" | "reader">,
): string {
  const colour = colourOf(event);
  const message = printable(event.message).replace(/\s*\n\s*/g, " ");
  const time = paint(clockText(event.at, reader), "dim");
  return `${time} ${colour === undefined ? message : paint(message, colour)}`;
}

/** `next at 2026-11-30T12:25:00Z = Mon 2026-11-30 13:25:00 +01:00, in 41s`. */
export function nextText(at: number, { reader, now }: { reader: Clockface; now: number }): string {
  const local = reader.timeZone === "UTC" ? "" : ` = ${localText(at, reader)} ${reader.timeZone}`;
  return `${utcText(at)}${local}, ${fromNow(at, now)}`;
}

function isEcho(event: EventView, announced: ReadonlySet<string>): boolean {
  if (event.type === "attempt.placed") return true;
  return event.type === "job.created" && announced.has(event.subject.name);
}

function colourOf({ type, data }: EventView): Colour | undefined {
  if (type.endsWith(".succeeded")) return "green";
  if (type.endsWith(".failed")) return "red";
  if (type === "attempt.ended" && data?.status !== "stopped") return "red";
  if (/\.(skipped|missed|expired|superseded|held|waiting)$/.test(type)) return "yellow";
  return undefined;
}

async function tellNext(event: EventView, parts: NarratorParts): Promise<void> {
  const { namespace = "default", name } = event.subject;
  const view = await parts.client.cronJob(namespace, name).catch(() => undefined);
  if (view?.nextAt === undefined) return;
  const next = nextText(view.nextAt, { reader: parts.reader, now: parts.now() });
  parts.say(parts.paint(`${" ".repeat(16)}next at ${next}`, "dim"));
}

/** What the work printed, for an event that ends it; the server keeps the last 4 KiB. */
async function outputOf(event: EventView, client: MeshClient): Promise<string | undefined> {
  if (event.type === "attempt.ended") {
    const taskId = textOf(event, "taskId");
    const job = textOf(event, "jobId");
    const tasks = await client.tasks(event.subject.namespace ?? "default", { job }).catch(() => []);
    return tasks.find(({ task }) => task.id === taskId)?.output;
  }
  if (event.type === "container.succeeded" || event.type === "container.failed") {
    const [module = ""] = event.subject.name.split("/");
    const runId = textOf(event, "runId");
    const runs = await client.runs({ module, limit: 20 }).catch(() => []);
    for (const run of runs) {
      if (run.kind !== "container" || !("runId" in run.record)) continue;
      if (run.record.runId === runId && "output" in run.record) return run.record.output;
    }
  }
  return undefined;
}

function textOf(event: EventView, key: string): string | undefined {
  const value = event.data?.[key];
  return typeof value === "string" ? value : undefined;
}
