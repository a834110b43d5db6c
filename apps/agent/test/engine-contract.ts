import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ContainerSpec, ContainerState, Engine, Exit } from "../src/engine/engine.ts";
import { isEngineError } from "../src/engine/engine-error.ts";
import { containerName, hostLabels, type Owner, writeLabels } from "../src/engine/labels.ts";
import { taskEndOf } from "../src/host/outcome.ts";

/** What a container of the suite does; each harness says it in its engine's words. */
export type Program =
  | { readonly does: "exit"; readonly code: number; readonly print?: string }
  | { readonly does: "runUntilAsked"; readonly code: number }
  | { readonly does: "ignoreAsking" }
  | { readonly does: "beUnknown" };

export interface EngineHarness {
  /** A new adapter on the same engine, as a new agent process would make it. */
  connect(): Promise<Engine>;
  command(program: Program): readonly string[];
  readonly image: string;
  readonly uid: number;
  /** Lets a container get so far that it would react to being asked. */
  ready(engine: Engine, id: string): Promise<void>;
  /** Lets `ms` go by. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const HOST = "contract-host";
const forever = new AbortController().signal;

/** The promises of the port, checked against every adapter. */
export function engineContract(name: string, open: () => Promise<EngineHarness>): void {
  describe(`engine contract: ${name}`, () => {
    let harness: EngineHarness;
    let engine: Engine;
    let count = 0;

    beforeEach(async () => {
      harness = await open();
      engine = await harness.connect();
    });

    afterEach(async () => {
      for (const { id } of await engine.list(hostLabels(HOST))) await engine.remove(id);
      await harness.close();
    });

    const specOf = (program: Program, more: Partial<ContainerSpec> = {}): ContainerSpec => {
      count += 1;
      const owner: Owner = { kind: "task", taskId: `t${process.pid}-${count}` };
      return {
        name: containerName(HOST, owner),
        labels: writeLabels(HOST, owner),
        image: harness.image,
        command: harness.command(program),
        environment: {},
        uid: harness.uid,
        gid: harness.uid,
        mounts: [],
        memoryBytes: 32 * 1024 * 1024,
        cpuMillicores: 500,
        pids: 64,
        ...more,
      };
    };
    const launch = async (program: Program): Promise<string> => {
      const id = await engine.create(specOf(program));
      await engine.start(id);
      return id;
    };
    const endOf = async (waiting: Promise<ContainerState>): Promise<Exit> => {
      await harness.pass(1000);
      const state = await waiting;
      if (state.phase !== "exited") throw new Error(`expected an end, found ${state.phase}`);
      return state.exit;
    };

    for (const code of [0, 3]) {
      it(`[C31-31] a container that ends with ${code} is told with that code (A8)`, async () => {
        const id = await launch({ does: "exit", code });
        const exit = await endOf(engine.wait(id, forever));
        expect(exit).toEqual({ kind: "code", exitCode: code, outOfMemory: false });
        expect(taskEndOf(exit)).toEqual({ status: "stopped", exitCode: code });
        expect(await engine.inspect(id)).toMatchObject({ phase: "exited", exit });
      });
    }

    it("a container is created before it is started, and runs after", async () => {
      const id = await engine.create(specOf({ does: "runUntilAsked", code: 0 }));
      expect(await engine.inspect(id)).toEqual({ phase: "created" });
      await engine.start(id);
      expect(await engine.inspect(id)).toMatchObject({ phase: "running" });
    });

    it("creating the same container twice gives the first one back (A7)", async () => {
      const spec = specOf({ does: "runUntilAsked", code: 0 });
      const id = await engine.create(spec);
      await engine.start(id);
      expect(await engine.create(spec)).toBe(id);
      expect(await engine.inspect(id)).toMatchObject({ phase: "running" });
    });

    it("a name that another owner holds is refused", async () => {
      const spec = specOf({ does: "exit", code: 0 });
      await engine.create(spec);
      const other = specOf({ does: "exit", code: 0 }, { name: spec.name });
      await expect(engine.create(other)).rejects.toMatchObject({ code: "neverStarted" });
    });

    it("starting what runs changes nothing", async () => {
      const id = await launch({ does: "runUntilAsked", code: 0 });
      const before = await engine.inspect(id);
      await engine.start(id);
      expect(await engine.inspect(id)).toEqual(before);
    });

    it("what has ended can be started again", async () => {
      const id = await launch({ does: "exit", code: 3 });
      await endOf(engine.wait(id, forever));
      await engine.start(id);
      expect(await endOf(engine.wait(id, forever))).toMatchObject({ kind: "code", exitCode: 3 });
    });

    it("stop asks first, and the container's own code is told", async () => {
      const id = await launch({ does: "runUntilAsked", code: 7 });
      await harness.ready(engine, id);
      const stopping = engine.stop(id, 20);
      expect(await endOf(engine.wait(id, forever))).toMatchObject({ exitCode: 7 });
      await stopping;
    });

    it("[C31-31] one that does not listen is ended by force after the grace: 137", async () => {
      const id = await launch({ does: "ignoreAsking" });
      await harness.ready(engine, id);
      const stopping = engine.stop(id, 1);
      await harness.pass(3000);
      await stopping;
      const exit = await endOf(engine.wait(id, forever));
      expect(exit).toEqual({ kind: "code", exitCode: 137, outOfMemory: false });
      expect(taskEndOf(exit)).toEqual({ status: "stopped", exitCode: 137 });
    });

    it("[C31-31] an unknown command is a start that failed, with its reason (A8)", async () => {
      const id = await engine.create(specOf({ does: "beUnknown" }));
      const error = await engine.start(id).catch((thrown: unknown) => thrown);
      expect(isEngineError(error) && error.code).toBe("neverStarted");
      expect((error as Error).message).not.toBe("");
      expect(await engine.inspect(id)).toEqual({ phase: "created" });
    });

    it("a container that is gone is no state, and stopping or removing it is no error", async () => {
      const id = await launch({ does: "runUntilAsked", code: 0 });
      await engine.remove(id);
      expect(await engine.inspect(id)).toBeUndefined();
      await engine.stop(id, 1);
      await engine.remove(id);
      const state = await engine.wait(id, forever);
      expect(state).toMatchObject({ phase: "exited", exit: { kind: "unknown" } });
      if (state.phase === "exited") {
        expect(taskEndOf(state.exit)).toMatchObject({ status: "failed", reason: "unknown" });
      }
    });

    it("containers are found by their labels alone, running or ended (A7)", async () => {
      const running = specOf({ does: "runUntilAsked", code: 0 });
      const ended = specOf({ does: "exit", code: 0 });
      const ids = [await engine.create(running), await engine.create(ended)];
      for (const id of ids) await engine.start(id);
      await endOf(engine.wait(ids[1] ?? "", forever));
      const found = await engine.list(hostLabels(HOST));
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set(ids));
      expect(await engine.list(ended.labels)).toMatchObject([{ id: ids[1] }]);
      expect(await engine.list(hostLabels("another-host"))).toEqual([]);
    });

    it("a new adapter finds what runs and learns its exit code (A7, A8)", async () => {
      const id = await launch({ does: "runUntilAsked", code: 5 });
      await harness.ready(engine, id);
      const next = await harness.connect();
      expect(await next.inspect(id)).toMatchObject({ phase: "running" });
      const stopping = next.stop(id, 20);
      expect(await endOf(next.wait(id, forever))).toMatchObject({ exitCode: 5 });
      await stopping;
    });

    it("the end of what was printed is told, from both streams", async () => {
      const id = await launch({ does: "exit", code: 1, print: "atlas report" });
      await endOf(engine.wait(id, forever));
      expect((await engine.outputTail(id, 4096)).trim()).toBe("atlas report");
      expect((await engine.outputTail(id, 5)).length).toBeLessThanOrEqual(5);
    });

    it("a wait that is given up ends at once and leaves the container alone", async () => {
      const id = await launch({ does: "runUntilAsked", code: 0 });
      const patience = new AbortController();
      const waiting = engine.wait(id, patience.signal);
      patience.abort();
      await expect(waiting).rejects.toBeDefined();
      expect(await engine.inspect(id)).toMatchObject({ phase: "running" });
    });
  });
}
