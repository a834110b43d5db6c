import { createHash } from "node:crypto";
import type { Labels } from "./engine.ts";

/**
 * Whose a container is (A7). `writeLabels` and `readLabels` are each other's inverse, and nothing
 * else in the agent knows a label's name, so a container is always found again by its owner.
 */
export type Owner =
  | {
      readonly kind: "service";
      readonly module: string;
      readonly container: string;
      readonly hash: string;
    }
  | {
      readonly kind: "runOnce";
      readonly module: string;
      readonly container: string;
      readonly hash: string;
      readonly runId: string;
      readonly attempt: number;
    }
  | {
      readonly kind: "scheduled";
      readonly module: string;
      readonly container: string;
      readonly hash: string;
      readonly runId: string;
      readonly schedule: string;
      readonly occurrenceAt: number;
    }
  | { readonly kind: "task"; readonly taskId: string };

export type OwnerKind = Owner["kind"];

const PREFIX = "mesh.";
const VERSION = "1";

/** The labels of a container that `host` starts for `owner`. */
export function writeLabels(host: string, owner: Owner): Labels {
  const { kind, ...rest } = owner;
  const entries: [string, string][] = [
    [`${PREFIX}v`, VERSION],
    [`${PREFIX}host`, host],
    [`${PREFIX}kind`, kind],
  ];
  for (const [key, value] of Object.entries(rest)) entries.push([PREFIX + key, String(value)]);
  return Object.fromEntries(entries);
}

/** The owner that `writeLabels` was given for this host; `undefined` for any other container. */
export function readLabels(host: string, labels: Labels): Owner | undefined {
  const text = (key: string): string | undefined =>
    Object.hasOwn(labels, PREFIX + key) ? labels[PREFIX + key] : undefined;
  if (text("v") !== VERSION || text("host") !== host) return undefined;
  const kind = text("kind");
  if (kind === "task") {
    const taskId = text("taskId");
    return taskId === undefined ? undefined : { kind, taskId };
  }
  const [module, container, hash] = [text("module"), text("container"), text("hash")];
  if (module === undefined || container === undefined || hash === undefined) return undefined;
  if (kind === "service") return { kind, module, container, hash };
  const runId = text("runId");
  if (runId === undefined) return undefined;
  if (kind === "runOnce") {
    const attempt = wholeNumber(text("attempt"));
    return attempt === undefined ? undefined : { kind, module, container, hash, runId, attempt };
  }
  const [schedule, occurrenceAt] = [text("schedule"), wholeNumber(text("occurrenceAt"))];
  if (kind !== "scheduled" || schedule === undefined || occurrenceAt === undefined)
    return undefined;
  return { kind, module, container, hash, runId, schedule, occurrenceAt };
}

/** Labels that every container of this host carries. */
export function hostLabels(host: string): Labels {
  return { [`${PREFIX}v`]: VERSION, [`${PREFIX}host`]: host };
}

/** Labels that every container of one kind carries that serves this container of a module. */
export function containerLabels(
  host: string,
  kind: Exclude<OwnerKind, "task">,
  of: { readonly module: string; readonly container: string },
): Labels {
  return {
    ...hostLabels(host),
    [`${PREFIX}kind`]: kind,
    [`${PREFIX}module`]: of.module,
    [`${PREFIX}container`]: of.container,
  };
}

/**
 * The engine's name of an owner's container: readable at the front, and a digest of host and owner
 * at the end. One owner has one name, so creating it twice finds the first (A7).
 */
export function containerName(host: string, owner: Owner): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(Object.entries(writeLabels(host, owner)).sort()))
    .digest("hex")
    .slice(0, 12);
  return `mesh-${readable(owner)}-${digest}`;
}

function readable(owner: Owner): string {
  const text = owner.kind === "task" ? owner.taskId : `${owner.module}-${owner.container}`;
  return text.replaceAll(/[^a-zA-Z0-9_.-]/g, "_").slice(0, 48);
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^(0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  return Number(text);
}
