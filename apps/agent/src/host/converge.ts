import {
  type AppliedState,
  type DeclaredStep,
  type HostDeclaration,
  type HostModule,
  isCurrent,
  type PlanStep,
  planApply,
  recordStep,
} from "@mesh/declaration";
import type { NodeStatus } from "@mesh/protocol";
import { backoffMs, type Clock } from "../clock.ts";
import { isEngineError, messageOf } from "../engine/engine-error.ts";
import { isPathError } from "../files/path-error.ts";
import type { Journal } from "../journal/journal.ts";
import { type Appliers, StepFailure } from "./appliers.ts";
import type { Log } from "./log.ts";

export type Problem = NodeStatus["problems"][number];

/** Brings the host to what is declared, module by module, and keeps trying (A1, A5). */
export interface Converger {
  /** Takes a declaration up, which the bound has allowed; it is on disk when this returns. */
  take(declaration: HostDeclaration): void;
  /** Goes on with the declaration that was taken up before the agent was stopped. */
  resume(): void;
  /** How the apply of the declaration that was taken up stands. */
  progress(): {
    readonly generation: number;
    readonly applied: boolean;
    readonly problems: readonly Problem[];
  };
}

export interface ConvergeContext {
  readonly journal: Journal;
  readonly appliers: Appliers;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: string;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
  readonly onFatal: (error: unknown) => void;
}

/** One module's way to its declared state; modules do not wait for one another. */
interface Worker {
  readonly module: string;
  desired: HostModule | undefined;
  /** The declared content, to tell a repetition from a change. */
  content: string | undefined;
  /** Something came up since the pass began. */
  dirty: boolean;
  running: boolean;
  failures: number;
  cancelRetry: (() => void) | undefined;
  state: "applying" | "applied" | "failed";
  problem: Problem | undefined;
}

export function createConverger(context: ConvergeContext): Converger {
  const { journal, signal, onChange } = context;
  const workers = new Map<string, Worker>();
  let generation = journal.declaration()?.generation ?? 0;

  const settle = (): void => {
    for (const worker of workers.values()) {
      const gone = worker.desired === undefined && worker.state === "applied" && !worker.running;
      if (gone) workers.delete(worker.module);
    }
    const whole = [...workers.values()].every(({ state }) => state === "applied");
    if (whole && journal.appliedGeneration() !== generation) {
      journal.setAppliedGeneration(generation);
    }
    onChange();
  };
  const wake = (worker: Worker): void => {
    worker.dirty = true;
    if (worker.running || signal.aborted) return;
    worker.running = true;
    work(context, worker, { settle, wake })
      .finally(() => {
        worker.running = false;
        if (!signal.aborted) settle();
      })
      .catch((error: unknown) => {
        if (!signal.aborted) context.onFatal(error);
      });
  };
  const spread = (declaration: HostDeclaration, again: boolean): void => {
    generation = declaration.generation;
    const desired = new Map(declaration.modules.map((one) => [one.module, one]));
    const names = new Set([...desired.keys(), ...journal.appliedModules(), ...workers.keys()]);
    for (const module of names) {
      const worker = workers.get(module) ?? newWorker(module);
      workers.set(module, worker);
      const wanted = desired.get(module);
      const content = wanted === undefined ? undefined : JSON.stringify(wanted);
      const changed = again || content !== worker.content;
      worker.desired = wanted;
      worker.content = content;
      if (changed) {
        worker.failures = 0;
        context.appliers.supersede(module, wanted);
      }
      // What fails is tried again at its own pace, however often the same is sent.
      if (changed || worker.state !== "failed") wake(worker);
    }
    if (names.size === 0) settle();
  };
  return {
    take: (declaration) => {
      journal.setDeclaration(declaration);
      spread(declaration, false);
    },
    resume: () => {
      const declaration = journal.declaration();
      if (declaration !== undefined) spread(declaration, true);
    },
    progress: () => {
      const all = [...workers.values()];
      return {
        generation,
        applied: all.every(({ state }) => state === "applied"),
        problems: all.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
      };
    },
  };
}

function newWorker(module: string): Worker {
  return {
    module,
    desired: undefined,
    content: undefined,
    dirty: false,
    running: false,
    failures: 0,
    cancelRetry: undefined,
    state: "applying",
    problem: undefined,
  };
}

interface Hooks {
  readonly settle: () => void;
  readonly wake: (worker: Worker) => void;
}

async function work(context: ConvergeContext, worker: Worker, hooks: Hooks): Promise<void> {
  const { clock, log, signal } = context;
  worker.cancelRetry?.();
  while (worker.dirty && !signal.aborted) {
    worker.dirty = false;
    const problem = await pass(context, worker, hooks);
    // A pass that was cut short has no result.
    if (worker.dirty || signal.aborted) continue;
    worker.problem = problem;
    worker.state = problem === undefined ? "applied" : "failed";
    worker.failures = problem === undefined ? 0 : worker.failures + 1;
    if (problem === undefined) continue;
    log.warn({ ...problem, failures: worker.failures }, "apply failed");
    worker.cancelRetry = clock.after(backoffMs(worker.failures), () => hooks.wake(worker));
  }
}

/** Takes the planned steps in order; the first that fails ends the pass and is its problem. */
async function pass(
  context: ConvergeContext,
  worker: Worker,
  { settle }: Hooks,
): Promise<Problem | undefined> {
  const { journal, node, signal, clock } = context;
  const { module, desired } = worker;
  const declaration: HostDeclaration = {
    v: 1,
    node,
    generation: 0,
    modules: desired === undefined ? [] : [desired],
  };
  const plan = planApply(declaration, appliedOf(journal, module));
  if (!isCurrent(plan) && worker.state === "applied") {
    worker.state = "applying";
    settle();
  }
  for (const step of plan.steps) {
    if (worker.dirty || signal.aborted) return undefined;
    try {
      await takeStep(context.appliers, step);
    } catch (error) {
      if (signal.aborted) return undefined;
      return problemOf(step, error);
    }
    // A run-once step is put on record together with its run's end (A5).
    if (step.action === "keep" || step.action === "runOnce") continue;
    journal.transaction(() => {
      const next = recordStep(appliedOf(journal, module), step, { at: clock.now() });
      journal.setApplied(module, next.resources);
    });
  }
  return undefined;
}

async function takeStep(appliers: Appliers, step: PlanStep): Promise<void> {
  if (step.action === "remove") return appliers[step.type].remove(step);
  return appliers[typeOf(step)].apply(step);
}

function typeOf(step: DeclaredStep): keyof Omit<Appliers, "supersede"> {
  return step.resource.type;
}

function appliedOf(journal: Journal, module: string): AppliedState {
  return { v: 1, generation: 0, resources: journal.applied(module) };
}

function problemOf({ module, key }: PlanStep, error: unknown): Problem {
  const message = messageOf(error).slice(0, 4096);
  return { module, key, code: codeOf(error), message };
}

function codeOf(error: unknown): string {
  if (isPathError(error) || error instanceof StepFailure) return error.code;
  if (isEngineError(error)) {
    return error.code === "neverStarted" ? "container.never-started" : `engine.${error.code}`;
  }
  return "apply.failed";
}
