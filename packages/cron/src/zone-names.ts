import type { Diagnostic, ParseResult } from "./diagnostic.ts";
import { ENGINE } from "./engine-zones.ts";
import { TimeZoneError } from "./errors.ts";
import type { ZoneSource } from "./zone-source.ts";

// The only names of three letters in the tz database; engines know others from a time before it
// (PST, BST, IST …), that mean several places. GMT0 and the like are longer.
const THREE_LETTERS = /^(UTC|GMT|UCT|[CEMW]ET|[EMH]ST|PRC|ROC|ROK)$/i;

/** Whether a name is refused whatever the source says: offsets, SystemV, ambiguous letters (C7). */
export function refusal(name: string): boolean {
  return (
    !/^[A-Za-z]/.test(name) ||
    /^SystemV\//i.test(name) ||
    (name.length === 3 && !THREE_LETTERS.test(name))
  );
}

/** No zone's name is nearly as long; of longer ones only the beginning is looked at and shown. */
const MAX_SHOWN = 64;

/** The error for a name that is no zone, with the nearest names. */
export function zoneError(name: string, source: ZoneSource): TimeZoneError {
  const suggestions = nearestZones(name, source.zoneNames());
  return new TimeZoneError(name, suggestions, zoneDiagnostic(name, suggestions));
}

function zoneDiagnostic(name: string, suggestions: readonly string[]): Diagnostic {
  const offset = /^(UTC|GMT)?[+-]\d/i.test(name);
  const shown = JSON.stringify(name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name);
  return {
    code: "timezone.unknown",
    severity: "error",
    message: offset
      ? `${shown} is an offset, not a time zone`
      : `${shown} is not a known time zone`,
    found: name,
    ...(suggestions.length > 0 ? { allowed: suggestions } : {}),
    help:
      suggestions.length > 0
        ? `did you mean ${suggestions.join(" or ")}?`
        : "use an IANA name such as Europe/Belgrade or UTC",
  };
}

/**
 * Whether `name` is an IANA time zone as the database spells it: `Europe/Belgrade`, but not
 * `europe/belgrade`, `+02:00`, `PST` or an empty text. Functions that take a zone overlook case
 * (C7); this is the question to ask before a name is stored.
 */
export function isTimeZone(name: string): boolean {
  return admitTimeZone(name).ok;
}

/** Like `isTimeZone`, but tells what is wrong; the help names the nearest zones. */
export function admitTimeZone(
  name: string,
  options?: { readonly zones?: ZoneSource | undefined },
): ParseResult<string> {
  if (typeof name !== "string") throw new TypeError("a time zone must be a string");
  const source = options?.zones ?? ENGINE;
  const found = refusal(name) ? undefined : source.findZone(name);
  if (found === name && wellSpelled(name)) return { ok: true, value: name, warnings: [] };
  const suggestions =
    found === undefined || found === name ? nearestZones(name, source.zoneNames()) : [found];
  return { ok: false, diagnostics: [zoneDiagnostic(name, suggestions)] };
}

/**
 * Engines resolve old names (`US/Pacific`) to new ones and do not tell how the old one is spelled;
 * but each part begins with a capital and, but for short acronyms, goes on in lower case.
 */
function wellSpelled(name: string): boolean {
  return name.split("/").every((part) => /^([A-Z]{1,3}(?![A-Za-z])|[A-Z][a-z])/.test(part));
}

const MAX_SUGGESTIONS = 3;

function nearestZones(name: string, names: readonly string[]): readonly string[] {
  const wanted = name.toLowerCase().replace(/ /g, "_").slice(0, MAX_SHOWN);
  if (wanted.length < 3) return [];
  const limit = Math.min(3, Math.floor(wanted.length / 3));
  return names
    .map((known) => {
      const lower = known.toLowerCase();
      const city = lower.slice(lower.lastIndexOf("/") + 1);
      return { known, distance: Math.min(distance(wanted, lower), distance(wanted, city)) };
    })
    .filter((entry) => entry.distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map((entry) => entry.known);
}

/** Levenshtein distance, one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      next.push(
        Math.min(
          (row[j] as number) + 1,
          (next[j - 1] as number) + 1,
          (row[j - 1] as number) + same,
        ),
      );
    }
    row = next;
  }
  return row[b.length] as number;
}
