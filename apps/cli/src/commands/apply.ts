import type { Manifest } from "@mesh/declaration";
import type { ApplyAnswer } from "@mesh/protocol";
import { isApiError } from "@mesh/protocol";
import type { Command } from "commander";
import { badInput } from "../command-error.ts";
import type { Context } from "../context.ts";
import { contextOf } from "../context.ts";
import { refused } from "../failure.ts";
import {
  fileOption,
  filesOf,
  type GivenFiles,
  manifestName,
  readGoodManifests,
} from "../manifest-files.ts";
import type { Surroundings } from "../surroundings.ts";

interface ApplyOptions extends GivenFiles {
  readonly replace: boolean;
}

/** `mesh apply`, `mesh create`: both send only when every manifest of every file is right. */
export function addApplyCommands(program: Command, s: Surroundings): void {
  program
    .command("apply")
    .description("Make the server hold what the manifests say; the same again changes nothing")
    .argument("[file...]", "more files, as a shell spreads a pattern")
    .option(...fileOption)
    .option("--replace", "replace a finished Job of the same name and other content", false)
    .addHelpText("after", "\nA file may hold several documents (---): Module, Job, CronJob.")
    .action(async (more: string[], options: ApplyOptions, command: Command) => {
      const context = contextOf(command, s);
      const manifests = await readGoodManifests(filesOf("apply", options, more), s);
      const done = [];
      for (const manifest of manifests) {
        const answer = await sending(manifest, applyOne(context, manifest, options.replace));
        done.push({ name: manifestName(manifest), outcome: answer.outcome });
        if (!context.json) s.terminal.out(outcomeLine(context, manifestName(manifest), answer));
        if (!context.json && manifest.kind === "Module")
          await hintAssignment(context, manifest.module);
      }
      if (context.json) s.terminal.out(JSON.stringify(done, undefined, 2));
    });
  program
    .command("create")
    .description("Create Jobs and CronJobs; a name that is in use is refused")
    .argument("[file...]", "more files, as a shell spreads a pattern")
    .option(...fileOption)
    .action(async (more: string[], options: GivenFiles, command: Command) => {
      const context = contextOf(command, s);
      const manifests = await readGoodManifests(filesOf("create", options, more), s);
      const module = manifests.find((manifest) => manifest.kind === "Module");
      if (module !== undefined) {
        throw badInput("usage.create", "a module is applied, not created", "use mesh apply -f");
      }
      const made = [];
      for (const manifest of manifests)
        made.push(await sending(manifest, createOne(context, manifest)));
      if (context.json) s.terminal.out(JSON.stringify(made, undefined, 2));
    });
}

/** Sends one manifest; a refusal names it, since a file may hold several. */
async function sending<T>(manifest: Manifest, sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    throw isApiError(error) ? refused(error, manifestName(manifest)) : error;
  }
}

function applyOne(context: Context, manifest: Manifest, replace: boolean): Promise<ApplyAnswer> {
  const { client, namespace } = context;
  switch (manifest.kind) {
    case "Module":
      return client.applyModule(manifest);
    case "Job":
      return client.applyJob(namespace, manifest, { replace: replace || undefined });
    case "CronJob":
      return client.applyCronJob(namespace, manifest);
  }
}

async function createOne(context: Context, manifest: Manifest): Promise<unknown> {
  const { client, namespace, s } = context;
  const say = (): void => {
    if (!context.json) s.terminal.out(`${manifestName(manifest)} created`);
  };
  if (manifest.kind === "Job") {
    const view = await client.createJob(namespace, manifest);
    say();
    return view;
  }
  if (manifest.kind === "CronJob") {
    const view = await client.createCronJob(namespace, manifest);
    say();
    return view;
  }
  return undefined;
}

/** The server's own warnings are those the file has shown already, so only the outcome is told. */
function outcomeLine(context: Context, name: string, answer: ApplyAnswer): string {
  const colour = answer.outcome === "unchanged" ? "dim" : "green";
  return `${name} ${context.paint(answer.outcome, colour)}`;
}

async function hintAssignment(context: Context, module: string): Promise<void> {
  const { nodes } = await context.client.module(module);
  if (nodes.length === 0) {
    const next = `mesh assign ${module} --node NODE`;
    context.s.terminal.out(`  no node has it yet; put it on one: ${next}`);
  }
}
