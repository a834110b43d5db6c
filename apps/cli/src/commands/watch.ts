import type { Command } from "commander";
import { contextOf } from "../context.ts";
import { followEvents, newestEvent } from "../events/follow.ts";
import { createNarrator } from "../events/narrator.ts";
import type { Surroundings } from "../surroundings.ts";

/** `mesh watch`: what happens on the server, line by line as it happens, until Ctrl-C. */
export function addWatchCommand(program: Command, s: Surroundings): void {
  program
    .command("watch")
    .description("Tell what happens as it happens: runs, attempts, exits, what work printed")
    .action(async (_: unknown, command: Command) => {
      const context = contextOf(command, s);
      const { client, paint, reader } = context;
      const say = s.terminal.out;
      const leaving = new AbortController();
      const asked = s.stopAsked().then(() => leaving.abort());
      const after = await newestEvent(client);
      const narrator = createNarrator({ client, say, paint, reader, now: s.now });
      const following = followEvents(client, {
        after,
        signal: leaving.signal,
        tell: async (event) => {
          if (context.json) say(JSON.stringify(event));
          else await narrator.tell(event);
        },
      });
      await Promise.race([following, asked]);
    });
}
