import { Command, Option } from "commander";
import packageFile from "../package.json" with { type: "json" };
import { addApplyCommands } from "./commands/apply.ts";
import { addCronCommand } from "./commands/cron.ts";
import { addDescribeCommand } from "./commands/describe.ts";
import { addExplainCommands } from "./commands/explain.ts";
import { addGetCommand } from "./commands/get.ts";
import { addSecretCommands } from "./commands/secrets.ts";
import { addSimulateCommand } from "./commands/simulate.ts";
import { addValidateCommand } from "./commands/validate.ts";
import { addVerbCommands } from "./commands/verbs.ts";
import { addVersionCommand } from "./commands/version.ts";
import { addWatchCommand } from "./commands/watch.ts";
import { defaultServer } from "./context.ts";
import { addDevCommand } from "./dev/command.ts";
import { failureLines, tellFailure } from "./failure.ts";
import { paintFor } from "./paint.ts";
import type { Surroundings } from "./surroundings.ts";

export const version = packageFile.version;

/**
 * Runs one `mesh` command line (without the program's name) and resolves with its exit code:
 * 0 done, 2 bad input (what to mend is told, nothing was stored), 1 anything else.
 */
export async function runMesh(argv: readonly string[], s: Surroundings): Promise<number> {
  const paint = paintFor(s.terminal);
  const program = buildProgram(s);
  if (argv.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
    return 0;
  } catch (error) {
    const told = tellFailure(error, paint);
    const json = program.opts<{ output?: string }>().output === "json";
    if (json && told.data !== undefined) s.terminal.err(JSON.stringify(told.data, undefined, 2));
    else for (const line of told.lines) s.terminal.err(line);
    return told.exitCode;
  }
}

function buildProgram(s: Surroundings): Command {
  const program = new Command("mesh")
    .description("Finite jobs and schedules that explain themselves")
    .version(version, "-V, --version")
    .option("--server <url>", `address of the server (MESH_SERVER, else ${defaultServer})`)
    .option("--token <token>", "operator's token (MESH_TOKEN)")
    .option(
      "-n, --namespace <name>",
      "namespace of Jobs and CronJobs (MESH_NAMESPACE, else default)",
    )
    .addOption(new Option("-o, --output <form>", "form of the answer").choices(["text", "json"]))
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => s.terminal.out(text.replace(/\n$/, "")),
      writeErr: (text) => s.terminal.err(text.replace(/\n$/, "")),
      outputError: (text, write) => {
        const message = text.trim().replace(/^error: /, "");
        for (const line of failureLines(message, undefined, paintFor(s.terminal))) write(line);
      },
    })
    .showHelpAfterError("help: add --help to see how it is used");
  addDevCommand(program, s);
  addCronCommand(program, s);
  addValidateCommand(program, s);
  addSimulateCommand(program, s);
  addApplyCommands(program, s);
  addGetCommand(program, s);
  addDescribeCommand(program, s);
  addExplainCommands(program, s);
  addVerbCommands(program, s);
  addWatchCommand(program, s);
  addSecretCommands(program, s);
  addVersionCommand(program, s, version);
  return program;
}
