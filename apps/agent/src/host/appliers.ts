import {
  containerKind,
  type DeclaredStep,
  type HostContainer,
  type HostModule,
  type HostResource,
  type RemoveStep,
} from "@mesh/declaration";
import type { ModuleFiles } from "../files/module-files.ts";
import type { Journal, OpenRun } from "../journal/journal.ts";
import type { Accounts } from "./accounts.ts";
import type { ModuleContainer } from "./container-specs.ts";
import { isSuccess, type RunEnd } from "./outcome.ts";
import { runIdOf } from "./run-names.ts";
import type { Runs } from "./runs.ts";
import type { Schedules } from "./schedules.ts";
import type { Services } from "./services.ts";
import type { HostSettings } from "./settings.ts";

/** What the host can do for one type of resource; there is a type for each, and no other (R1). */
interface Applier {
  /** Brings the resource to its declared state; what is there already is left as it is. */
  apply(step: DeclaredStep): Promise<void>;
  remove(step: RemoveStep): Promise<void>;
}

export type Appliers = Readonly<Record<HostResource["type"], Applier>> & {
  /** Ends what a module's pass waits for and nothing declares any more. */
  supersede(module: string, wanted: HostModule | undefined): void;
};

/** A run-once step that did not succeed. */
export class StepFailure extends Error {
  readonly code = "run-once.failed";

  constructor(message: string) {
    super(message);
    this.name = "StepFailure";
  }
}

export interface ApplierContext {
  readonly files: ModuleFiles;
  readonly accounts: Accounts;
  readonly services: Services;
  readonly schedules: Schedules;
  readonly runs: Runs;
  readonly journal: Journal;
  readonly settings: HostSettings;
}

export function createAppliers(context: ApplierContext): Appliers {
  const { files, accounts, runs } = context;
  const attempts = new Map<string, number>();
  return {
    directory: {
      apply: async ({ resource, action, account }) => {
        if (resource.type !== "directory") return;
        if (action === "keep" && files.exists(resource.path, "directory")) return;
        files.ensureDirectory(resource.path, resource.mode, accounts(account));
      },
      // A directory holds the module's data: it is the operator's to remove.
      remove: async () => undefined,
    },
    file: {
      apply: async ({ resource, action, account }) => {
        if (resource.type !== "file") return;
        if (action === "keep" && files.exists(resource.path, "file")) return;
        files.writeFile(resource.path, { ...resource, owner: accounts(account) });
      },
      remove: async ({ name }) => files.removeFile(name),
    },
    container: {
      apply: async (step) => {
        const { module, account, resource } = step;
        if (resource.type !== "container") return;
        const container = { module, account, resource };
        if ("previous" in step && step.action !== "keep") {
          await removeKinds(context, module, resource.name, othersThan(containerKind(resource)));
        }
        await applyContainer(context, attempts, container, step.action);
      },
      remove: async ({ module, name }) => {
        await removeKinds(context, module, name, KINDS);
      },
    },
    supersede: (module, wanted) => {
      const hashes = new Set(wanted?.resources.map(({ hash }) => hash));
      context.services.supersede(module, hashes);
      for (const { run } of runs.active({ module })) {
        if (run.kind !== "runOnce" || hashes.has(run.resource.hash)) continue;
        void runs.stop(run.runId, "replaced").catch(() => undefined);
      }
    },
  };
}

const KINDS = ["service", "runOnce", "scheduled"] as const;
type Kind = (typeof KINDS)[number];

function othersThan(kind: Kind): readonly Kind[] {
  return KINDS.filter((one) => one !== kind);
}

async function applyContainer(
  context: ApplierContext,
  attempts: Map<string, number>,
  container: ModuleContainer,
  action: DeclaredStep["action"],
): Promise<void> {
  const { module, resource } = container;
  switch (containerKind(resource)) {
    case "service":
      return context.services.ensure(container);
    case "scheduled": {
      const found = context.journal.schedule(module, resource.name);
      if (action !== "keep" || found?.resource.hash !== resource.hash) {
        context.schedules.install(container);
      }
      return;
    }
    case "runOnce":
      if (action !== "keep") await runGate(context, attempts, container);
  }
}

/** Runs the step to its end, or waits for the run of it that goes on already (A5, A7). */
async function runGate(
  { runs, journal, settings }: ApplierContext,
  attempts: Map<string, number>,
  container: ModuleContainer,
): Promise<void> {
  const { module, resource } = container;
  const { name, hash } = resource;
  const runId = runIdOf(settings.node, module, `${name}-${hash.slice(0, 12)}`);
  const [active] = runs.active({ module, container: name });
  if (active !== undefined && active.run.runId !== runId) {
    await runs.stop(active.run.runId, "replaced");
  }
  const same = active?.run.runId === runId ? active.run : undefined;
  const attempt = same?.attempt ?? (attempts.get(runId) ?? 0) + 1;
  attempts.set(runId, attempt);
  const run: OpenRun = same ?? { runId, kind: "runOnce", ...container, attempt, phase: "starting" };
  if (same === undefined) journal.putRun(run);
  const end = await runs.carry(run);
  if (isSuccess(end)) attempts.delete(runId);
  else throw new StepFailure(describeEnd(resource, end));
}

function describeEnd({ name }: HostContainer, end: RunEnd): string {
  if (end.kind === "code") return `${name} ended with exit code ${end.exitCode}`;
  return `${name} failed (${end.reason}): ${end.message ?? "no more is known"}`;
}

/** Ends what the container was in kinds that it is no more. */
async function removeKinds(
  context: ApplierContext,
  module: string,
  name: string,
  kinds: readonly Kind[],
): Promise<void> {
  const { services, schedules, runs } = context;
  if (kinds.includes("service")) await services.remove(module, name);
  if (kinds.includes("scheduled")) await schedules.remove(module, name);
  if (!kinds.includes("runOnce")) return;
  const gates = runs
    .active({ module, container: name })
    .filter(({ run }) => run.kind === "runOnce");
  await Promise.all(gates.map(({ run }) => runs.stop(run.runId, "removed")));
}
