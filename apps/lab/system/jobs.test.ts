import type { JobView, TaskView } from "@mesh/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Container,
  type EngineEvents,
  eventually,
  startWorld,
  type World,
  watchEngine,
} from "../src/index.ts";
import { onEngine, services, shell } from "./scenario.ts";

/** What a proof of execution names: one entry an attempt (J11). */
interface AttemptRecord {
  readonly image: string;
  readonly command: readonly string[];
  readonly containerExit: number | undefined;
  readonly taskExit: number | undefined;
  readonly job: string;
}

onEngine("a Job is executed, not only reported", () => {
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

  const job = (name: string, line: string): string =>
    `{ name: ${name}, image: "${world.image}", command: ${shell(line)}, backoffLimit: 0 }`;

  /** Applies a Job, meets its container while it runs, and waits for the Job's end. */
  async function execute(name: string, line: string): Promise<[JobView, Container, TaskView]> {
    await world.apply(job(name, line));
    const container = await eventually(`the container of ${name}`, async () => {
      const { state } = await world.client.job("default", name);
      const [found] = await world.containers({ "mesh.taskId": state.tasks[0]?.id ?? "" });
      return found;
    });
    const ended = await endOf(world, name);
    const tasks = await world.client.tasks("default");
    return [ended, container, tasks.find(({ jobName }) => jobName === name) as TaskView];
  }

  const recordOf = ([{ state }, container, { task }]: [JobView, Container, TaskView]) => {
    const died = events
      .seen()
      .find(({ action, containerId }) => action === "die" && containerId === container.Id);
    const record: AttemptRecord = {
      image: container.Config.Image,
      command: container.Config.Cmd,
      containerExit: died?.exitCode,
      taskExit: task.exitCode,
      job: state.job.status,
    };
    return record;
  };

  it("[C31-33][C31-34] exit 3 of the container is exit 3 of the task, and the Job failed", async () => {
    const line = "sleep 1; exit 3";
    expect(recordOf(await execute("exits-3", line))).toEqual({
      image: world.image,
      command: ["sh", "-c", line],
      containerExit: 3,
      taskExit: 3,
      job: "failed",
    });
  });

  it("[C31-33][C31-34] exit 0 succeeded, and what it printed is in the log (A8)", async () => {
    const line = "sleep 1; printf 'atlas report\\n'";
    const executed = await execute("prints", line);
    expect(recordOf(executed)).toEqual({
      image: world.image,
      command: ["sh", "-c", line],
      containerExit: 0,
      taskExit: 0,
      job: "succeeded",
    });
    expect(executed[2].output).toContain("atlas report");
  });

  it("[C31-60] history is taken before cleanup, and only own containers go (A7)", async () => {
    const foreign = await foreignContainers(world);
    await world.apply(job("cleaned", "sleep 30"));
    const running = await eventually("the running Job", async () => {
      const view = await world.client.job("default", "cleaned");
      return view.state.job.status === "running" ? view : undefined;
    });
    const [task] = running.state.tasks;
    const exported = await world.mesh("describe", "job", "cleaned");
    expect(exported.stdout).toContain("ams");

    expect((await world.mesh("delete", "job", "cleaned")).code).toBe(0);
    await eventually("the removal of its container", async () =>
      (await world.containers({ "mesh.taskId": task?.id ?? "" })).length === 0 ? true : undefined,
    );
    for (const container of foreign) {
      expect((await container.inspect()).State.Running).toBe(true);
      await container.remove({ force: true });
    }
  });

  it("[C31-124] a server as delivered creates a run within the schedule's minute (S8)", async () => {
    await world.apply(`{ name: minutely, schedule: "* * * * *", jobTemplate:
      { image: "${world.image}", command: ${shell("exit 0")} } }`);
    const run = await eventually("the run", () => scheduledRun(world, "minutely"), { seconds: 70 });
    const { state } = await world.client.job("default", run.jobId ?? "");
    const delay = state.job.createdAt - run.firstAt;
    expect(delay).toBeGreaterThanOrEqual(0);
    expect(delay).toBeLessThan(60_000);
    expect((await endOf(world, run.runName ?? "")).state.job.status).toBe("succeeded");
  });
});

async function scheduledRun(world: World, schedule: string) {
  const runs = await world.client.runs({ namespace: "default", schedule });
  return runs.filter((run) => run.kind === "cronjob").find(({ outcome }) => outcome === "create");
}

async function endOf(world: World, name: string): Promise<JobView> {
  return eventually(`the end of ${name}`, async () => {
    const view = await world.client.job("default", name);
    return ["succeeded", "failed"].includes(view.state.job.status) ? view : undefined;
  });
}

/** One container that nobody of ours has made, and one that another host's agent could have. */
async function foreignContainers(world: World) {
  const labels = [{}, { "mesh.v": "1", "mesh.host": "another", "mesh.kind": "task" }];
  return Promise.all(
    labels.map(async (Labels) => {
      const options = { Image: world.image, Cmd: ["sleep", "300"], Labels };
      const container = await world.docker.createContainer(options);
      await container.start();
      return container;
    }),
  );
}
