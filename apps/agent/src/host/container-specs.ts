import { type HostContainer, parseQuantity } from "@mesh/declaration";
import type { ContainerSpec, Mount } from "../engine/engine.ts";
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

/** What work is told of itself, beside its own environment (J12). */
export interface RunFacts {
  readonly runId?: string;
  readonly attempt: number;
  readonly scheduledAt?: number;
  readonly name: string;
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
    forModule: ({ module, account, resource }, owner, run) => {
      const user = accounts(account);
      const mounts = resource.volumes.map(({ source, target, readOnly }): Mount => {
        files.ensureVolume(source, user);
        return { source: files.hostPath(source), target, readOnly };
      });
      return {
        ...identity(owner),
        image: resource.image,
        ...(resource.command === undefined ? {} : { command: resource.command }),
        environment: { ...resource.environment, ...runEnvironment(run), MESH_MODULE: module },
        ...user,
        mounts,
        ...limitsOf(resource, defaults),
        pids: defaults.pids,
      };
    },
  };
}

/** The keys by which work can do its effect once (J12). */
export function runEnvironment(run: RunFacts): Readonly<Record<string, string>> {
  return {
    MESH_NAME: run.name,
    MESH_ATTEMPT: String(run.attempt),
    ...(run.runId === undefined ? {} : { MESH_RUN_ID: run.runId }),
    ...(run.scheduledAt === undefined ? {} : { MESH_SCHEDULED_AT: formatInstant(run.scheduledAt) }),
  };
}

/** RFC 3339 in UTC; an occurrence is a whole minute, so the fraction is left out. */
export function formatInstant(at: number): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
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
