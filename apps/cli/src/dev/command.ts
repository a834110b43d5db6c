import type { Command } from "commander";
import type { Surroundings } from "../surroundings.ts";

export function addDevCommand(program: Command, _s: Surroundings): void {
  program.command("dev").description("Run a server and a node here, with an example at work");
}
