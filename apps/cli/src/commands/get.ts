import type { Command } from "commander";
import {
  cronJobColumns,
  eventColumns,
  jobColumns,
  moduleColumns,
  nodeColumns,
  type Reading,
  runColumns,
  taskColumns,
} from "../columns.ts";
import type { Context } from "../context.ts";
import { contextOf, show } from "../context.ts";
import { newestEvent } from "../events/follow.ts";
import { parseCount } from "../instants.ts";
import { parseResource } from "../resources.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Column } from "../table.ts";
import { tableLines } from "../table.ts";

interface GetOptions {
  readonly schedule?: string;
  readonly module?: string;
  readonly limit: string;
}

const listed = [
  "jobs",
  "cronjobs",
  "modules",
  "nodes",
  "tasks",
  "runs",
  "events",
  "namespaces",
] as const;

/** `mesh get WHAT`: one row for each thing there is. */
export function addGetCommand(program: Command, s: Surroundings): void {
  program
    .command("get")
    .description(`List ${listed.join(", ")}`)
    .argument("<what>", listed.join(" | "))
    .option("--schedule <name>", "only runs of this CronJob")
    .option("--module <name>", "only runs of this module's containers")
    .option("--limit <n>", "at most this many runs or events, the newest, 1 to 1000", "100")
    .action(async (what: string, options: GetOptions, command: Command) => {
      const context = contextOf(command, s);
      const resource = parseResource(what, listed);
      await listResource(context, resource, options);
    });
}

async function listResource(
  context: Context,
  resource: (typeof listed)[number],
  options: GetOptions,
): Promise<void> {
  const { client, namespace } = context;
  const reading: Reading = { now: context.s.now(), reader: context.reader };
  const limit = parseCount(options.limit, { option: "--limit", least: 1, most: 1000 });
  switch (resource) {
    case "jobs":
      return list(
        context,
        await client.jobs(namespace),
        jobColumns(reading),
        noneHere(context, "Jobs"),
      );
    case "cronjobs":
      return list(
        context,
        await client.cronJobs(namespace),
        cronJobColumns(reading),
        noneHere(context, "CronJobs"),
      );
    case "tasks":
      return list(
        context,
        await client.tasks(namespace),
        taskColumns(reading),
        noneHere(context, "tasks"),
      );
    case "modules":
      return list(context, await client.modules(), moduleColumns(reading), "no modules");
    case "nodes":
      return list(
        context,
        await client.nodes(),
        nodeColumns(reading),
        "no nodes: no agent has registered",
      );
    case "runs":
      return listRuns(context, options, limit);
    case "events": {
      const after = Math.max(0, (await newestEvent(client)) - limit);
      const events = await client.events({ after, limit, waitSeconds: 0 });
      return list(context, events, eventColumns(reading), "no events yet");
    }
    case "namespaces": {
      const columns = [{ title: "NAME", text: (name: string) => name }];
      return list(context, await client.namespaces(), columns, "no namespaces");
    }
  }
}

/**
 * Runs of CronJobs and of modules' scheduled containers alike. The latter belong to no namespace,
 * so one is filtered by only when it was asked for, or when a CronJob is meant.
 */
async function listRuns(context: Context, options: GetOptions, limit: number): Promise<void> {
  const { schedule, module } = options;
  const inNamespace = context.namespaceGiven || schedule !== undefined;
  const runs = await context.client.runs({
    ...(inNamespace && module === undefined ? { namespace: context.namespace } : {}),
    schedule,
    module,
    limit,
  });
  list(context, runs, runColumns, "no runs yet: nothing that has a schedule has come due");
}

/** Data with `-o json`; a table; or, for nothing, a sentence that says what there is none of. */
function list<Row>(
  context: Context,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  none: string,
): void {
  show(context, rows, () =>
    rows.length === 0 ? [none] : tableLines(rows, columns, context.paint),
  );
}

function noneHere(context: Context, what: string): string {
  return `no ${what} in namespace ${context.namespace}`;
}
