import { explainDecision } from "@mesh/concurrency";
import { describeCron, occurrences, safeParseCron } from "@mesh/cron";
import type { CronJobView, DecisionView, RunView } from "@mesh/protocol";
import { runColumns } from "../columns.ts";
import type { Context } from "../context.ts";
import { printable } from "../paint.ts";
import { fieldLines, tableLines } from "../table.ts";
import { bothTexts, localText, utcText } from "../times.ts";
import { section } from "./section.ts";

/** A CronJob in full: when it fires next, what it last decided and why, what became of its runs. */
export function cronJobLines(
  context: Context,
  view: CronJobView,
  { decisions, runs }: { decisions: readonly DecisionView[]; runs: readonly RunView[] },
): readonly string[] {
  const { paint, reader } = context;
  const { spec } = view.schedule;
  const cron = safeParseCron(spec.schedule);
  const both = (at: number | undefined) => (at === undefined ? undefined : bothTexts(at, reader));
  return [
    ...fieldLines(
      [
        ["name", spec.name],
        ["namespace", view.namespace],
        ["schedule", spec.schedule],
        ["meaning", cron.ok ? describeCron(cron.value) : undefined],
        ["zone", spec.timezone ?? "UTC"],
        ["daylight saving", spec.dst],
        ["policy", spec.concurrencyPolicy ?? "Allow"],
        ["missed runs", spec.missed],
        ["missed limit", spec.missedScheduleLimit],
        ["suspended", spec.suspended === true ? "yes" : "no"],
        ["problem", view.problem],
        ["image", view.jobTemplate.image],
        ["created", both(view.schedule.createdAt)],
        ["checkpoint", both(view.schedule.lastScheduleAt)],
        ["active", view.active.map(({ id, status }) => `${id} (${status})`).join(", ") || "none"],
      ],
      paint,
    ),
    ...section("Next occurrences", nextLines(context, view), paint),
    ...section("Last decision", decisionLines(context, decisions), paint),
    ...section("Last runs", runs.length === 0 ? [] : tableLines(runs, runColumns, paint), paint),
  ];
}

/** The next three occurrences: UTC, the schedule's own zone, the reader's. */
function nextLines(context: Context, view: CronJobView): readonly string[] {
  const { spec } = view.schedule;
  const cron = safeParseCron(spec.schedule);
  if (!cron.ok || view.nextAt === undefined || spec.suspended === true) return [];
  const timeZone = spec.timezone ?? "UTC";
  const { zones } = context.s;
  const zoned = { timeZone, zones, ...(spec.dst === undefined ? {} : { dst: spec.dst }) };
  const next: number[] = [];
  for (const at of occurrences(cron.value, { after: view.nextAt - 1 }, zoned)) {
    next.push(at);
    if (next.length === 3) break;
  }
  const faces = [...new Set([timeZone, context.reader.timeZone])].filter((zone) => zone !== "UTC");
  const columns = [
    { title: "UTC", text: (at: number) => utcText(at) },
    ...faces.map((zone) => ({
      title: zone,
      text: (at: number) => localText(at, { timeZone: zone, zones }),
    })),
  ];
  return tableLines(next, columns, context.paint);
}

/** Each decision with its instant, in the words of `explainDecision` (D9a). */
export function decisionLines(
  context: Context,
  decisions: readonly DecisionView[],
): readonly string[] {
  return decisions.flatMap(({ at, decision }) => [
    `${context.paint(utcText(at), "dim")} (${localText(at, context.reader)})`,
    ...printable(explainDecision(decision, { zones: context.s.zones }))
      .split("\n")
      .map((line) => `  ${line}`),
  ]);
}
