import type { Command } from "commander";
import { badInput } from "../command-error.ts";
import type { Context } from "../context.ts";
import { contextOf, show } from "../context.ts";
import { manifestName, readGoodManifests } from "../manifest-files.ts";
import { parseResource } from "../resources.ts";
import type { Surroundings } from "../surroundings.ts";
import { utcText } from "../times.ts";

/** Commands that change one thing on the server and answer with one line. */
export function addVerbCommands(program: Command, s: Surroundings): void {
  addDelete(program, s);
  addAssignments(program, s);
  addScheduleVerbs(program, s);
  addNamespaces(program, s);
}

const deleted = ["jobs", "cronjobs", "modules"] as const;

function addDelete(program: Command, s: Surroundings): void {
  program
    .command("delete")
    .description("Delete Jobs, CronJobs or modules; what they ran is stopped by the nodes")
    .argument("[what]", "job | cronjob | module")
    .argument("[name...]", "names")
    .option("-f, --file <file>", "delete what this manifest file names; - reads standard input")
    .action(
      async (
        what: string | undefined,
        names: string[],
        options: { file?: string },
        command: Command,
      ) => {
        const context = contextOf(command, s);
        const targets = await deleteTargets(s, { what, names, file: options.file });
        for (const { resource, name } of targets) await deleteOne(context, resource, name);
        show(context, targets, () =>
          targets.map(({ resource, name }) => `${resource.slice(0, -1)}/${name} deleted`),
        );
      },
    );
}

interface Target {
  readonly resource: (typeof deleted)[number];
  readonly name: string;
}

async function deleteTargets(
  s: Surroundings,
  asked: { what: string | undefined; names: readonly string[]; file: string | undefined },
): Promise<readonly Target[]> {
  if (asked.file !== undefined) {
    const manifests = await readGoodManifests([asked.file], s);
    return manifests.map((manifest) => {
      const [kind = "", name = ""] = manifestName(manifest).split("/");
      return { resource: parseResource(kind, deleted), name };
    });
  }
  if (asked.what === undefined || asked.names.length === 0) {
    throw badInput(
      "usage.delete",
      "what is to be deleted?",
      "mesh delete job NAME, mesh delete cronjob NAME, mesh delete module NAME, or -f FILE",
    );
  }
  const resource = parseResource(asked.what, deleted);
  return asked.names.map((name) => ({ resource, name }));
}

function deleteOne(context: Context, resource: Target["resource"], name: string): Promise<void> {
  const { client, namespace } = context;
  switch (resource) {
    case "jobs":
      return client.deleteJob(namespace, name);
    case "cronjobs":
      return client.deleteCronJob(namespace, name);
    case "modules":
      return client.deleteModule(name);
  }
}

function addAssignments(program: Command, s: Surroundings): void {
  program
    .command("assign")
    .description("Put a module on a node")
    .argument("<module>", "the module's name")
    .requiredOption("--node <node>", "the node's name")
    .action(async (module: string, { node }: { node: string }, command: Command) => {
      const context = contextOf(command, s);
      const view = await context.client.assignModule(module, node);
      show(context, view, () => [`module/${module} assigned to ${node}`]);
    });
  program
    .command("unassign")
    .description("Take a module off a node; what it ran there is stopped")
    .argument("<module>", "the module's name")
    .requiredOption("--node <node>", "the node's name")
    .action(async (module: string, { node }: { node: string }, command: Command) => {
      const context = contextOf(command, s);
      const view = await context.client.unassignModule(module, node);
      show(context, view, () => [`module/${module} taken off ${node}`]);
    });
}

function addScheduleVerbs(program: Command, s: Surroundings): void {
  program
    .command("trigger")
    .description("Start a run of a CronJob now, whatever its policy")
    .argument("<cronjob>", "the CronJob's name")
    .option("--id <id>", "a name for this trigger, at most 8 characters; the same id starts once")
    .action(async (name: string, options: { id?: string }, command: Command) => {
      const context = contextOf(command, s);
      const view = await context.client.triggerCronJob(context.namespace, name, options);
      show(context, view, () => [`cronjob/${name} triggered; ${view.active.length} active`]);
    });
  program
    .command("suspend")
    .description("Stop a CronJob from starting runs; those that run go on")
    .argument("<cronjob>", "the CronJob's name")
    .action(async (name: string, _: unknown, command: Command) => {
      const context = contextOf(command, s);
      const view = await context.client.suspendCronJob(context.namespace, name);
      show(context, view, () => [`cronjob/${name} suspended`]);
    });
  program
    .command("resume")
    .description("Let a suspended CronJob start runs again, from now on")
    .argument("<cronjob>", "the CronJob's name")
    .option("--catch-up", "also start what came due while it was suspended", false)
    .action(async (name: string, { catchUp }: { catchUp: boolean }, command: Command) => {
      const context = contextOf(command, s);
      const view = await context.client.resumeCronJob(context.namespace, name, { catchUp });
      const next = view.nextAt === undefined ? "" : `; next ${utcText(view.nextAt)}`;
      show(context, view, () => [`cronjob/${name} resumed${next}`]);
    });
  program
    .command("cancel")
    .description("End a Job now, without another attempt")
    .argument("<job>", "the Job's name or id")
    .action(async (name: string, _: unknown, command: Command) => {
      const context = contextOf(command, s);
      const view = await context.client.cancelJob(context.namespace, name);
      show(context, view, () => [`job/${view.state.job.spec.name} ${view.state.job.status}`]);
    });
}

function addNamespaces(program: Command, s: Surroundings): void {
  const namespace = program.command("namespace").description("Create and list namespaces");
  namespace
    .command("create")
    .description("Create a namespace; one that exists is left as it is")
    .argument("<name>", "a DNS-1123 label: lower-case letters, digits, hyphens")
    .action(async (name: string, _: unknown, command: Command) => {
      const context = contextOf(command, s);
      await context.client.createNamespace(name);
      show(context, { name }, () => [`namespace/${name} is there`]);
    });
  namespace
    .command("list")
    .description("List namespaces")
    .action(async (_: unknown, command: Command) => {
      const context = contextOf(command, s);
      const names = await context.client.namespaces();
      show(context, names, () => names);
    });
}
