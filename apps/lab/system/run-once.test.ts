import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, startWorld, type World } from "../src/index.ts";
import { idle, onEngine, services, shell } from "./scenario.ts";

const broker = (image: string, seed: string): string => `
module: broker
version: 1
resources:
  - type: container
    name: seed
    image: "${image}"
    run-once: true
    command: ${shell(seed)}
  - { type: container, name: queue, image: "${image}", command: ${idle} }
`;

onEngine("a run-once step gates what stands behind it", () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld(services);
    await world.addNode("ams");
  });

  afterAll(() => world?.stop());

  const queues = () => world.containers({ "mesh.module": "broker", "mesh.container": "queue" });

  it("[A53-63] exit 1 holds the service back; corrected, it runs, then the service (A5)", async () => {
    await world.apply(broker(world.image, "exit 1"));
    await world.mesh("assign", "broker", "--node", "ams");
    const failed = await eventually("the failure of the gate", async () => {
      const { status } = await world.client.node("ams");
      return status?.problems.some(({ module }) => module === "broker") ? status : undefined;
    });
    expect(failed.current).toBe(false);
    expect(await queues()).toEqual([]);

    await world.apply(broker(world.image, "exit 0"));
    await eventually("the service", async () => {
      const [service] = await queues();
      return service?.State.Running || undefined;
    });
    const { status } = await eventually("a current node", async () => {
      const node = await world.client.node("ams");
      return node.status?.current && node.status.generation === node.generation ? node : undefined;
    });
    expect(status).toMatchObject({ applied: true, problems: [] });
  });
});
