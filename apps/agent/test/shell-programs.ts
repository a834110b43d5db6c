import type { Engine } from "../src/engine/engine.ts";
import type { Program } from "./engine-contract.ts";

/** The suite's programs for engines that run a shell. */
export function shellCommand(program: Program): readonly string[] {
  switch (program.does) {
    case "exit":
      return ["sh", "-c", `printf '%s' '${program.print ?? ""}'; exit ${program.code}`];
    case "runUntilAsked":
      return ["sh", "-c", `trap 'exit ${program.code}' TERM; echo ready; ${FOREVER}`];
    case "ignoreAsking":
      return ["sh", "-c", `trap '' TERM; echo ready; ${FOREVER}`];
    case "beUnknown":
      return ["no-such-command"];
  }
}

/** A shell handles a signal only between commands, so the sleeps are short. */
const FOREVER = "while :; do sleep 0.05; done";

/** Resolves once the program has printed, that is, once it handles signals. */
export async function untilPrinted(engine: Engine, id: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if ((await engine.outputTail(id, 100)) !== "") return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the container printed nothing");
}
