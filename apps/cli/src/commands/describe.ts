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
      const [last] = await client.tasks(namespace, { job: job.state.job.id, limit: 1 });
      const output = last?.output;
      const { id } = job.state.job;
      const events = await recentEvents(
        client,
        ({ subject, data }) => subject.kind === "job" && data?.jobId === id,
      );
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
      const events = await recentEvents(
        client,
        ({ subject }) => subject.kind === "node" && subject.name === name,
      );
      return show(context, { ...node, events }, () => nodeLines(context, node, events));
    }
  }
}
