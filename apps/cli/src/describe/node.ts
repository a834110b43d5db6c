import type { EventView, NodeView } from "@mesh/protocol";
import { cpuText, currentText, memoryText } from "../columns.ts";
import type { Context } from "../context.ts";
import type { Column } from "../table.ts";
import { fieldLines, tableLines } from "../table.ts";
import { bothTexts, fromNow } from "../times.ts";
import { eventLines } from "./event.ts";
import { section } from "./section.ts";

type Problem = NonNullable<NodeView["status"]>["problems"][number];

/** A node in full: what it runs with, its room, and what keeps it from being current. */
export function nodeLines(
  context: Context,
  view: NodeView,
  events: readonly EventView[],
): readonly string[] {
  const { paint, reader } = context;
  const lease = view.leaseExpiresAt;
  const labels = Object.entries(view.labels).map(([key, value]) => `${key}=${value}`);
  const problems = view.status?.problems ?? [];
  return [
    ...fieldLines(
      [
        ["name", view.node],
        ["ready", view.ready ? "yes" : "no: its lease has lapsed"],
        ["current", currentText(view)],
        ["generation", view.generation],
        ["engine", engineText(view)],
        ["agent", view.agentVersion],
        ["zone data", view.zoneData],
        ["labels", labels.join(", ")],
        ["cpu", cpuText(view.used, view.capacity)],
        ["memory", memoryText(view.used, view.capacity)],
        ["modules", view.modules.join(", ")],
        ["lease", `${fromNow(lease, context.s.now())}, ${bothTexts(lease, reader)}`],
      ],
      paint,
    ),
    ...section(
      "Problems",
      problems.length === 0 ? [] : tableLines(problems, problemColumns, paint),
      paint,
    ),
    ...section("What happened", eventLines(context, events), paint),
  ];
}

/** R7: every status says so where work runs outside the security bound. */
function engineText({ engine }: NodeView): string {
  const name = `${engine.kind} ${engine.version}`.trim();
  return engine.kind === "raw-exec" ? `${name}: plain processes, outside the security bound` : name;
}

const problemColumns: readonly Column<Problem>[] = [
  { title: "MODULE", text: ({ module }) => module },
  { title: "RESOURCE", text: ({ key }) => key },
  { title: "CODE", text: ({ code }) => code },
  { title: "MESSAGE", text: ({ message }) => message },
];
