import type { Command } from "commander";
import { badText } from "../command-error.ts";
import { contextOf, show } from "../context.ts";
import { frameLines } from "../failure.ts";
import { faults, framesOf, manifestName, readManifestFiles } from "../manifest-files.ts";
import type { Surroundings } from "../surroundings.ts";

/** `mesh validate FILE…`: what `apply` would refuse, told without a server. */
export function addValidateCommand(program: Command, s: Surroundings): void {
  program
    .command("validate")
    .description("Check manifests (Module, Job, CronJob) offline and show every fault")
    .argument("<file...>", "manifest files; - reads standard input")
    .option("--strict", "count warnings as errors", false)
    .action(async (files: string[], options: { strict: boolean }, command: Command) => {
      const context = contextOf(command, s);
      const read = await readManifestFiles(files, s);
      const errors = read.flatMap((file) => framesOf(file, "error"));
      const warnings = read.flatMap((file) => framesOf(file, "warning"));
      const data = read.map(({ file, manifests, diagnostics }) => ({
        file,
        manifests: manifests.map(manifestName),
        diagnostics,
      }));
      show(context, data, () =>
        read.flatMap(({ file, manifests }) =>
          manifests.map(
            (manifest) => `${context.paint("ok", "green")} ${file}: ${manifestName(manifest)}`,
          ),
        ),
      );
      const failed = errors.length + (options.strict ? warnings.length : 0);
      if (failed === 0) {
        if (!context.json)
          for (const line of frameLines(warnings, context.paint)) s.terminal.err(line);
        return;
      }
      const diagnostics = read.flatMap((file) => file.diagnostics);
      throw badText(diagnostics, [...warnings, ...errors], { message: faults(failed) });
    });
}
