import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  eventually,
  registerNode,
  startTestServer,
  type TestServer,
  virtualClock,
} from "./server.ts";

const at = (time: string): number => Date.parse(`2026-10-13T${time}Z`);
const image = `docker.io/library/busybox@sha256:${"0123456789abcdef".repeat(4)}`;

describe("a schedule that fell behind", () => {
  const time = virtualClock(at("12:00:00"));
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ clock: time.clock, now: time.now });
  });
  afterAll(() => server.stop());

  it("[C31-130] limit 2 from a manifest: at 12:03 the runs of 12:01 and 12:02 (D2, D1)", async () => {
    const text = `name: late\nschedule: "* * * * *"\nmissedScheduleLimit: 2\njobTemplate:\n  image: ${image}\n`;
    const applied = await server.mesh(["apply", "-f", "-"], text);
    expect(applied).toMatchObject({ exitCode: 0, err: "" });
    time.goTo(at("12:03:00"));
    const first = await eventually(async () => {
      const decisions = await server.client.decisions("default", "late");
      return decisions.at(-1);
    });
    expect(
      first.decision.outcomes.map((outcome) => outcome.outcome === "create" && outcome.runName),
    ).toEqual(["late-202610131201", "late-202610131202"]);
    const { out } = await server.mesh(["get", "runs", "--schedule", "late"]);
    expect(out).toContain("2026-10-13T12:01:00Z");
    expect(out).toContain("2026-10-13T12:02:00Z");
    const why = await server.mesh(["why", "late", "--limit", "10"]);
    expect(why.out).toContain("cut off by the limit");
    expect(why.out).toContain("created late-202610131201");
    expect(why.out).toContain("Tue 2026-10-13 14:03:00 +02:00");
  });
});

describe("runs that a host reported", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await registerNode(server.client, "n1");
  });
  afterAll(() => server.stop());

  it("[A53-26] a run of 03:00 with exit 17 is shown, also after a restart (A3, A8)", async () => {
    const container = { type: "container", name: "kometa-sync", image, schedule: "0 3 * * *" };
    const manifest = { module: "kometa", version: 1, resources: [container] };
    await server.mesh(["apply", "-f", "-"], JSON.stringify(manifest));
    await server.mesh(["assign", "kometa", "--node", "n1"]);
    const record = {
      outcome: "failed",
      runId: "r1",
      occurrenceAt: at("03:00:00"),
      startedAt: at("03:00:00"),
      finishedAt: at("03:00:30"),
      exitCode: 17,
      output: "no such library\n",
    } as const;
    const about = { module: "kometa", container: "kometa-sync" };
    const report = { kind: "run", id: "r1/1", at: at("03:00:30"), ...about, record } as const;
    await server.client.report({ node: "n1", reports: [report] });

    const row = /^kometa\/kometa-sync +2026-10-13T03:00:00Z +failed +17 +- +n1 +r1$/m;
    const shows = async () => {
      expect(await server.mesh(["get", "runs"])).toMatchObject({
        exitCode: 0,
        err: "",
        out: expect.stringMatching(row),
      });
      expect((await server.mesh(["get", "runs", "--module", "kometa"])).out).toMatch(row);
      const module = await server.mesh(["describe", "module", "kometa"]);
      expect(module.out).toMatch(/kometa-sync +2026-10-13T03:00:00Z +failed +17 /);
      expect((await server.mesh(["logs", "module", "kometa"])).out).toBe("no such library");
    };
    await shows();
    await server.restart();
    await shows();
  });
});
