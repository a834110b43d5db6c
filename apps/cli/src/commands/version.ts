import type { Command } from "commander";
import { contextOf, show } from "../context.ts";
import type { Surroundings } from "../surroundings.ts";
import { fieldLines } from "../table.ts";

/** The version of everything that decides: the program, Node.js, and the zone data in use. */
export function addVersionCommand(program: Command, s: Surroundings, version: string): void {
  program
    .command("version")
    .description("Print the versions of mesh, Node.js and the time zone data in use")
    .option("--with-server", "ask the server as well")
    .action(async (options: { withServer?: boolean }, command: Command) => {
      const context = contextOf(command, s);
      const own = {
        mesh: version,
        node: s.nodeVersion,
        zoneData: s.zones.version,
        localZone: s.localZone,
      };
      const server = options.withServer === true ? await context.client.health() : undefined;
      show(context, server === undefined ? own : { ...own, server }, () =>
        fieldLines(
          [
            ["mesh", own.mesh],
            ["node", own.node],
            ["zone data", own.zoneData],
            ["your zone", own.localZone],
            ["server", server?.version],
            ["server zone data", server?.zoneData],
          ],
          context.paint,
        ),
      );
    });
}
