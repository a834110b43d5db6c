import { scheduleOfRun } from "@mesh/concurrency";
import { type Fault, quote } from "./finding.ts";

const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const RESERVED: ReadonlySet<string> = new Set(["root", "daemon", "docker", "sudo", "nobody"]);
const OF_SCHEDULES = /-[0-9]{12}$/;
const MAX_LABEL = 63;

/** Schedules leave room for the occurrence in the names of their runs (D10). */
export const MAX_SCHEDULE_NAME = 40;

/** The account of a module on its host (R3). */
export function accountOf(module: string): string {
  return `mesh-${module}`;
}

/** A DNS-1123 label of at most `most` characters. */
export function checkLabel(
  name: string,
  what: string,
  most: number = MAX_LABEL,
): Fault | undefined {
  if (name.length <= most && LABEL.test(name)) return undefined;
  const simpler = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const isFree = simpler !== "" && !isReserved(simpler) && !OF_SCHEDULES.test(simpler);
  const usable = isFree && simpler.length <= most;
  return {
    code: "name.invalid",
    message:
      name.length > most
        ? `${what} has ${name.length} characters, at most ${most} are allowed`
        : `${what} may have lower-case letters, digits and inner hyphens only`,
    found: quote(name),
    help: usable ? `write ${simpler}` : "use a DNS label, such as report-2",
  };
}

/** A Job's name; those that schedules give to their runs are not free (J2, D10). */
export function checkJobName(name: string): Fault | undefined {
  const invalid = checkLabel(name, "a Job's name");
  if (invalid !== undefined || scheduleOfRun(name) === undefined) return invalid;
  return {
    code: "name.reserved",
    message: "a name that ends in a hyphen and 12 digits belongs to the runs of a schedule",
    found: quote(name),
    help: "use another ending",
  };
}

function isReserved(name: string): boolean {
  return RESERVED.has(name) || name.startsWith("mesh-");
}

/** Reserved names come first: they are told as such wherever they are written (R3). */
export function checkReserved(name: string, what: string): Fault | undefined {
  if (!isReserved(name)) return undefined;
  return {
    code: "account.reserved",
    message: `${what} cannot be ${quote(name)}: the name is the host's own`,
    found: quote(name),
    help: "use the module's name, or leave it out",
  };
}

/** An account or owner may only be the module's own (R3). */
export function checkScoped(name: string, own: string, what: string): Fault | undefined {
  if (name === own) return undefined;
  return {
    code: "account.not-scoped",
    message: `${what} must be the module's own`,
    found: quote(name),
    allowed: [own],
    help: `write ${own}, or leave it out in a manifest`,
  };
}

/** The name of a secret or a key of it: it becomes a file's name. */
export function checkFileName(name: string, what: string): Fault | undefined {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$/.test(name)) return undefined;
  return {
    code: "name.invalid",
    message: `${what} may have letters, digits, dots, hyphens and underscores only`,
    found: quote(name),
    help: "use at most 253 of these characters, not beginning with a dot",
  };
}

const LABEL_WORD = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?";
const LABEL_DOMAIN = "[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/";
const PLACEMENT_WORDS = {
  key: new RegExp(`^(?:${LABEL_DOMAIN})?${LABEL_WORD}$`),
  value: new RegExp(`^(?:${LABEL_WORD})?$`),
} as const;

/** A node label's key or value in a placement constraint. */
export function checkPlacementWord(word: string, part: "key" | "value"): Fault | undefined {
  if (PLACEMENT_WORDS[part].test(word)) return undefined;
  const letters = "use letters, digits and inner . _ -, at most 63";
  return {
    code: `placement.${part}`,
    message: `this is not a node label's ${part}`,
    found: quote(word),
    help: part === "key" ? `${letters}, with an optional domain and / before` : letters,
  };
}
