import { type PosixRule, parsePosixRule, ruleChanges } from "./posix-rule.ts";
import type { ZoneOffset, ZoneSource } from "./zone-source.ts";

export type { ZoneOffset, ZoneSource } from "./zone-source.ts";

/**
 * Compiled tz database files by zone name, such as those under `/usr/share/zoneinfo`: their bytes,
 * or a function that gives the bytes when the zone is first asked for.
 */
export type TzifFiles = Readonly<Record<string, Uint8Array | (() => Uint8Array)>>;

/** What a file says: changes of offset in seconds, and the rule for what comes after them. */
interface ZoneFile {
  readonly times: readonly number[];
  readonly offsets: readonly number[];
  /** The offset before the first change. */
  readonly first: number;
  readonly rule: PosixRule | undefined;
}

/**
 * Zone data from compiled tz database files (RFC 8536, versions 1 to 4, with the rule of the
 * footer for the far future; C7a). `version` is the release of the data, such as `2026f`. A file
 * is read when its zone is first used; one that is no such file, or that counts leap seconds
 * (`right/`), is a `RangeError` then.
 */
export function tzifZones(files: TzifFiles, options: { readonly version: string }): ZoneSource {
  const names = Object.keys(files);
  const spellings = new Map(names.map((name) => [name.toLowerCase(), name]));
  const read = new Map<string, ZoneFile>();
  const fileOf = (name: string): ZoneFile => {
    let file = read.get(name);
    if (file === undefined) {
      const bytes = files[name] as Uint8Array | (() => Uint8Array);
      file = readZoneFile(name, typeof bytes === "function" ? bytes() : bytes);
      read.set(name, file);
    }
    return file;
  };
  return {
    version: options.version,
    zoneNames: () => names,
    findZone: (name) => spellings.get(name.toLowerCase()),
    zoneOffsets: (name, { from, through }) => offsetsIn(fileOf(name), from, through),
  };
}

function offsetsIn(file: ZoneFile, from: number, through: number): readonly ZoneOffset[] {
  const first = from / 1000;
  const last = through / 1000;
  let offset = file.first;
  const found: ZoneOffset[] = [];
  const add = (second: number, offsetSeconds: number) => {
    if (second > last || offsetSeconds === offset) return;
    if (second > first) {
      if (found.length === 0) found.push({ at: from, offsetSeconds: offset });
      // Two changes at one instant (a rule without standard time): the later one holds.
      if (found[found.length - 1]?.at === second * 1000) found.pop();
      found.push({ at: second * 1000, offsetSeconds });
    }
    offset = offsetSeconds;
  };
  for (const [index, second] of file.times.entries()) add(second, file.offsets[index] as number);
  if (file.rule) {
    const end = file.times[file.times.length - 1] ?? Number.NEGATIVE_INFINITY;
    for (const { second, offsetSeconds } of ruleChanges(file.rule, first, last)) {
      if (second > end) add(second, offsetSeconds);
    }
  }
  return found.length > 0 ? found : [{ at: from, offsetSeconds: offset }];
}

const HEADER_BYTES = 44;

function readZoneFile(name: string, bytes: Uint8Array): ZoneFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const first = readHeader(view, 0);
    if (first.version === 0) return readBlock(view, HEADER_BYTES, first, 4, undefined);
    const second = HEADER_BYTES + blockBytes(first, 4);
    const header = readHeader(view, second);
    const start = second + HEADER_BYTES;
    const footer = readFooter(bytes, start + blockBytes(header, 8));
    return readBlock(view, start, header, 8, footer === "" ? undefined : parsePosixRule(footer));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RangeError(`the file of zone ${name} cannot be used: ${reason}`);
  }
}

interface Header {
  readonly version: number;
  readonly utcCount: number;
  readonly standardCount: number;
  readonly leapCount: number;
  readonly timeCount: number;
  readonly typeCount: number;
  readonly nameBytes: number;
}

function readHeader(view: DataView, at: number): Header {
  if (view.getUint32(at) !== 0x545a6966) throw new RangeError("it does not begin with TZif");
  const header = {
    version: view.getUint8(at + 4),
    utcCount: view.getUint32(at + 20),
    standardCount: view.getUint32(at + 24),
    leapCount: view.getUint32(at + 28),
    timeCount: view.getUint32(at + 32),
    typeCount: view.getUint32(at + 36),
    nameBytes: view.getUint32(at + 40),
  };
  if (header.typeCount === 0) throw new RangeError("it has no offset");
  return header;
}

function blockBytes(header: Header, timeBytes: number): number {
  return (
    header.timeCount * (timeBytes + 1) +
    header.typeCount * 6 +
    header.nameBytes +
    header.leapCount * (timeBytes + 4) +
    header.standardCount +
    header.utcCount
  );
}

function readBlock(
  view: DataView,
  start: number,
  header: Header,
  timeBytes: number,
  rule: PosixRule | undefined,
): ZoneFile {
  if (header.leapCount > 0) throw new RangeError("it counts leap seconds");
  const typesAt = start + header.timeCount * timeBytes;
  const offsetsAt = typesAt + header.timeCount;
  const offsetOf = (type: number): number => {
    if (type >= header.typeCount) throw new RangeError("it names an offset that it has not");
    return view.getInt32(offsetsAt + type * 6);
  };
  const times: number[] = [];
  const offsets: number[] = [];
  for (let index = 0; index < header.timeCount; index++) {
    const at = start + index * timeBytes;
    const time = timeBytes === 4 ? view.getInt32(at) : Number(view.getBigInt64(at));
    if (index > 0 && time <= (times[index - 1] as number)) throw new RangeError("it is not sorted");
    times.push(time);
    offsets.push(offsetOf(view.getUint8(typesAt + index)));
  }
  return { times, offsets, first: offsetOf(0), rule };
}

const NEWLINE = 10;

/** The rule between the two line breaks after the second block. */
function readFooter(bytes: Uint8Array, at: number): string {
  const end = bytes.indexOf(NEWLINE, at + 1);
  if (bytes[at] !== NEWLINE || end < 0) throw new RangeError("its footer is cut short");
  return String.fromCharCode(...bytes.subarray(at + 1, end));
}
