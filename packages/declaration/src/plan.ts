import {
  type AppliedResource,
  type AppliedState,
  type HostContainer,
  type HostDeclaration,
  type HostDirectory,
  type HostFile,
  type HostModule,
  type HostResource,
  parseResourceKey,
  resourceKey,
} from "./declaration.ts";
import { containerKind } from "./manifest.ts";

/** Which resource a step is about. */
export interface StepPlace {
  readonly module: string;
  readonly key: string;
}

/** Something that stands to be made, changed, run, installed or left as it is. */
export type DeclaredStep = StepPlace & { readonly account: string } & (
    | { readonly action: "create"; readonly resource: HostResource }
    | {
        readonly action: "update";
        readonly resource: HostResource;
        readonly previous: AppliedResource;
      }
    | {
        /** Runs to completion before the later steps of its module; a failure ends them (A5). */
        readonly action: "runOnce";
        readonly resource: HostContainer;
        readonly previous?: AppliedResource;
      }
    | {
        /** Installs a schedule and runs nothing (A1). */
        readonly action: "install";
        readonly resource: HostContainer;
        readonly previous?: AppliedResource;
      }
    | {
        readonly action: "keep";
        readonly resource: HostResource;
        readonly previous: AppliedResource;
      }
  );

/** Something that is declared no more. */
export type RemoveStep = StepPlace & {
  readonly action: "remove";
  readonly type: HostResource["type"];
  /** The path of a file or directory, the name of a container. */
  readonly name: string;
  readonly previous: AppliedResource;
  /** Whether what a directory holds goes with it; never unless the caller asked. */
  readonly removeData: boolean;
};

export type PlanStep = DeclaredStep | RemoveStep;

/** Steps in the order to take them; a module's steps follow one another. */
export interface Plan {
  readonly steps: readonly PlanStep[];
}

/**
 * The ordered steps from what is applied to what is declared (A1, A5).
 * What is gone goes first, module by module, last applied first, containers before files before
 * directories; then each module's resources in their order. A step that follows a `runOnce` of its
 * module waits for its success. A run-once is run again only when its content has changed.
 * A directory's data stays unless `removeData` is given.
 */
export function planApply(
  declaration: HostDeclaration,
  applied: AppliedState,
  { removeData = false }: { readonly removeData?: boolean | undefined } = {},
): Plan {
  const known = new Map<string, AppliedResource>();
  for (const record of applied.resources) known.set(idOf(record), record);
  const steps = declaration.modules.flatMap((module) => moduleSteps(module, known));
  const declared = new Set(steps.map(idOf));
  // Of two records of one resource the later counts, and it is removed once.
  const removals = [...known.values()]
    .filter((record) => !declared.has(idOf(record)))
    .map((record) => removeStep(record, removeData))
    .reverse()
    .sort((a, b) => REMOVAL_ORDER[a.type] - REMOVAL_ORDER[b.type]);
  return { steps: [...removals, ...steps] };
}

/** Whether nothing is to be done: every step keeps what is there. */
export function isCurrent(plan: Plan): boolean {
  return plan.steps.every(({ action }) => action === "keep");
}

/**
 * What is applied once a step has worked (A1): a step that failed is not recorded.
 * `at` is the instant of success, in epoch milliseconds.
 */
export function recordStep(
  applied: AppliedState,
  step: PlanStep,
  { at }: { readonly at: number },
): AppliedState {
  const others = applied.resources.filter((record) => idOf(record) !== idOf(step));
  switch (step.action) {
    case "keep":
      return applied;
    case "remove":
      return { ...applied, resources: others };
    default:
      return { ...applied, resources: [...others, recordOf(step, at)] };
  }
}

/** Nothing applied yet. */
export function emptyAppliedState(): AppliedState {
  return { v: 1, generation: 0, resources: [] };
}

const REMOVAL_ORDER = { container: 0, file: 1, directory: 2 } as const;

function idOf({ module, key }: StepPlace): string {
  return `${module} ${key}`;
}

function moduleSteps(
  { module, account, resources }: HostModule,
  known: ReadonlyMap<string, AppliedResource>,
): readonly DeclaredStep[] {
  return resources.map((resource) => {
    const place = { module, account, key: resourceKey(resource) };
    const previous = known.get(idOf(place));
    return resource.type === "container"
      ? containerStep(place, resource, previous)
      : placeStep(place, resource, previous);
  });
}

type Place = Pick<DeclaredStep, "module" | "account" | "key">;

function placeStep(
  place: Place,
  resource: HostDirectory | HostFile,
  previous: AppliedResource | undefined,
): DeclaredStep {
  if (previous === undefined) return { ...place, action: "create", resource };
  const action = previous.hash === resource.hash ? "keep" : "update";
  return { ...place, action, resource, previous };
}

function containerStep(
  place: Place,
  resource: HostContainer,
  previous: AppliedResource | undefined,
): DeclaredStep {
  const before = previous === undefined ? {} : { previous };
  const kind = containerKind(resource);
  if (previous?.hash === resource.hash && isDone(kind, previous)) {
    return { ...place, action: "keep", resource, previous };
  }
  if (kind === "runOnce") return { ...place, action: "runOnce", resource, ...before };
  if (kind === "scheduled") return { ...place, action: "install", resource, ...before };
  if (previous === undefined) return { ...place, action: "create", resource };
  return { ...place, action: "update", resource, previous };
}

/** A record of equal content that lacks the mark of its kind was not finished. */
function isDone(kind: ReturnType<typeof containerKind>, previous: AppliedResource): boolean {
  if (kind === "runOnce") return previous.ranOnceAt !== undefined;
  if (kind === "scheduled") return previous.installedAt !== undefined;
  return true;
}

function removeStep(previous: AppliedResource, removeData: boolean): RemoveStep {
  const { module, key } = previous;
  const { type, name } = parseResourceKey(key);
  return { module, key, action: "remove", type, name, previous, removeData };
}

function recordOf(step: Exclude<DeclaredStep, { action: "keep" }>, at: number): AppliedResource {
  const record = { module: step.module, key: step.key, hash: step.resource.hash };
  if (step.action === "runOnce") return { ...record, ranOnceAt: at };
  return step.action === "install" ? { ...record, installedAt: at } : record;
}
