import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type HostBound, safeParseImageReference } from "@mesh/declaration";
import type { TaskAssignment } from "@mesh/protocol";
import type { ContainerSpec, Mount } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import type { Owner } from "../engine/labels.ts";
import type { Ownership } from "../files/module-files.ts";
import { type Accounts, namespaceAccount } from "./accounts.ts";
import { type ContainerSpecs, runEnvironment } from "./container-specs.ts";
import { isSecretName, SECRETS_TARGET, type Secrets } from "./secrets.ts";
import type { HostSettings } from "./settings.ts";

export interface TaskSpecContext {
  readonly specs: ContainerSpecs;
  readonly accounts: Accounts;
  readonly secrets: Secrets;
  readonly settings: HostSettings;
}

const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
const FORBIDDEN_TARGETS = ["/proc", "/sys", "/dev", SECRETS_TARGET];

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
  const facts = {
    runId: jobId,
    attempt,
    name: jobName,
    ...(scheduledAt === undefined ? {} : { scheduledAt }),
  };
  return specs.forWork(owner, {
    image: canonicalImage(work.image),
    ...(work.command === undefined ? {} : { command: work.command }),
    environment: {
      ...work.environment,
      ...runEnvironment(facts),
      MESH_TASK_ID: taskId,
      MESH_NAMESPACE: namespace,
    },
    ...user,
    mounts: [
      ...claimMounts(settings, assignment, user),
      ...secretMounts(context, assignment, user),
    ],
    cpuMillicores: work.cpuMillicores,
    memoryBytes: work.memoryBytes,
  });
}

function checkWork({ namespace, work }: TaskAssignment, bound: HostBound): void {
  const { maximum, registries } = bound;
  if (!NAME.test(namespace)) refuse(`the namespace ${JSON.stringify(namespace)} is no name`);
  if (work.memoryBytes > maximum.memory) refuse(`this host allows ${maximum.memory} bytes at most`);
  if (work.cpuMillicores > maximum.cpu)
    refuse(`this host allows ${maximum.cpu} millicores at most`);
  const image = safeParseImageReference(work.image);
  if (!image.ok) refuse(image.diagnostics[0]?.message ?? "the image is none");
  const registry = image.ok ? registryOf(image.value.canonical) : "";
  if (registries !== undefined && !registries.includes(registry)) {
    refuse(`this host does not take images from ${registry}`);
  }
  for (const { name } of work.secrets ?? []) {
    if (!isSecretName(name)) refuse(`the secret ${JSON.stringify(name)} is no file's name`);
  }
  for (const { claim, target } of work.volumeClaims ?? []) {
    if (!NAME.test(claim)) refuse(`the claim ${JSON.stringify(claim)} is no name`);
    if (!isTarget(target)) refuse(`a volume cannot be put at ${JSON.stringify(target)}`);
  }
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

function isTarget(target: string): boolean {
  const parts = target.split("/");
  if (parts[0] !== "" || target === "/" || target.includes("\0")) return false;
  if (parts.slice(1).some((part) => part === "" || part === "." || part === "..")) return false;
  return !FORBIDDEN_TARGETS.some((tree) => target === tree || target.startsWith(`${tree}/`));
}

/** A claim is a folder of this host, made on first use, for its namespace's account alone (S6). */
function claimMounts(
  { volumesFolder }: HostSettings,
  { namespace, work }: TaskAssignment,
  owner: Ownership,
): readonly Mount[] {
  return (work.volumeClaims ?? []).map(({ claim, target, readOnly = false }) => {
    const source = join(volumesFolder, namespace, claim);
    const made = mkdirSync(source, { recursive: true, mode: 0o711 });
    if (made !== undefined) {
      if (process.getuid?.() === 0) chownSync(source, owner.uid, owner.gid);
      chmodSync(source, 0o700);
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
