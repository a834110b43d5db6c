import { type ModuleResource, renderDeclaration } from "@mesh/declaration";
import { expect, it } from "vitest";
import { createAppliers } from "../src/host/appliers.ts";
import {
  at,
  createWorld,
  DIGEST,
  moduleOf,
  outcomes,
  runOnce,
  scheduled,
  service,
} from "./world.ts";

/** A declaration as somebody sends it who does not care for the manifest's rules. */
function raw(...resources: readonly object[]) {
  return {
    v: 1,
    node: "n1",
    generation: 1,
    modules: [{ module: "kometa", account: "mesh-kometa", resources }],
  };
}

async function send(declaration: unknown) {
  const world = createWorld();
  await world.start();
  world.server.declare(declaration);
  await world.clock.advance(1000);
  return world;
}

it("[A53-04] a scheduled image that is not pinned is refused whole, nothing applied (R1, R7)", async () => {
  const directory: ModuleResource = { type: "directory", path: "/var/lib/mesh/kometa" };
  const good = renderDeclaration([moduleOf("kometa", directory, scheduled("* * * * *"))], {
    node: "n1",
    generation: 1,
  });
  const bad = JSON.stringify(good).replace(`kometa@sha256:${DIGEST}`, "kometa:latest");
  const world = await send(JSON.parse(bad));
  const status = world.server.lastStatus();
  expect(status).toMatchObject({ generation: 0, current: false });
  expect(status?.problems[0]).toMatchObject({ module: "kometa", code: "image.not-pinned" });
  await world.until("13:00:00");
  expect(world.engine.calls).toEqual([]);
  expect(world.written.size).toBe(0);
  expect(world.journal.appliedModules()).toEqual([]);
});

it("[A53-05] a service and a scheduled container of one module have one uid (R3)", async () => {
  const world = createWorld();
  await world.start();
  await world.declare(
    moduleOf("kometa", service(), scheduled("* * * * *")),
    moduleOf("vault", service()),
  );
  await world.until("12:01:30");
  const uidOf = (module: string) =>
    new Set(
      world.engine.stretches
        .filter(({ spec }) => spec.environment.MESH_MODULE === module)
        .map(({ spec }) => spec.uid),
    );
  expect(uidOf("kometa").size).toBe(1);
  expect(world.startsOf("kometa-web")[0]?.spec.uid).toBe(
    world.startsOf("kometa-sync")[0]?.spec.uid,
  );
  expect(uidOf("vault")).not.toEqual(uidOf("kometa"));
  const { first, last } = world.settings.bound.accountRange;
  for (const uid of [...uidOf("kometa"), ...uidOf("vault")]) {
    expect(uid).toBeGreaterThanOrEqual(first);
    expect(uid).toBeLessThanOrEqual(last);
  }
});

it("[A53-06] a service stays up, a run-once runs once, a scheduled one on its cadence (R1, A3, A5)", async () => {
  const world = createWorld({ behave: () => ({ afterMs: 1000, exitCode: 0 }) });
  await world.start();
  await world.declare(moduleOf("kometa", runOnce(), service(), scheduled("*/5 * * * *")));
  await world.until("12:10:30");
  expect(world.startsOf("kometa-seed")).toHaveLength(1);
  expect(world.startsOf("kometa-sync").map(({ startedAt }) => startedAt)).toEqual([
    at("12:05"),
    at("12:10"),
  ]);
  expect(world.startsOf("kometa-web").length).toBeGreaterThan(1);
});

for (const type of ["command", "exec", "run"]) {
  it(`[A53-07] the type ${type} is refused as a shape the host does not have (R2, R7)`, async () => {
    const world = await send(raw({ type, name: "x", exec: ["sh", "-c", "id"] }));
    expect(world.server.lastStatus()?.problems[0]?.code).toBe("bound.shape");
    expect(world.engine.calls).toEqual([]);
  });
}

it("[A53-08] a timer is no resource, and no file goes where a system timer would be (R7, R8)", async () => {
  const timer = await send(raw({ type: "timer", name: "x", exec: ["sh"] }));
  expect(timer.server.lastStatus()?.problems[0]?.code).toBe("bound.shape");
  for (const path of ["/etc/cron.d/x", "/etc/systemd/system/x.timer"]) {
    const file = {
      type: "file",
      path,
      mode: "0640",
      owner: "mesh-kometa",
      content: "x\n",
      hash: "0".repeat(64),
    };
    const world = await send(raw(file));
    expect(world.server.lastStatus()?.problems[0]?.code).toBe("path.outside-root");
    expect(world.written.size).toBe(0);
  }
});

it("[A53-11] the host's table of appliers has exactly the three types (R1, R2)", () => {
  const { supersede: _, ...table } = createAppliers({} as never);
  expect(Object.keys(table).sort()).toEqual(["container", "directory", "file"]);
});

it("[A53-12] three modules each have their own cadence, account and image (R1, R3, A2)", async () => {
  const image = (digit: string) => `ghcr.io/acme/m${digit}@sha256:${digit.repeat(64)}`;
  const world = createWorld({ now: "2026-10-13T00:00:00", behave: () => ({ afterMs: 10_000 }) });
  await world.start();
  const cadences = { nightly: "0 3 * * *", poll: "*/5 * * * *", hourly: "0 * * * *" };
  const modules = Object.entries(cadences).map(([name, schedule], index) =>
    moduleOf(name, scheduled(schedule, { name: `${name}-sync`, image: image(String(index + 1)) })),
  );
  await world.declare(...modules);
  await world.until("2026-10-14T00:00:30");
  const starts = Object.keys(cadences).map((name) => world.startsOf(`${name}-sync`));
  expect(starts.map((one) => one.length)).toEqual([1, 288, 24]);
  starts.forEach((runs, index) => {
    expect(new Set(runs.map(({ spec }) => spec.image))).toEqual(
      new Set([image(String(index + 1))]),
    );
    expect(new Set(runs.map(({ spec }) => spec.uid)).size).toBe(1);
  });
  expect(new Set(starts.map(([first]) => first?.spec.uid)).size).toBe(3);
  expect(outcomes(world, "nightly-sync")).toEqual(["03:00 succeeded 0"]);
});
