import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type EngineEvents,
  eventually,
  overlaps,
  startWorld,
  type World,
  watchEngine,
} from "../src/index.ts";
import { onEngine, services, shell } from "./scenario.ts";

onEngine("a schedule whose newest occurrence wins", () => {
  let world: World;
  let events: EngineEvents;

  beforeAll(async () => {
    world = await startWorld(services);
    events = await watchEngine(world.docker, { "mesh.kind": "task" });
    await world.addNode("ams");
  });

  afterAll(async () => {
    await events?.stop();
    await world?.stop();
  });

  it("[C31-114] Supersede starts the new run after the old one's end only (D7, S4)", async () => {
    const stubborn = 'trap "" TERM; i=0; while [ $i -lt 80 ]; do sleep 1; i=$((i+1)); done';
    await world.apply(`{ name: shared, schedule: "* * * * *", concurrencyPolicy: Supersede,
      jobTemplate: { image: "${world.image}", command: ${shell(stubborn)} } }`);
    const second = await eventually("the second run", secondRunning, { seconds: 150 });
    await world.client.suspendCronJob("default", "shared");
    const ours = events.seen().filter(({ labels }) => second.has(labels["mesh.taskId"] ?? ""));
    expect(ours.filter(({ action }) => action === "start")).toHaveLength(2);
    expect(overlaps(ours)).toBe(false);
    const [first] = [...second];
    const stopped = await world.client.tasks("default");
    expect(stopped.find(({ task }) => task.id === first)?.task.desiredStatus).toBe("removed");
  });

  /** The tasks of both runs, oldest first, once the second is alive. */
  async function secondRunning(): Promise<ReadonlySet<string> | undefined> {
    const jobs = await world.client.jobs("default");
    const states = jobs.map(({ state }) => state);
    const inOrder = states.sort((a, b) => a.job.createdAt - b.job.createdAt);
    const isAlive = inOrder[1]?.job.status === "running";
    return isAlive ? new Set(inOrder.flatMap(({ job }) => job.taskIds)) : undefined;
  }
});
