import type { EventView } from "@mesh/protocol";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { contextOf, show } from "../context.ts";
import { cronJobLines } from "../describe/cron-job.ts";
import { jobLines } from "../describe/job.ts";
import { moduleLines } from "../describe/module.ts";
import { nodeLines } from "../describe/node.ts";
import { recentEvents } from "../events/follow.ts";
import { parseResource } from "../resources.ts";
import type { Surroundings } from "../surroundings.ts";

const described = ["jobs", "cronjobs", "modules", "nodes"] as const;

/** `mesh describe WHAT NAME`: everything about one thing, and why it stands as it does. */
export function addDescribeCommand(program: Command, s: Surroundings): void {
  program
    .command("describe")
    .description("Show one Job, CronJob, module or node: state, history, and why")
    .argument("<what>", "job | cronjob | module | node")
    .argument("<name>", "its name")
    .action(async (what: string, name: string, _: unknown, command: Command) => {
      const context = contextOf(command, s);
      await describe(context, parseResource(what, described), name);
    });
}

async function describe(
  context: Context,
  resource: (typeof described)[number],
  name: string,
): Promise<void> {
  const { client, namespace } = context;
  switch (resource) {
    case "jobs": {
      const job = await client.job(namespace, name);
      const last = job.state.job.taskIds.at(-1);
      const tasks = await client.tasks(namespace);
      const output = tasks.find(({ task }) => task.id === last)?.output;
      const events = await eventsAbout(context, "job", job.state.job.spec.name);
      const data = { ...job, ...(output === undefined ? {} : { output }), events };
      return show(context, data, () => jobLines(context, job, { output, events }));
    }
    case "cronjobs": {
      const cronJob = await client.cronJob(namespace, name);
      const decisions = await client.decisions(namespace, name, { limit: 1 });
      const runs = await client.runs({ namespace, schedule: name, limit: 10 });
      return show(context, { ...cronJob, decisions, runs }, () =>
        cronJobLines(context, cronJob, { decisions, runs }),
      );
    }
    case "modules": {
      const module = await client.module(name);
      const runs = await client.runs({ module: name, limit: 10 });
      const nodes = (await client.nodes()).filter(({ node }) => module.nodes.includes(node));
      return show(context, { ...module, runs }, () =>
        moduleLines(context, module, { runs, nodes }),
      );
    }
    case "nodes": {
      const node = await client.node(name);
      const events = await eventsAbout(context, "node", name);
      return show(context, { ...node, events }, () => nodeLines(context, node, events));
    }
  }
}

function eventsAbout(
  { client, namespace }: Context,
  kind: "job" | "node",
  name: string,
): Promise<readonly EventView[]> {
  return recentEvents(
    client,
    (subject) =>
      subject.kind === kind &&
      subject.name === name &&
      (kind === "node" || subject.namespace === namespace),
  );
}
