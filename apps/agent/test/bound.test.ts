import { readdirSync, readFileSync } from "node:fs";
import { type ModuleResource, renderDeclaration } from "@mesh/declaration";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readHostConfig } from "../src/host-file.ts";
import { judgeDeclaration } from "../src/link/judge.ts";
import { limitedFetch } from "../src/link/limited-fetch.ts";
import {
  createWorld,
  DIGEST,
  IMAGE,
  moduleOf,
  runOnce,
  scheduled,
  service,
  type World,
} from "./world.ts";

interface Row {
  readonly id: string;
  readonly where: "decl" | "fs" | "link";
  readonly code: string;
  readonly what: string;
  readonly resource?: Readonly<Record<string, unknown>>;
}

const rows = readFileSync(new URL("cases/host-bound.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Row);

const DIRECTORY: ModuleResource = { type: "directory", path: "/var/lib/mesh/kometa" };

/** A good declaration of the module, as the server renders it. */
function good(generation = 1, ...more: readonly ModuleResource[]) {
  const resources = [DIRECTORY, ...more];
  return renderDeclaration([moduleOf("kometa", ...resources)], { node: "n1", generation });
}

/** The same with one resource more, which nobody has rendered. */
function withResource(resource: object) {
  const declaration = JSON.parse(JSON.stringify(good()));
  const container = declared(resource);
  declaration.modules[0].resources.push(container);
  return declaration;
}

/** Fills in what the case leaves out, so that what is refused is what the case is about. */
function declared(resource: object): object {
  const hash = "0".repeat(64);
  const { type } = resource as { type?: string };
  if (type !== "container") return { owner: "mesh-kometa", hash, ...resource };
  const { volumes = [], ...rest } = resource as { volumes?: readonly object[] };
  return {
    environment: {},
    resources: {},
    "run-once": false,
    hash,
    ...rest,
    volumes: volumes.map((one) => ({ readOnly: false, ...one })),
  };
}

async function send(declaration: unknown): Promise<World> {
  const world = createWorld();
  await world.start();
  world.server.declare(declaration);
  await world.until("12:05:00");
  return world;
}

function expectUntouched(world: World): void {
  expect(world.engine.calls).toEqual([]);
  expect(world.written.size).toBe(0);
  expect(world.journal.appliedModules()).toEqual([]);
  expect(world.journal.schedules()).toEqual([]);
}

describe("a declaration that asks for more is refused whole (R7)", () => {
  for (const row of rows.filter(({ where }) => where === "decl")) {
    it(`${row.id} ${row.what}: ${row.code}`, async () => {
      const world = await send(withResource(row.resource ?? {}));
      expect(world.server.lastStatus()?.problems[0]?.code).toBe(row.code);
      expect(world.server.lastStatus()).toMatchObject({ current: false });
      expectUntouched(world);
    });
  }

  for (const row of rows.filter(({ resource }) => resource?.type === "container")) {
    if (row.where !== "decl") continue;
    it(`[A53-51] ${row.id} with a schedule added: the same verdict, nothing changed (R7)`, async () => {
      const world = await send(withResource({ ...row.resource, schedule: "* * * * *" }));
      expect(world.server.lastStatus()?.problems[0]?.code).toBe(row.code);
      expectUntouched(world);
    });
  }

  const texts = ["0 24 * * *", "0 3 * * *; reboot", "$(id) * * * *", "@reboot"];
  for (const schedule of texts) {
    it(`[A53-52] the host judges the text itself: ${schedule} is refused whole (R7)`, async () => {
      const world = await send(withResource({ ...CONTAINER, schedule }));
      expect(world.server.lastStatus()?.problems[0]?.code).toMatch(/^cron\./);
      expectUntouched(world);
    });
  }

  it("[A53-52] run-once together with a schedule is refused whole (R7)", async () => {
    const world = await send(
      withResource({ ...CONTAINER, schedule: "0 3 * * *", "run-once": true }),
    );
    expect(world.server.lastStatus()?.problems[0]?.code).toBe("run.exclusive");
    expectUntouched(world);
  });

  it("what was applied before stays as it is, and goes on firing", async () => {
    const world = createWorld();
    await world.start();
    world.server.declare(good(1, scheduled("* * * * *")));
    await world.until("12:01:30");
    world.server.declare({ ...withResource({ type: "timer", name: "x" }), generation: 2 });
    await world.until("12:03:30");
    expect(world.server.lastStatus()).toMatchObject({
      generation: 1,
      applied: true,
      current: false,
    });
    expect(world.startsOf("kometa-sync")).toHaveLength(3);
    world.server.declare(good(3, scheduled("* * * * *")));
    await world.until("12:04:30");
    expect(world.server.lastStatus()).toEqual({
      generation: 3,
      applied: true,
      current: true,
      problems: [],
    });
  });
});

const CONTAINER = { type: "container", name: "kometa-sync", account: "mesh-kometa", image: IMAGE };

/** What makes each link row of the cases out of a good declaration. */
const linkCases: Readonly<Record<string, (declaration: ReturnType<typeof good>) => unknown>> = {
  "bound-62": (declaration) => ({ ...declaration, generation: 4 }),
  "bound-63": (declaration) => ({ ...declaration, v: 2 }),
  "bound-64": (declaration) => ({
    ...declaration,
    generation: 6,
    node: "n".repeat(5 * 1024 * 1024),
  }),
  "bound-65": (declaration) => ({ ...declaration, generation: 6, roots: ["/"] }),
  "bound-66": () =>
    good(
      6,
      ...Array.from({ length: 200 }, (_, index) => scheduled("* * * * *", { name: `s${index}` })),
    ),
};

describe("the declaration as a whole", () => {
  for (const row of rows.filter(({ where, id }) => where === "link" && id !== "bound-67")) {
    it(`${row.id} ${row.what}: ${row.code}`, async () => {
      const world = createWorld();
      await world.start();
      world.server.declare(good(5));
      await world.until("12:01:00");
      const make = linkCases[row.id];
      if (make === undefined) throw new Error(`no case for ${row.id}`);
      world.server.declare(make(good(6)));
      await world.until("12:02:00");
      expect(world.server.lastStatus()).toMatchObject({
        generation: 5,
        applied: true,
        current: false,
      });
      expect(world.server.lastStatus()?.problems[0]?.code).toBe(row.code);
      expect(world.engine.calls).toEqual([]);
      expect(world.journal.declaration()?.generation).toBe(5);
    });
  }

  it("bound-67 no limits given: the host's own, never unlimited", async () => {
    const world = createWorld();
    await world.start();
    world.server.declare(good(1, service(), scheduled("* * * * *"), runOnce()));
    await world.until("12:01:30");
    expect(world.engine.stretches.length).toBeGreaterThanOrEqual(3);
    for (const { spec } of world.engine.stretches) {
      expect(spec).toMatchObject(world.settings.defaults);
      expect(Object.values(world.settings.defaults).every((limit) => limit > 0)).toBe(true);
    }
  });

  it("an answer over the byte limit is given up before it is parsed", async () => {
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    });
    const before = globalThis.fetch;
    globalThis.fetch = async () => new Response(endless);
    try {
      const call = limitedFetch(4 * 1024 * 1024)("http://server/v1/agent/poll", {
        method: "POST",
        headers: {},
      });
      await expect(call).rejects.toThrow(/declaration\.too-large/);
    } finally {
      globalThis.fetch = before;
    }
  });

  it("a declaration for another node is refused, and anything that is none", () => {
    const { bound } = createWorld().settings;
    const judge = (value: unknown) => {
      const judged = judgeDeclaration(value, { bound, generation: 0 });
      return judged.ok ? "taken" : judged.refusal.code;
    };
    expect(judge({ ...good(), node: "n2" })).toBe("declaration.wrong-host");
    for (const value of [null, 1, "x", [], {}, { v: "1" }])
      expect(judge(value)).toBe("declaration.format");
    expect(judge(good())).toBe("taken");
  });
});

describe("a schedule says how often, never what", () => {
  it("[A53-48] a day of scheduled runs makes no kind of engine call that others do not (R2, R7)", async () => {
    const kinds = async (...resources: readonly ModuleResource[]) => {
      const world = createWorld({
        now: "00:00:30",
        leaseSeconds: 3600,
        behave: () => ({ afterMs: 1000 }),
      });
      await world.start();
      await world.declare(moduleOf("kometa", ...resources));
      await world.until(resources.length === 1 ? "2026-10-14T00:00:30" : "00:10:00");
      await world.declare(moduleOf("kometa"));
      await world.clock.advance(60_000);
      return new Set(world.engine.calls.map(({ kind }) => kind));
    };
    const ofSchedules = await kinds(scheduled("*/10 * * * *"));
    const ofOthers = await kinds(service(), runOnce());
    expect(ofSchedules.size).toBeGreaterThan(2);
    for (const kind of ofSchedules) expect(ofOthers).toContain(kind);
  });

  it("[A53-49] the create call of a run has the expression in a label and nowhere else (R2, R7)", async () => {
    const field = (low: number, high: number) =>
      fc
        .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
    const expression = fc
      .tuple(field(0, 59), field(0, 23), fc.constant("1-28"), field(1, 12))
      .map((fields) => `${fields.join(" ")} */1`);
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    await fc.assert(
      fc.asyncProperty(expression, fc.array(word, { maxLength: 3 }), async (schedule, words) => {
        const world = createWorld({ leaseSeconds: 3600 });
        await world.start();
        await world.declare(
          moduleOf("kometa", scheduled(schedule, { command: ["run", ...words] })),
        );
        const installed = world.journal.schedule("kometa", "kometa-sync");
        if (installed === undefined) throw new Error("expected a schedule");
        const { nextOccurrence, parseCron } = await import("@mesh/cron");
        const next = nextOccurrence(parseCron(schedule), world.clock.now(), {
          horizonMinutes: Infinity,
        });
        world.clock.step((next ?? 0) - world.clock.now());
        await world.clock.advance(20_000);
        const [{ spec } = { spec: undefined }] = world.engine.stretches;
        if (spec === undefined) throw new Error("expected a run");
        const { labels, ...rest } = spec;
        expect(Object.values(labels)).toContain(schedule);
        expect(JSON.stringify(rest)).not.toContain(schedule);
        expect(rest.command).toEqual(["run", ...words]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("no host command, by any way", () => {
  it("[A53-53] only the adapter that the host's own file chooses starts processes (R7)", () => {
    const sources = readdirSync(new URL("../src", import.meta.url), {
      recursive: true,
      encoding: "utf8",
    })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) =>
        /child_process|worker_threads|node:vm/.test(
          readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8"),
        ),
      );
    expect(sources).toEqual(["engine/raw-exec.ts"]);
    const delivered = new URL("../host.example.yaml", import.meta.url).pathname;
    expect(readHostConfig(delivered, {}).engine).toMatchObject({ kind: "docker" });
  });

  for (const word of ["rawExec", "raw-exec", "engine"]) {
    it(`[A53-53] ${word} sent over the link is refused, and starts nothing (R7)`, async () => {
      const world = await send({ ...good(1, scheduled("* * * * *")), [word]: true });
      expect(world.server.lastStatus()?.problems[0]?.code).toMatch(
        /^(bound\.change|bound\.option|shape\.unknown-key)$/,
      );
      expectUntouched(world);
    });
  }

  it("[A53-53] without raw-exec no declaration reaches a process: all goes through the engine (R7)", async () => {
    const world = await send(good(1, service(), scheduled("* * * * *"), runOnce()));
    const run = world.engine.stretches.map(({ spec }) => spec);
    const names = new Set(run.map(({ environment }) => environment.MESH_NAME));
    expect([...names].sort()).toEqual(["kometa-seed", "kometa-sync", "kometa-web"]);
    for (const { image } of run) expect(image).toContain(DIGEST);
  });
});

describe("a bound that its owner narrows between two starts (R7)", () => {
  it("holds at once for what was taken up before: nothing outside of it is started", async () => {
    const world = createWorld({
      behave: ({ spec }) => (spec.environment.MESH_NAME === "kometa-web" ? {} : { afterMs: 1000 }),
    });
    await world.start();
    await world.declare(moduleOf("kometa", service(), scheduled("* * * * *")));
    await world.until("12:01:30");
    expect(world.startsOf("kometa-sync")).toHaveLength(1);
    world.kill();
    const bound = { ...world.settings.bound, registries: ["registry.example"] };
    Object.assign(world.settings, { bound });
    world.engine.restart();
    await world.start();
    await world.until("12:03:30");
    expect(world.startsOf("kometa-web")).toHaveLength(1);
    expect(world.startsOf("kometa-sync")).toHaveLength(1);
    expect(world.records("kometa-sync").at(-1)?.record).toMatchObject({
      outcome: "failed",
      reason: "neverStarted",
      message: expect.stringContaining("outside this host's bound"),
    });
    expect(world.host().status()).toMatchObject({ current: false });
  });
});

describe("a declaration made to hurt who judges it", () => {
  const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);

  it.each(["the whole", "a module", "a part of a resource"])(
    "nested a hundred thousand deep in %s is refused",
    (where) => {
      const deep = nested(100_000);
      const declaration = { v: 1, node: "n1", generation: 1, modules: [] as unknown[] };
      if (where === "a module") declaration.modules.push(deep);
      if (where === "a part of a resource") {
        declaration.modules.push({
          module: "kometa",
          account: "mesh-kometa",
          resources: [{ type: "directory", path: "/var/lib/mesh/kometa", mode: deep }],
        });
      }
      const sent = where === "the whole" ? { ...declaration, deep } : declaration;
      const judged = judgeDeclaration(sent, { bound: createWorld().settings.bound, generation: 0 });
      expect(judged).toMatchObject({ ok: false });
    },
  );

  it("with a key of a megabyte is refused in words that a heartbeat can carry", async () => {
    const world = await send({ ...good(), ["x".repeat(1_000_000)]: 1 });
    const [problem] = world.server.lastStatus()?.problems ?? [];
    expect(problem?.message.length).toBeLessThanOrEqual(4096);
  });

  it("with a thousand modules that all fail, its status still fits into a heartbeat", async () => {
    const why = "é".repeat(4096);
    const world = createWorld({ pullFailure: () => why });
    await world.start();
    await world.declare(
      ...Array.from({ length: 999 }, (_, index) => moduleOf(`m${index}`, service("web"))),
    );
    await world.until("12:01:30");
    const status = world.server.lastStatus();
    expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(1024 * 1024);
    expect(status?.problems.at(-1)?.message).toContain("899 more");
  });
});
