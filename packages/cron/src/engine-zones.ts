import { PERIOD_START } from "./calendar.ts";
import type { Instant } from "./diagnostic.ts";
import type { ZoneOffset, ZoneSource } from "./zone-source.ts";

/** The engine's data, shared by every call that names no source. */
export const ENGINE: ZoneSource = engineZones();

/**
 * Zone data of the JavaScript engine (`Intl`), the default. The engine does not tell its release
 * in a portable way, so `version` is `engine` unless given (Node.js: `process.versions.tz`).
 */
export function engineZones(options?: { readonly version?: string | undefined }): ZoneSource {
  return {
    version: options?.version ?? "engine",
    zoneNames: () => Intl.supportedValuesOf("timeZone"),
    findZone,
    zoneOffsets: (name, { from, through }) => scanOffsets(formatterOf(name), from, through),
  };
}

// Two changes that undo each other can be missed only if they lie closer than this. The closest in
// the tz database (2026f, up to 2100) are 3.99 days apart (Freetown, 1939), from 1970 on 6.96 days
// (Brazil in 2000, Ojinaga in 2022, Gaza in 2040). From 2100 on only yearly rules are left, with
// months between one change and the next.
const STRIDE_SECONDS = 3 * 86_400;
const LATE_SECONDS = PERIOD_START * 60;
const LATE_STRIDE_SECONDS = 28 * 86_400;

function scanOffsets(formatter: Intl.DateTimeFormat, from: Instant, through: Instant) {
  let second = Math.ceil(from / 1000);
  const last = Math.floor(through / 1000);
  let offsetSeconds = offsetAt(formatter, second);
  const changes: ZoneOffset[] = [{ at: from, offsetSeconds }];
  while (second < last) {
    const stride = second < LATE_SECONDS ? STRIDE_SECONDS : LATE_STRIDE_SECONDS;
    const probe = Math.min(second + stride, last);
    if (offsetAt(formatter, probe) === offsetSeconds) {
      second = probe;
      continue;
    }
    second = firstChange(formatter, second, probe, offsetSeconds);
    offsetSeconds = offsetAt(formatter, second);
    changes.push({ at: second * 1000, offsetSeconds });
  }
  return changes;
}

/** The first second in (`before`, `after`] whose offset is not `offsetSeconds`, by bisection. */
function firstChange(
  formatter: Intl.DateTimeFormat,
  before: number,
  after: number,
  offsetSeconds: number,
): number {
  let low = before;
  let high = after;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(formatter, middle) === offsetSeconds) low = middle;
    else high = middle;
  }
  return high;
}

const PLUS = 43;

/** Seconds east of UTC, read off a text such as `1/1/1970, GMT-00:44:30` or `…, GMT`. */
function offsetAt(formatter: Intl.DateTimeFormat, second: number): number {
  const text = formatter.format(second * 1000);
  const sign = text.lastIndexOf("GMT") + 3;
  if (sign === text.length) return 0;
  const part = (at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
  const seconds =
    part(sign + 1) * 3600 + part(sign + 4) * 60 + (text.length > sign + 6 ? part(sign + 7) : 0);
  return text.charCodeAt(sign) === PLUS ? seconds : -seconds;
}

// A formatter weighs tens of kilobytes and takes a tenth of a millisecond to make. Tables keep what
// was read with it, so only the last few are kept.
const MAX_FORMATTERS = 16;
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(name: string): Intl.DateTimeFormat {
  let formatter = formatters.get(name);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hour: "numeric",
      timeZoneName: "longOffset",
    });
    if (formatters.size >= MAX_FORMATTERS) {
      formatters.delete(formatters.keys().next().value as string);
    }
    formatters.set(name, formatter);
  }
  return formatter;
}

function findZone(name: string): string | undefined {
  try {
    const found = formatterOf(name).resolvedOptions().timeZone;
    return found.toLowerCase() === name.toLowerCase() ? found : name;
  } catch {
    return undefined;
  }
}
