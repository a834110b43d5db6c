import { triggerName } from "@mesh/concurrency";
import { isTerminalJob } from "@mesh/jobs";
import { isApiError } from "@mesh/protocol";
import type { Command } from "commander";
import { badInput } from "../command-error.ts";
import type { Context } from "../context.ts";
import { contextOf, show } from "../context.ts";
import { fileOption, type GivenFiles, manifestName, readGoodManifests } from "../manifest-files.ts";
import { parseResource, singular } from "../resources.ts";
import type { Surroundings } from "../surroundings.ts";
import { fromNow, utcText } from "../times.ts";

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
    .option(...fileOption)
    .action(
      async (what: string | undefined, names: string[], options: GivenFiles, command: Command) => {
        const context = contextOf(command, s);
        const targets = await deleteTargets(s, { what, names, ...options });
        const kept: string[] = [];
        for (const { resource, name } of targets) {
          await deleteOne(context, resource, name);
          if (resource === "jobs") kept.push(...(await earlierJob(context, name)));
        }
        show(context, targets, () =>
          targets.map(({ resource, name }) => `${singular(resource)}/${name} deleted`).concat(kept),
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
  asked: GivenFiles & { readonly what: string | undefined; readonly names: readonly string[] },
): Promise<readonly Target[]> {
  if (asked.file !== undefined) {
    const more = asked.what === undefined ? [] : [asked.what, ...asked.names];
    const manifests = await readGoodManifests([...asked.file, ...more], s);
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

/** Ended Jobs keep their name, so another may come into sight when the newest one goes (J2). */
async function earlierJob({ client, namespace, s }: Context, name: string): Promise<string[]> {
  try {
    const { state } = await client.job(namespace, name);
    if (state.job.spec.name !== name || state.job.deletedAt !== undefined) return [];
    const made = fromNow(state.job.createdAt, s.now());
    return [`  an earlier one of this name is still there, created ${made}`];
  } catch (error) {
    if (isApiError(error) && error.status === 404) return [];
    throw error;
  }
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
      // Chosen here where none is given, so that the run can be named.
      const id = options.id ?? s.newId().slice(-8);
      const view = await context.client.triggerCronJob(context.namespace, name, { id });
      show(context, view, () => [`cronjob/${name} triggered: job/${triggerName(name, id)}`]);
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
      const before = await context.client.job(context.namespace, name);
      const view = await context.client.cancelJob(context.namespace, name);
      const { spec, status } = view.state.job;
      const early = isTerminalJob(before.state.job.status) ? "had ended before: " : "";
      show(context, view, () => [`job/${spec.name} ${early}${status}`]);
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
