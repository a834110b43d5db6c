import { containerKind } from "@mesh/declaration";
import type { ModuleView, NodeView, RunView } from "@mesh/protocol";
import { currentText, runColumns } from "../columns.ts";
import type { Context } from "../context.ts";
import type { Column } from "../table.ts";
import { fieldLines, tableLines } from "../table.ts";
import { bothTexts } from "../times.ts";
import { section } from "./section.ts";

type Resource = ModuleView["manifest"]["resources"][number];

/** A module in full: what it declares, where it is, and what became of its scheduled runs. */
export function moduleLines(
  context: Context,
  view: ModuleView,
  { runs, nodes }: { runs: readonly RunView[]; nodes: readonly NodeView[] },
): readonly string[] {
  const { paint, reader } = context;
  const none = [`none yet: mesh assign ${view.module} --node NODE`];
  return [
    ...fieldLines(
      [
        ["name", view.module],
        ["updated", bothTexts(view.updatedAt, reader)],
      ],
      paint,
    ),
    ...section("Resources", tableLines(view.manifest.resources, resourceColumns, paint), paint),
    ...section(
      "Nodes",
      view.nodes.length === 0 ? none : tableLines(nodes, nodeColumns(view.module), paint),
      paint,
    ),
    ...section("Last runs", runs.length === 0 ? [] : tableLines(runs, runColumns, paint), paint),
  ];
}

const resourceColumns: readonly Column<Resource>[] = [
  { title: "TYPE", text: ({ type }) => type },
  { title: "WHAT", text: (one) => (one.type === "container" ? one.name : one.path) },
  { title: "KIND", text: (one) => (one.type === "container" ? kindText(one) : undefined) },
];

function kindText(container: Extract<Resource, { type: "container" }>): string {
  switch (containerKind(container)) {
    case "scheduled":
      return `scheduled ${container.schedule} (UTC)`;
    case "runOnce":
      return "run-once";
    case "service":
      return "service";
  }
}

const nodeColumns = (module: string): readonly Column<NodeView>[] => [
  { title: "NODE", text: ({ node }) => node },
  { title: "CURRENT", text: (node) => currentText(node) },
  {
    title: "PROBLEMS",
    text: ({ status }) =>
      status?.problems
        .filter((problem) => problem.module === module)
        .map(({ message }) => message)
        .join("; "),
  },
];
