import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type HostBound, safeParseImageReference, safeParseManifest } from "@mesh/declaration";
import { runEnvironment } from "@mesh/jobs";
import type { TaskAssignment } from "@mesh/protocol";
import type { ContainerSpec, Mount } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import type { Owner } from "../engine/labels.ts";
import type { Ownership } from "../files/module-files.ts";
import { type Accounts, namespaceAccount } from "./accounts.ts";
import type { ContainerSpecs } from "./container-specs.ts";
import { isSecretName, SECRETS_TARGET, type Secrets } from "./secrets.ts";
import type { HostSettings } from "./settings.ts";

export interface TaskSpecContext {
  readonly specs: ContainerSpecs;
  readonly accounts: Accounts;
  readonly secrets: Secrets;
  readonly settings: HostSettings;
}

const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/**
 * What the engine is asked for to run a task. The assignment comes from the link, so the bound
 * holds for it as for a declaration: what it may not have is a failed start that says why (R7).
 */
export function taskSpec(context: TaskSpecContext, assignment: TaskAssignment): ContainerSpec {
  const { specs, accounts, settings } = context;
  const { taskId, jobId, jobName, namespace, attempt, scheduledAt, work } = assignment;
  checkWork(assignment, settings.bound);
  const user = accounts(namespaceAccount(namespace));
  const owner: Owner = { kind: "task", taskId };
  const facts = { name: jobName, attempt, runId: jobId, scheduledAt, taskId, namespace };
  return specs.forWork(owner, {
    image: canonicalImage(work.image),
    ...(work.command === undefined ? {} : { command: work.command }),
    environment: { ...work.environment, ...runEnvironment(facts) },
    ...user,
    mounts: [
      ...claimMounts(settings, assignment, user),
      ...secretMounts(context, assignment, user),
    ],
    cpuMillicores: work.cpuMillicores,
    memoryBytes: work.memoryBytes,
  });
}

function checkWork({ namespace, jobName, work }: TaskAssignment, bound: HostBound): void {
  const { maximum, registries } = bound;
  const { image, command, environment, volumeClaims = [], secrets = [] } = work;
  if (!NAME.test(namespace)) refuse(`the namespace ${JSON.stringify(namespace)} is no name`);
  // An engine reads zero as no limit at all.
  if (work.memoryBytes < 1 || work.cpuMillicores < 1) refuse("a task needs some memory and cpu");
  if (work.memoryBytes > maximum.memory) refuse(`this host allows ${maximum.memory} bytes at most`);
  if (work.cpuMillicores > maximum.cpu)
    refuse(`this host allows ${maximum.cpu} millicores at most`);
  // The same rules as where the Job was written: names, targets, what no process can be given.
  const said = { command, environment, volumeClaims };
  const judged = safeParseManifest({ kind: "Job", name: jobName, image, ...present(said) });
  // Names that no manifest may have are those that schedules give to their runs (D10).
  const fault = (judged.ok ? [] : judged.diagnostics).find(
    ({ severity, code }) => severity === "error" && code !== "name.reserved",
  );
  if (fault !== undefined) refuse(fault.message);
  const registry = registryOf(canonicalImage(image));
  if (registries !== undefined && !registries.includes(registry)) {
    refuse(`this host does not take images from ${registry}`);
  }
  for (const { name } of secrets) {
    if (!isSecretName(name)) refuse(`the secret ${JSON.stringify(name)} is no file's name`);
  }
  for (const { target } of volumeClaims) {
    if (target === SECRETS_TARGET || target.startsWith(`${SECRETS_TARGET}/`)) {
      refuse(`a volume cannot be put at ${target}: the secrets are there`);
    }
  }
}

function present(said: object): object {
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

function refuse(why: string): never {
  throw new EngineError("neverStarted", why);
}

function canonicalImage(image: string): string {
  const parsed = safeParseImageReference(image);
  return parsed.ok ? parsed.value.canonical : image;
}

function registryOf(canonical: string): string {
  return canonical.slice(0, canonical.indexOf("/"));
}

/** A claim is a folder of this host, made on first use, for its namespace's account alone (S6). */
function claimMounts(
  { volumesFolder }: HostSettings,
  { namespace, work }: TaskAssignment,
  owner: Ownership,
): readonly Mount[] {
  return (work.volumeClaims ?? []).map(({ claim, target, readOnly = false }) => {
    const source = join(volumesFolder, namespace, claim);
    mkdirSync(source, { recursive: true, mode: 0o711 });
    // Told by the owner and not by who made it: an agent may have been killed in between.
    const isRoot = process.getuid?.() === 0;
    if (isRoot && statSync(source).uid !== owner.uid) {
      chmodSync(source, 0o700);
      chownSync(source, owner.uid, owner.gid);
    }
    return { source, target, readOnly };
  });
}

function secretMounts(
  { secrets }: TaskSpecContext,
  { taskId, work }: TaskAssignment,
  owner: Ownership,
): readonly Mount[] {
  if (work.secrets === undefined || work.secrets.length === 0) return [];
  const source = secrets.put(taskId, work.secrets, owner);
  return [{ source, target: SECRETS_TARGET, readOnly: true }];
}
