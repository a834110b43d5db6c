import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/clock.ts";
import { rawExecEngine } from "../src/engine/raw-exec.ts";
import { engineContract } from "./engine-contract.ts";
import { shellCommand, untilPrinted } from "./shell-programs.ts";

engineContract("raw-exec", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mesh-raw-exec-"));
  const clock = systemClock();
  return {
    connect: async () => rawExecEngine({ directory: folder, clock }),
    command: shellCommand,
    image: "unused",
    uid: 100_000,
    ready: untilPrinted,
    pass: async () => undefined,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
