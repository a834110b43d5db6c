import {
  checkBound,
  type HostBound,
  type HostContainer,
  parseQuantity,
  renderDeclaration,
} from "@mesh/declaration";
import { type RunFacts, runEnvironment } from "@mesh/jobs";
import type { ContainerSpec, Mount } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import { containerName, type Owner, writeLabels } from "../engine/labels.ts";
import type { ModuleFiles } from "../files/module-files.ts";
import type { Accounts } from "./accounts.ts";
import type { ContainerLimits, HostSettings } from "./settings.ts";

/** A container of a module, with what it runs under. */
export interface ModuleContainer {
  readonly module: string;
  readonly account: string;
  readonly resource: HostContainer;
}

export interface ContainerSpecs {
  /** Says what the engine is asked for; makes sure of the volumes' sources on the way. */
  forModule(container: ModuleContainer, owner: Owner, run: RunFacts): ContainerSpec;
  forWork(owner: Owner, work: Omit<ContainerSpec, "name" | "labels" | "pids">): ContainerSpec;
  readonly limits: ContainerLimits;
}

/**
 * The one place where a container is put into the engine's words, for every kind alike, so that
 * none is made with more than R7 allows.
 */
export function createContainerSpecs(
  settings: HostSettings,
  files: ModuleFiles,
  accounts: Accounts,
): ContainerSpecs {
  const { host, defaults } = settings;
  const identity = (owner: Owner) => ({
    name: containerName(host, owner),
    labels: writeLabels(host, owner),
  });
  return {
    limits: defaults,
    forWork: (owner, work) => ({ ...work, ...identity(owner), pids: defaults.pids }),
    forModule: (container, owner, run) => {
      const { module, account, resource } = container;
      checkAllowed(container, settings.bound);
      const user = accounts(account);
      const mounts = resource.volumes.map(({ source, target, readOnly }): Mount => {
        files.ensureVolume(source, user);
        return { source: files.hostPath(source), target, readOnly };
      });
      return {
        ...identity(owner),
        image: resource.image,
        ...(resource.command === undefined ? {} : { command: resource.command }),
        environment: { ...resource.environment, ...runEnvironment({ ...run, module }) },
        ...user,
        mounts,
        ...limitsOf(resource, defaults),
        pids: defaults.pids,
      };
    },
  };
}

/**
 * The bound of today holds for what was taken up under an earlier one: the host's owner may have
 * narrowed it between two starts of the agent (R7).
 */
function checkAllowed({ module, account, resource }: ModuleContainer, bound: HostBound): void {
  const paths = new Set(resource.volumes.map(({ source }) => source));
  const folders = [...paths].map((path) => ({ type: "directory", path }) as const);
  const node = bound.node ?? "any";
  const around = renderDeclaration([{ kind: "Module", module, version: 1, resources: folders }], {
    node,
    generation: 0,
  });
  const resources = [...(around.modules[0]?.resources ?? []), resource];
  const alone = { ...around, modules: [{ module, account, resources }] };
  const [fault] = checkBound(alone, bound);
  if (fault === undefined) return;
  throw new EngineError("neverStarted", `outside this host's bound: ${fault.message}`);
}

function limitsOf(
  { resources }: HostContainer,
  defaults: ContainerLimits,
): Pick<ContainerSpec, "cpuMillicores" | "memoryBytes"> {
  const { cpu, memory } = resources;
  return {
    cpuMillicores:
      cpu === undefined ? defaults.cpuMillicores : parseQuantity(cpu, "cpu").millicores,
    memoryBytes:
      memory === undefined ? defaults.memoryBytes : parseQuantity(memory, "memory").bytes,
  };
}
