import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JobView } from "@mesh/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, type LabNode, startWorld, type World, watchEngine } from "../src/index.ts";
import { onEngine, services, shell } from "./scenario.ts";

const leaseSeconds = 6;

/** Appends a line at every attempt, and makes one folder for a run, however often it is tried. */
const work =
  'echo "$MESH_RUN_ID $MESH_SCHEDULED_AT" >> /data/lines; mkdir -p "/data/once-$MESH_RUN_ID"; ' +
  "sleep 2; echo done >> /data/lines";

onEngine("a node is cut off from its server", () => {
  let world: World;
  let node: LabNode;

  beforeAll(async () => {
    world = await startWorld(services, { leaseSeconds });
    node = await world.addNode("ams");
  });

  afterAll(() => world?.stop());

  const jobOf = async (name: string): Promise<JobView["state"]> =>
    (await world.client.job("default", name)).state;

  async function running(name: string): Promise<JobView["state"]> {
    return eventually(`the running Job ${name}`, async () => {
      const state = await jobOf(name);
      return state.job.status === "running" ? state : undefined;
    });
  }

  /** The node is out of reach until the server has given up its task. */
  async function cutUntilLost(name: string, taskId: string): Promise<void> {
    await node.link.cut();
    await eventually("the loss of the node", async () => {
      const lost = (await jobOf(name)).tasks.find(({ id }) => id === taskId);
      return lost?.failureReason === "nodeLost" ? true : undefined;
    });
    await node.link.mend();
  }

  async function endOf(name: string): Promise<JobView["state"]> {
    return eventually(`the end of ${name}`, async () => {
      const state = await jobOf(name);
      return ["succeeded", "failed"].includes(state.job.status) ? state : undefined;
    });
  }

  it("[C31-51][C31-52] work is done twice under one key when its report is lost (J12)", async () => {
    await world.apply(template("twice"));
    const { tasks } = await running("twice");
    await cutUntilLost("twice", tasks[0]?.id ?? "");
    const { job } = await endOf("twice");
    expect(job).toMatchObject({ status: "succeeded", attempts: 2 });
    const { lines, folders } = await effects("twice");
    expect(lines.filter((line) => line === "done")).toHaveLength(2);
    expect(new Set(lines.filter((line) => line !== "done")).size).toBe(1);
    expect(folders).toHaveLength(1);
  });

  it("[C31-123][C31-52] one scheduled run is created once and attempted twice (J12)", async () => {
    await world.apply(`{ name: minutely, schedule: "* * * * *", missedScheduleLimit: 1,
      concurrencyPolicy: Forbid, jobTemplate: ${body("scheduled")} }`);
    const name = await eventually("the run of a minute", () => firstRun("minutely"), {
      seconds: 70,
    });
    const { tasks } = await running(name);
    await cutUntilLost(name, tasks[0]?.id ?? "");
    const { job } = await endOf(name);
    await world.client.suspendCronJob("default", "minutely");
    expect(job).toMatchObject({ status: "succeeded", attempts: 2 });
    const { lines, folders } = await effects("scheduled");
    const [first, second] = lines.filter((line) => line.endsWith("Z"));
    expect(first).toBe(second);
    expect(first).toMatch(/ \d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
    expect(folders).toHaveLength(1);
    const runs = await world.client.runs({ namespace: "default", schedule: "minutely" });
    const created = runs.filter((run) => run.kind === "cronjob" && run.runName === name);
    expect(created).toHaveLength(1);
  });

  it("[C31-126] tasks end before the lease does, are lost and retried; late news is ignored (S4)", async () => {
    const watch = await watchEngine(world.docker, { "mesh.kind": "task" });
    await world.apply(`{ name: long, image: "${world.image}", backoffLimit: 1,
      command: ${shell('[ "$MESH_ATTEMPT" = 2 ] || { trap "exit 9" TERM; sleep 120 & wait; }')} }`);
    const { tasks } = await running("long");
    const taskId = tasks[0]?.id ?? "";
    await node.link.cut();
    const lost = await eventually("the loss of the node", async () => {
      const found = (await jobOf("long")).tasks.find(({ id }) => id === taskId);
      return found?.failureReason === "nodeLost" ? found : undefined;
    });
    const died = await eventually("the end of the container", async () =>
      watch.seen().find((e) => e.action === "die" && e.labels["mesh.taskId"] === taskId),
    );
    expect(died.at).toBeLessThan(lost.finishedAt ?? 0);
    await node.link.mend();
    const { job, tasks: both } = await endOf("long");
    expect(job).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(both[0]).toEqual(lost);
    await watch.stop();
  });

  const body = (claim: string): string =>
    `{ image: "${world.image}", command: ${shell(work)}, backoffLimit: 1,
       volumeClaims: [{ claim: ${claim}, target: /data }] }`;

  const template = (name: string): string => body(name).replace("{", `{ name: ${name},`);

  async function firstRun(schedule: string): Promise<string | undefined> {
    const runs = await world.client.runs({ namespace: "default", schedule });
    const created = runs.filter((run) => run.kind === "cronjob" && run.outcome === "create");
    return created.map((run) => (run.kind === "cronjob" ? run.runName : undefined))[0];
  }

  /** What the work has left in its volume on the node. */
  async function effects(claim: string): Promise<{ lines: string[]; folders: string[] }> {
    const below = await readdir(node.folder, { recursive: true });
    const lines = below.find((path) => path.endsWith("/lines") && path.includes(`/${claim}/`));
    if (lines === undefined) throw new Error(`no volume of ${claim}: ${below.join(", ")}`);
    const text = await readFile(join(node.folder, lines), "utf8");
    const once = `${lines.slice(0, -"lines".length)}once-`;
    return {
      lines: text.trim().split("\n"),
      folders: below.filter((path) => path.startsWith(once)),
    };
  }
});
