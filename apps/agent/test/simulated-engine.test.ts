import { expect, it } from "vitest";
import { type Behaviour, simulatedEngine } from "../src/engine/simulated.ts";
import { taskEndOf } from "../src/host/outcome.ts";
import { engineContract, type Program } from "./engine-contract.ts";
import { virtualClock } from "./virtual-clock.ts";

function behaviourOf(program: Program): Behaviour {
  switch (program.does) {
    case "exit":
      return { afterMs: 10, exitCode: program.code, output: program.print ?? "" };
    case "runUntilAsked":
      return { stopCode: program.code };
    case "ignoreAsking":
      return { ignoresStop: true };
    case "beUnknown":
      return { refused: "exec: no-such-command: not found" };
  }
}

engineContract("simulated", async () => {
  const clock = virtualClock(Date.UTC(2026, 9, 13, 12));
  const engine = simulatedEngine({
    clock,
    behave: ({ spec }) => behaviourOf(JSON.parse(spec.command?.[0] ?? "") as Program),
  });
  return {
    connect: async () => engine,
    command: (program) => [JSON.stringify(program)],
    image: "example.org/busybox@sha256:00",
    uid: 0,
    ready: async () => undefined,
    pass: (ms) => clock.advance(ms),
    close: async () => undefined,
  };
});

it("[C31-31] memory that ran out is a failure with its reason, whatever the code (A8)", () => {
  expect(taskEndOf({ kind: "code", exitCode: 0, outOfMemory: true })).toMatchObject({
    status: "failed",
    reason: "outOfMemory",
  });
});
