import { afterAll, beforeAll, expect, it } from "vitest";
import {
  eventually,
  pushBusybox,
  type Registry,
  registryLogin,
  startRegistry,
  startWorld,
  type World,
} from "../src/index.ts";
import { idle, onEngine, services, shell } from "./scenario.ts";

onEngine("a registry that wants a password", () => {
  let world: World;
  let registry: Registry;

  beforeAll(async () => {
    registry = await startRegistry({ isPrivate: true });
    world = await startWorld(services);
    const registryCredentials = { [registry.address]: registryLogin };
    await world.addNode("ams", { registryCredentials, labels: { site: "ams" } });
    await world.addNode("ber", { labels: { site: "ber" } });
  });

  afterAll(async () => {
    await world?.stop();
    await registry?.stop();
  });

  /** An image that is in the registry and no longer in the engine. */
  async function privateImage(name: string): Promise<string> {
    const image = await pushBusybox(world.docker, registry.address, { name, login: registryLogin });
    await world.docker.getImage(`${registry.address}/${name}:latest`).remove({ force: true });
    await world.docker
      .getImage(image)
      .remove({ force: true })
      .catch(() => undefined);
    return image;
  }

  const job = (name: string, image: string, site: string): string =>
    `{ name: ${name}, image: "${image}", command: ${shell("exit 0")},
       placement: [{ key: site, operator: equals, value: ${site} }] }`;

  async function endOf(name: string) {
    return eventually(`the end of ${name}`, async () => {
      const { state } = await world.client.job("default", name);
      return ["succeeded", "failed"].includes(state.job.status) ? state : undefined;
    });
  }

  it("[C31-16] Jobs, services and schedules pull with the host's credentials (S6)", async () => {
    const [forJob, forService, forSchedule] = await Promise.all(
      ["for-job", "for-service", "for-schedule"].map(privateImage),
    );
    await world.apply(job("with-login", forJob as string, "ams"));
    await world.apply(`
module: puller
version: 1
resources:
  - { type: container, name: web, image: "${forService}", command: ${idle} }
  - type: container
    name: tick
    image: "${forSchedule}"
    schedule: "* * * * *"
    command: ${shell("exit 0")}
`);
    await world.mesh("assign", "puller", "--node", "ams");
    expect((await endOf("with-login")).job.status).toBe("succeeded");
    await eventually("the service", async () => {
      const labels = { "mesh.module": "puller", "mesh.container": "web" };
      return (await world.containers(labels))[0]?.State.Running || undefined;
    });
    const run = await eventually("the scheduled run", () => firstEnd("puller"), { seconds: 80 });
    expect(run.outcome).toBe("succeeded");
  });

  it("[C31-16] without them it is a failed start that says so (S6, A8)", async () => {
    await world.apply(job("without-login", await privateImage("refused"), "ber"));
    const { job: failed, tasks } = await endOf("without-login");
    expect(failed.status).toBe("failed");
    expect(tasks[0]).toMatchObject({ actualStatus: "failed", failureReason: "neverStarted" });
    const events = await world.client.events({ after: 0, limit: 500 });
    const told = events.map(({ message }) => message).join("\n");
    expect(told).toMatch(/no credentials|unauthorized|authentication/i);
  });

  async function firstEnd(module: string) {
    const runs = await world.client.runs({ module });
    return runs
      .flatMap((run) => (run.kind === "container" ? [run.record] : []))
      .find(({ outcome }) => outcome === "succeeded" || outcome === "failed");
  }
});
