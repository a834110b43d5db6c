import type { ContainerRunView, NodeView } from "@mesh/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Container,
  type EngineEvents,
  eventually,
  overlaps,
  startWorld,
  type World,
  watchEngine,
} from "../src/index.ts";
import { idle, onEngine, services, shell, variable } from "./scenario.ts";

const data = "/var/lib/mesh/kometa/data";
const volume = `[{ source: ${data}, target: /data }]`;

const syncLine =
  'test -e /tmp/trace && echo "$MESH_RUN_ID" >> /data/stale; touch /tmp/trace; ' +
  'echo "$MESH_SCHEDULED_AT $MESH_RUN_ID" >> /data/visits; sleep 3';

const kometa = (image: string): string => `
module: kometa
version: 1
resources:
  - { type: directory, path: /var/lib/mesh/kometa }
  - { type: directory, path: ${data} }
  - { type: container, name: web, image: "${image}", volumes: ${volume}, command: ${idle} }
  - type: container
    name: sync
    image: "${image}"
    schedule: "* * * * *"
    environment: { LIBRARY: films }
    volumes: ${volume}
    command: ${shell(syncLine)}
  - type: container
    name: flaky
    image: "${image}"
    schedule: "* * * * *"
    command: ${shell("exit 17")}
  - type: container
    name: slow
    image: "${image}"
    schedule: "* * * * *"
    command: ["sleep", "75"]
  - type: container
    name: victim
    image: "${image}"
    schedule: "* * * * *"
    volumes: ${volume}
    command: ${shell("echo begun >> /data/halves; sleep 30")}
`;

interface Watched {
  readonly statuses: readonly { readonly at: number; readonly node: NodeView }[];
  readonly containers: ReadonlyMap<string, Container>;
  readonly runs: readonly ContainerRunView[];
}

onEngine("a real module recurs on a real engine", () => {
  let world: World;
  let events: EngineEvents;
  let watched: Watched;
  let hostPrefix: string;

  beforeAll(async () => {
    world = await startWorld(services);
    events = await watchEngine(world.docker, { "mesh.module": "kometa" });
    ({ hostPrefix } = await world.addNode("ams"));
    await world.apply(kometa(world.image));
    const assigned = await world.mesh("assign", "kometa", "--node", "ams");
    expect(assigned, assigned.stderr).toMatchObject({ code: 0 });
    watched = await watchTwoOccurrences(world);
  }, 300_000);

  afterAll(async () => {
    await events?.stop();
    await world?.stop();
  });

  const recordsOf = (container: string) =>
    watched.runs.filter((run) => run.container === container).map(({ record }) => record);
  const endsOf = (container: string) =>
    recordsOf(container).filter((r) => r.outcome === "succeeded" || r.outcome === "failed");
  const containersOf = (name: string) =>
    [...watched.containers.values()].filter(
      ({ Config }) => Config.Labels["mesh.container"] === name,
    );

  it("[A53-61] it fires on its minutes, and the node is current before the first (A1–A3)", () => {
    const [first, second] = endsOf("sync");
    expect([first?.outcome, second?.outcome]).toEqual(["succeeded", "succeeded"]);
    expect((second?.occurrenceAt ?? 0) - (first?.occurrenceAt ?? 0)).toBe(60_000);
    for (const run of [first, second]) {
      expect((run?.occurrenceAt ?? 1) % 60_000).toBe(0);
      const delay = (run?.startedAt ?? 0) - (run?.occurrenceAt ?? 0);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThan(60_000);
    }
    const current = watched.statuses.find(({ node }) => node.status?.current);
    expect(current?.at).toBeLessThan(first?.startedAt ?? 0);
  });

  it("[A53-62] a run has the account and exactly the volumes of its module (R3, R8)", async () => {
    const [service] = containersOf("web");
    for (const run of containersOf("sync")) {
      expect(run.Config.User).toBe(service?.Config.User);
      expect(Number(run.Config.User.split(":")[0])).toBeGreaterThan(0);
      expect(run.Mounts.map(({ Source, Destination }) => [Source, Destination])).toEqual([
        [`${hostPrefix}${data}`, "/data"],
      ]);
    }
    const seen = await readInside(world, service as Container, "/data/visits");
    expect(seen.trim().split("\n").length).toBeGreaterThanOrEqual(2);
  });

  it("[A53-50] a run is a pinned image under a scoped account, and nothing more (R7)", async () => {
    const pinned = await world.docker.getImage(world.image).inspect();
    for (const { Image, HostConfig, Mounts } of containersOf("sync")) {
      expect(Image).toBe(pinned.Id);
      expect(HostConfig.Privileged).toBe(false);
      expect(HostConfig.CapAdd ?? []).toEqual([]);
      expect(HostConfig.CapDrop).toEqual(["ALL"]);
      expect(HostConfig.Devices ?? []).toEqual([]);
      for (const mode of [HostConfig.NetworkMode, HostConfig.PidMode, HostConfig.IpcMode]) {
        expect(mode).not.toBe("host");
      }
      expect(Mounts.every(({ Source }) => Source.startsWith(`${hostPrefix}/`))).toBe(true);
    }
  });

  it("[A53-44] two runs share all but their identity, and only volumes pass between (A3)", async () => {
    const [first, second] = containersOf("sync") as [Container, Container];
    expect(first.Id).not.toBe(second.Id);
    expect(variable(first, "MESH_RUN_ID")).not.toBe(variable(second, "MESH_RUN_ID"));
    const alike = ({ Image, Config, Mounts }: Container) => ({
      Image,
      command: Config.Cmd,
      user: Config.User,
      mounts: Mounts.map(({ Source, Destination, RW }) => ({ Source, Destination, RW })),
      environment: Config.Env.filter((line) => !/^MESH_(RUN_ID|SCHEDULED_AT)=/.test(line)),
    });
    expect(alike(first)).toEqual(alike(second));
    expect(alike(first).environment).toContain("LIBRARY=films");
    const [service] = containersOf("web");
    await expect(readInside(world, service as Container, "/data/stale")).rejects.toThrow();
  });

  it("[A53-45] after a run that was killed the next one starts as usual (A3)", async () => {
    const [killed, next] = recordsOf("victim").filter(({ outcome }) => outcome !== "started");
    expect(killed).toMatchObject({ outcome: "failed", exitCode: 137 });
    expect(next?.outcome === "failed" ? next.exitCode : undefined).not.toBe(137);
    const runs = containersOf("victim");
    expect(runs.length).toBeGreaterThanOrEqual(2);
    expect(runs[0]?.Mounts.map(({ Source }) => Source)).toEqual(
      runs[1]?.Mounts.map(({ Source }) => Source),
    );
    const [service] = containersOf("web");
    const halves = await readInside(world, service as Container, "/data/halves");
    expect(halves.trim().split("\n").length).toBeGreaterThanOrEqual(2);
  });

  it("a failing run is recorded, the next comes, and the node stays current (A3)", () => {
    expect(endsOf("flaky").slice(0, 2)).toEqual([
      expect.objectContaining({ outcome: "failed", exitCode: 17 }),
      expect.objectContaining({ outcome: "failed", exitCode: 17 }),
    ]);
    const since = watched.statuses.findIndex(({ node }) => node.status?.current);
    const states = watched.statuses.slice(since).map(({ node }) => node.status?.current);
    expect(states.every((current) => current === true)).toBe(true);
  });

  it("a run that takes too long makes a skip, and is left alone (A4)", () => {
    const skips = recordsOf("slow").filter(({ outcome }) => outcome === "skipped");
    expect(skips).toHaveLength(1);
    expect(skips[0]).toMatchObject({
      activeRunId: expect.stringContaining("slow"),
      reason: expect.stringContaining("active"),
    });
    const ofSlow = events.seen().filter(({ labels }) => labels["mesh.container"] === "slow");
    expect(overlaps(ofSlow)).toBe(false);
    expect(ofSlow.filter(({ action }) => action === "kill")).toEqual([]);
  });

  it("an operator sees the runs with mesh", async () => {
    const { code, stdout } = await world.mesh("get", "runs");
    expect(code).toBe(0);
    for (const part of ["sync", "flaky", "slow", "17"]) expect(stdout).toContain(part);
  });
});

/** Follows the module until two of its minutes are over, and kills one run on the way. */
async function watchTwoOccurrences(world: World): Promise<Watched> {
  const statuses: { at: number; node: NodeView }[] = [];
  const containers = new Map<string, Container>();
  let hasKilled = false;
  const look = async (): Promise<Watched | undefined> => {
    statuses.push({ at: Date.now(), node: await world.client.node("ams") });
    for (const container of await world.containers({ "mesh.module": "kometa" })) {
      containers.set(container.Id, container);
      const isVictim = container.Config.Labels["mesh.container"] === "victim";
      if (isVictim && container.State.Running && !hasKilled) {
        hasKilled = true;
        await world.docker.getContainer(container.Id).kill();
      }
    }
    const all = await world.client.runs({ module: "kometa", limit: 500 });
    const runs = all.filter((run) => run.kind === "container").sort((a, b) => a.at - b.at);
    const over = (name: string, outcome: string, count: number): boolean =>
      runs.filter((run) => run.container === name && run.record.outcome === outcome).length >=
      count;
    const isDone =
      over("sync", "succeeded", 2) &&
      over("flaky", "failed", 2) &&
      over("slow", "skipped", 1) &&
      over("victim", "failed", 1) &&
      over("victim", "succeeded", 1);
    return isDone ? { statuses, containers, runs } : undefined;
  };
  return eventually("two occurrences", look, { seconds: 200, everyMs: 250 });
}

/** What a file holds, as a container of the module sees it. */
async function readInside(world: World, { Id }: Container, path: string): Promise<string> {
  const exec = await world.docker
    .getContainer(Id)
    .exec({ Cmd: ["cat", path], AttachStdout: true, Tty: true });
  const stream = await exec.start({ Tty: true });
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(text);
  return text.replaceAll("\r\n", "\n");
}
