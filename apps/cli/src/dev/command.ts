import type { Command } from "commander";
import { Option } from "commander";
import { contextOf } from "../context.ts";
import { parseCount } from "../instants.ts";
import type { Surroundings } from "../surroundings.ts";
import type { EngineChoice } from "./dev-options.ts";
import { engineChoices } from "./dev-options.ts";
import { exampleImage } from "./example.ts";

interface TypedOptions {
  readonly port: string;
  readonly engine: EngineChoice;
  readonly image: string;
}

/** `mesh dev`: the whole of Mesh in one process, with an example at work. */
export function addDevCommand(program: Command, s: Surroundings): void {
  program
    .command("dev")
    .description("Run a server and a node in this process, with an example at work")
    .option("--port <n>", "loopback port of the server, 0 for any", "7373")
    .addOption(
      new Option("--engine <kind>", "what runs containers; auto takes what answers")
        .choices(engineChoices)
        .default("auto"),
    )
    .option("--image <reference>", "image of the example, pinned by digest", exampleImage)
    .addHelpText("after", "\nEverything is kept in ./.mesh; delete that folder to start afresh.")
    .action(async (options: TypedOptions, command: Command) => {
      const bounds = { least: 0, most: 65_535, usual: 7374 };
      const port = parseCount(options.port, { option: "--port", ...bounds });
      // Loaded only here: no other command needs a server and an agent.
      const { runDev } = await import("./session.ts");
      await runDev(contextOf(command, s), { port, engine: options.engine, image: options.image });
    });
}
