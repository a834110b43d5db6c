import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, type LabNode, startWorld, type World, watchEngine } from "../src/index.ts";
import { onEngine, services, shell } from "./scenario.ts";

const poller = (image: string): string => `
module: poller
version: 1
resources:
  - type: container
    name: poll
    image: "${image}"
    schedule: "* * * * *"
    command: ${shell("exit 0")}
`;

onEngine("a host keeps time by itself", () => {
  let world: World;
  let node: LabNode;

  beforeAll(async () => {
    world = await startWorld(services, { leaseSeconds: 6 });
    node = await world.addNode("ams");
    await world.apply(poller(world.image));
    await world.mesh("assign", "poller", "--node", "ams");
  });

  afterAll(() => world?.stop());

  it("[A53-21] it fires without its server, and reports each run once (A2, A8)", async () => {
    await eventually("a current node", async () => {
      const { status, generation } = await world.client.node("ams");
      return status?.current && status.generation === generation ? true : undefined;
    });
    const watch = await watchEngine(world.docker, { "mesh.module": "poller" });
    await node.link.cut();
    const ends = () => watch.seen().filter(({ action }) => action === "die");
    await eventually("two runs", async () => (ends().length >= 2 ? true : undefined), {
      seconds: 130,
    });
    expect(await reported()).toEqual([]);
    await node.link.mend();
    const runs = await eventually("the reports", async () => {
      const found = await reported();
      return found.length >= 2 ? found : undefined;
    });
    const occurrences = ends().map(({ labels }) => Number(labels["mesh.occurrenceAt"]));
    expect(runs.map(({ occurrenceAt }) => occurrenceAt)).toEqual(occurrences);
    expect((occurrences[1] ?? 0) - (occurrences[0] ?? 0)).toBe(60_000);
    expect(runs.every(({ exitCode }) => exitCode === 0)).toBe(true);
    await watch.stop();
  });

  /** The runs that the server knows the end of, oldest first. */
  async function reported() {
    const runs = await world.client.runs({ module: "poller", limit: 500 });
    return runs
      .filter((run) => run.kind === "container")
      .map(({ record }) => record)
      .filter((record) => record.outcome === "succeeded")
      .sort((a, b) => a.occurrenceAt - b.occurrenceAt);
  }
});
