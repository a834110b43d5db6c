import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, type LabNode, startWorld, type World, watchEngine } from "../src/index.ts";
import { onEngine, services, shell } from "./scenario.ts";

onEngine("an agent that was killed finds its tasks again", () => {
  let world: World;
  let node: LabNode;

  beforeAll(async () => {
    world = await startWorld(services);
    node = await world.addNode("ams");
  });

  afterAll(() => world?.stop());

  /** Applies a Job and waits until its only task runs. */
  async function start(name: string, line: string): Promise<string> {
    const command = shell(line);
    await world.apply(`{ name: ${name}, image: "${world.image}", command: ${command} }`);
    return eventually("the running task", async () => {
      const { state } = await world.client.job("default", name);
      return state.job.status === "running" ? state.tasks[0]?.id : undefined;
    });
  }

  async function endOf(name: string) {
    return eventually("the end of the Job", async () => {
      const { state } = await world.client.job("default", name);
      return ["succeeded", "failed"].includes(state.job.status) ? state : undefined;
    });
  }

  const containerOf = async (taskId: string) =>
    (await world.containers({ "mesh.taskId": taskId }))[0];

  it("[C31-55] one that exits 5 meanwhile is reported once, then removed (A7, A8)", async () => {
    const watch = await watchEngine(world.docker, { "mesh.kind": "task" });
    const taskId = await start("exits-5", "sleep 3; exit 5");
    await node.agent.kill();
    await eventually("the exit of the container", async () => {
      const container = await containerOf(taskId);
      return container?.State.Status === "exited" ? true : undefined;
    });
    await node.agent.start();
    const { job, tasks } = await endOf("exits-5");
    expect(job).toMatchObject({ status: "failed", attempts: 1, lastExitCode: 5 });
    expect(tasks).toMatchObject([{ id: taskId, actualStatus: "stopped", exitCode: 5 }]);
    await eventually("the removal of the container", async () =>
      (await containerOf(taskId)) === undefined ? true : undefined,
    );
    const created = watch.seen().filter((e) => e.labels["mesh.taskId"] === taskId);
    expect(created.map(({ action }) => action)).toEqual(["create", "start", "die", "destroy"]);
    expect(await endingsTold("exits-5")).toBe(1);
    await watch.stop();
  });

  it("[C31-55] one that still runs is adopted, not started again (A7)", async () => {
    const watch = await watchEngine(world.docker, { "mesh.kind": "task" });
    const taskId = await start("still-runs", "sleep 6; exit 0");
    await node.agent.kill();
    await node.agent.start();
    expect((await containerOf(taskId))?.State.Running).toBe(true);
    const { job } = await endOf("still-runs");
    expect(job).toMatchObject({ status: "succeeded", attempts: 1 });
    const ofTask = watch.seen().filter(({ labels }) => labels["mesh.taskId"] === taskId);
    const starts = ofTask.filter(({ action }) => action === "start");
    expect(starts).toHaveLength(1);
    await watch.stop();
  });

  /** How often the server has told that this Job failed: once for a report that came once. */
  async function endingsTold(name: string): Promise<number> {
    const events = await world.client.events({ after: 0, limit: 500 });
    return events.filter((e) => e.type === "job.failed" && e.subject.name === name).length;
  }
});
