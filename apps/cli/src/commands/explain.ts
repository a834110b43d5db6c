import type { CronJobView } from "@mesh/protocol";
import type { Command } from "commander";
import { cannot } from "../command-error.ts";
import type { Context } from "../context.ts";
import { contextOf, show } from "../context.ts";
import { decisionLines } from "../describe/cron-job.ts";
import { outputLines } from "../describe/job.ts";
import { parseCount } from "../instants.ts";
import { parseResource } from "../resources.ts";
import type { Surroundings } from "../surroundings.ts";
import { utcText } from "../times.ts";

/** `mesh why` and `mesh logs`: what was decided and why, and what the work printed. */
export function addExplainCommands(program: Command, s: Surroundings): void {
  program
    .command("why")
    .alias("explain")
    .description("Say what a CronJob's schedule last decided, occurrence by occurrence, and why")
    .argument("<cronjob>", "the CronJob's name")
    .option("--limit <n>", "how many decisions, newest first, 1 to 100", "5")
    .action(async (name: string, options: { limit: string }, command: Command) => {
      const context = contextOf(command, s);
      const limit = parseCount(options.limit, { option: "--limit", least: 1, most: 100 });
      const decisions = await context.client.decisions(context.namespace, name, { limit });
      // A deleted CronJob's decisions stay; one that never was has none.
      const schedule =
        decisions.length === 0 ? await context.client.cronJob(context.namespace, name) : undefined;
      show(context, decisions, () =>
        schedule === undefined ? decisionLines(context, decisions) : undecided(name, schedule),
      );
    });
  program
    .command("logs")
    .description("Print the last 4 KiB that a Job's attempt or a module's run printed")
    .argument("<what>", "job | module")
    .argument("<name>", "its name")
    .option("--attempt <n>", "a Job's attempt; the last one if not given")
    .option("--container <name>", "a module's container; any if not given")
    .action(
      async (
        what: string,
        name: string,
        options: { attempt?: string; container?: string },
        command: Command,
      ) => {
        const context = contextOf(command, s);
        const resource = parseResource(what, ["jobs", "modules"]);
        const output =
          resource === "jobs"
            ? await jobOutput(context, name, options.attempt)
            : await moduleOutput(context, name, options.container);
        show(context, { output }, () => outputLines(output));
      },
    );
}

function undecided(name: string, { nextAt }: CronJobView): readonly string[] {
  const next = nextAt === undefined ? "" : `; its next occurrence is ${utcText(nextAt)}`;
  return [
    `cronjob/${name} has decided nothing yet: nothing has come due${next}`,
    `  what was triggered was not decided by the schedule: mesh get runs --schedule ${name}`,
  ];
}

async function jobOutput(
  context: Context,
  name: string,
  attempt: string | undefined,
): Promise<string | undefined> {
  const { client, namespace } = context;
  const { state } = await client.job(namespace, name);
  const wanted =
    attempt === undefined
      ? undefined
      : parseCount(attempt, { option: "--attempt", least: 1, most: 1_000_000 });
  // Numbers of attempts are places in the list of ids, so the task is known before it is asked for.
  const id = state.job.taskIds.at((wanted ?? 0) - 1);
  const tasks = await client.tasks(namespace, { job: state.job.id, limit: 1000 });
  const chosen = tasks.find(({ task }) => task.id === id);
  if (chosen !== undefined) return chosen.output;
  throw cannot("notFound", `job/${name} has no attempt ${wanted ?? ""}`.trimEnd());
}

async function moduleOutput(
  context: Context,
  name: string,
  container: string | undefined,
): Promise<string | undefined> {
  const runs = await context.client.runs({ module: name, limit: 100 });
  for (const run of runs) {
    if (run.kind !== "container") continue;
    if (container !== undefined && run.container !== container) continue;
    if ("output" in run.record && run.record.output !== undefined) return run.record.output;
  }
  throw cannot("notFound", `no run of module/${name} has printed anything yet`);
}
