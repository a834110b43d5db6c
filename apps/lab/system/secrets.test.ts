import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, startWorld, type World } from "../src/index.ts";
import { onEngine, services, shell } from "./scenario.ts";

onEngine("a Job's environment and secrets", () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld(services);
    await world.addNode("ams");
  });

  afterAll(() => world?.stop());

  const job = (name: string, secret: string): string =>
    `{ name: ${name}, image: "${world.image}", environment: { COLOUR: green },
       secrets: [{ name: ${secret} }],
       command: ${shell('echo "$COLOUR $(cat /run/secrets/*)"')} }`;

  async function endOf(name: string) {
    return eventually(`the end of ${name}`, async () => {
      const { state } = await world.client.job("default", name);
      return ["succeeded", "failed"].includes(state.job.status) ? state : undefined;
    });
  }

  it("[C31-15] its process sees both (J1, S6)", async () => {
    await world.client.setSecret("default", "token", { value: "of-gold" });
    await world.apply(job("equipped", "token"));
    expect((await endOf("equipped")).job.status).toBe("succeeded");
    const tasks = await world.client.tasks("default");
    expect(tasks.find(({ jobName }) => jobName === "equipped")?.output).toBe("green of-gold\n");
  });

  it("[C31-15] a missing secret is a failed start with a reason that names it (S6)", async () => {
    await world.apply(job("unequipped", "nowhere"));
    const { job: failed, tasks } = await endOf("unequipped");
    expect(failed.status).toBe("failed");
    expect(tasks[0]).toMatchObject({ failureReason: "neverStarted" });
    const events = await world.client.events({ after: 0, limit: 500 });
    expect(events.some(({ message }) => message.includes("nowhere"))).toBe(true);
  });
});
