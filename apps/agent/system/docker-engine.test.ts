import { describe, expect, it } from "vitest";
import { systemClock } from "../src/clock.ts";
import { dockerEngine } from "../src/engine/docker.ts";
import { engineContract } from "../test/engine-contract.ts";
import { shellCommand, untilPrinted } from "../test/shell-programs.ts";

const socketPath = process.env.MESH_TEST_DOCKER_SOCKET;
const image = process.env.MESH_TEST_IMAGE;

if (socketPath === undefined || image === undefined) {
  describe("Docker Engine", () => {
    it.skipIf(true)(
      "NO DOCKER ENGINE: MESH_TEST_DOCKER_SOCKET or MESH_TEST_IMAGE is not set",
      () => {
        expect(socketPath).toBeDefined();
      },
    );
  });
} else {
  engineContract("docker", async () => {
    const connect = async () =>
      dockerEngine({ kind: "docker", socketPath, version: "test", clock: systemClock() });
    await (await connect()).ensureImage(image);
    return {
      connect,
      command: shellCommand,
      image,
      uid: 100_000,
      ready: untilPrinted,
      pass: async () => undefined,
      close: async () => undefined,
    };
  });
}
