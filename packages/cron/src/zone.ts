import { PERIOD_MINUTES, PERIOD_START } from "./calendar.ts";
import { ENGINE } from "./engine-zones.ts";
import { refusal, zoneError } from "./zone-names.ts";
import type { ZoneSource } from "./zone-source.ts";

/**
 * One zone of one source: what was read of it so far, and the segment last looked at. A segment is
 * a span of whole UTC minutes with one offset: [`from`, `until`), both in minutes since the epoch.
 */
export interface Zone {
  readonly name: string;
  readonly source: ZoneSource;
  readonly blocks: Map<number, Block>;
  from: number;
  until: number;
  /** Minutes to add to a whole UTC minute to get its wall-clock minute (C8: floored). */
  offset: number;
}

/** The offsets of one block: `starts` and `offsets` in seconds, oldest first. */
interface Block {
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
}

// Offsets are read in blocks of 2^20 minutes, about two years, when first needed. From 2100 on
// the calendar and with it every rule repeats after 400 years, so later blocks are looked up one or
// more periods earlier; before 1799 no zone has a change. A zone has thus at most 354 blocks.
const BLOCK_MINUTES = 1 << 20;
const FIRST_MINUTE = -86 * BLOCK_MINUTES;

/** The zones met so far, by source and by every spelling used. Emptied when full. */
const MAX_ZONES = 1024;
const zonesBySource = new WeakMap<ZoneSource, Map<string, Zone>>();
let lastSource: ZoneSource | undefined;
let lastName: string | undefined;
let lastZone: Zone | undefined;

/** The zone of a name, default `UTC` of the engine; throws a `TimeZoneError` (C7). */
export function zoneOf(
  name: string | undefined = "UTC",
  source: ZoneSource | undefined = ENGINE,
): Zone {
  if (name === lastName && source === lastSource) return lastZone as Zone;
  let zones = zonesBySource.get(source);
  if (zones === undefined) {
    zones = new Map();
    zonesBySource.set(source, zones);
  }
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = findZone(name, source, zones);
    if (zones.size >= MAX_ZONES) zones.clear();
    zones.set(name, zone).set(zone.name, zone);
  }
  lastSource = source;
  lastName = name;
  lastZone = zone;
  return zone;
}

function findZone(name: string, source: ZoneSource, zones: Map<string, Zone>): Zone {
  if (typeof name !== "string") throw new TypeError("timeZone must be a string");
  const isUtc = /^utc$/i.test(name);
  const found = isUtc ? "UTC" : refusal(name) ? undefined : source.findZone(name);
  if (found === undefined) throw zoneError(name, source);
  const known = zones.get(found);
  if (known) return known;
  // `UTC` needs no data: one segment without end.
  const endless = isUtc ? Number.POSITIVE_INFINITY : 0;
  return { name: found, source, blocks: new Map(), from: -endless, until: endless, offset: 0 };
}

/** Moves the zone to the segment that has `minute`, if it is not there already. */
export function seek(zone: Zone, minute: number): void {
  if (minute < zone.from || minute >= zone.until) locate(zone, minute);
}

/** How many minutes earlier a minute is looked up: whole periods, from the year 2500 on. */
function periodShift(minute: number): number {
  if (minute < PERIOD_START + PERIOD_MINUTES) return 0;
  return Math.floor((minute - PERIOD_START) / PERIOD_MINUTES) * PERIOD_MINUTES;
}

function locate(zone: Zone, minute: number): void {
  const shift = periodShift(minute);
  const within = Math.max(minute - shift, FIRST_MINUTE);
  const index = Math.floor(within / BLOCK_MINUTES);
  const { starts, offsets } = blockOf(zone, index);
  let at = starts.length - 1;
  while (at > 0 && Math.ceil((starts[at] as number) / 60) > within) at--;
  const next = starts[at + 1];
  zone.from =
    minute < FIRST_MINUTE
      ? Number.NEGATIVE_INFINITY
      : Math.ceil((starts[at] as number) / 60) + shift;
  zone.until = (next === undefined ? (index + 1) * BLOCK_MINUTES : Math.ceil(next / 60)) + shift;
  zone.offset = Math.floor((offsets[at] as number) / 60);
}

function blockOf(zone: Zone, index: number): Block {
  let block = zone.blocks.get(index);
  if (block === undefined) {
    block = readBlock(zone, index);
    zone.blocks.set(index, block);
  }
  return block;
}

function readBlock(zone: Zone, index: number): Block {
  const from = index * BLOCK_MINUTES * 60_000;
  const through = from + BLOCK_MINUTES * 60_000 - 1;
  const changes = zone.source.zoneOffsets(zone.name, { from, through });
  // A table that is out of order would give wrong answers without a word, or none.
  let before = from - 1;
  const isSound = changes.every(({ at, offsetSeconds }) => {
    const follows = before < from ? at === from : at > before && at <= through;
    before = at;
    return follows && Number.isInteger(offsetSeconds) && Math.abs(offsetSeconds) < 86_400;
  });
  if (changes.length === 0 || !isSound) {
    throw new RangeError(`zones gives no valid offset for ${zone.name}`);
  }
  const offsets = changes.map((change) => change.offsetSeconds);
  return { starts: changes.map((change) => change.at / 1000), offsets };
}

/** Seconds east of UTC at an instant in epoch milliseconds, exact to the second. */
export function offsetSecondsAt(zone: Zone, instant: number): number {
  if (zone.until === Number.POSITIVE_INFINITY) return 0;
  const minute = Math.floor(instant / 60_000);
  const shift = periodShift(minute);
  const within = Math.max(minute - shift, FIRST_MINUTE);
  const { starts, offsets } = blockOf(zone, Math.floor(within / BLOCK_MINUTES));
  const second = Math.floor(instant / 1000) - shift * 60;
  let at = starts.length - 1;
  while (at > 0 && (starts[at] as number) > second) at--;
  return offsets[at] as number;
}
