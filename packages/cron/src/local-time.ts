import { monthOf } from "./calendar.ts";
import { instantOf, type When } from "./instant.ts";
import { showings } from "./once-search.ts";
import { offsetSecondsAt, zoneOf } from "./zone.ts";
import type { ZoneSource } from "./zone-source.ts";

/** What the wall clock of a zone shows at an instant. */
export interface LocalTime {
  /** `2026-10-25T02:30`: the date and the minute, without an offset. */
  readonly local: string;
  /** `+02:00`; with seconds where the offset has some (`-00:44:30`). */
  readonly offset: string;
  /** Set where this wall time is shown twice: which of the two this is. */
  readonly fold?: "first" | "second";
}

/** The wall clock of `timeZone` at an instant; with `offset` it names the instant's minute. */
export function localTime(
  at: When,
  options: { readonly timeZone: string; readonly zones?: ZoneSource | undefined },
): LocalTime {
  const instant = instantOf(at, "at");
  const zone = zoneOf(options.timeZone, options.zones);
  const seconds = offsetSecondsAt(zone, instant);
  const localMinute = Math.floor((instant + seconds * 1000) / 60_000);
  const local = formatMinute(localMinute);
  const offset = formatOffset(seconds);
  const shown = showings(zone, localMinute);
  if (shown.length < 2) return { local, offset };
  const first = instant < (shown[1] as number) * 60_000;
  return { local, offset, fold: first ? "first" : "second" };
}

function formatMinute(minute: number): string {
  const day = Math.floor(minute / 1440);
  const time = minute - day * 1440;
  const { year, month, first } = monthOf(day);
  const years =
    year >= 0 && year <= 9999 ? pad(year, 4) : `${year < 0 ? "-" : "+"}${pad(Math.abs(year), 6)}`;
  const date = `${years}-${pad(month, 2)}-${pad(day - first + 1, 2)}`;
  return `${date}T${pad(Math.floor(time / 60), 2)}:${pad(time % 60, 2)}`;
}

function formatOffset(seconds: number): string {
  const size = Math.abs(seconds);
  const text = `${pad(Math.floor(size / 3600), 2)}:${pad(Math.floor(size / 60) % 60, 2)}`;
  const rest = size % 60;
  return (seconds < 0 ? "-" : "+") + text + (rest === 0 ? "" : `:${pad(rest, 2)}`);
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
