import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ZoneSource } from "../../src/index.ts";
import { type TzifFiles, tzifZones } from "../../src/tzif.ts";
import { digestOf } from "../fixtures/digest.mjs";

const fixture = (name: string): URL => new URL(`../fixtures/${name}`, import.meta.url);

/** What `zdump` said of each zone of a release from 1970 to 2100: count and digest of its changes. */
export function zoneDigests(release: string): ReadonlyMap<string, string> {
  const lines = readFileSync(fixture(`zone-digest-${release}.txt`), "utf8")
    .trim()
    .split("\n");
  return new Map(
    lines.map((line) => {
      const [name, ...rest] = line.split(" ");
      return [name as string, rest.join(" ")];
    }),
  );
}

/** The compiled files of release 2026f, all zones. */
export function zoneFiles(): TzifFiles {
  const packed = gunzipSync(readFileSync(fixture("zoneinfo-2026f.json.gz"))).toString();
  const contents = JSON.parse(packed) as Record<string, string | { sameAs: string }>;
  return Object.fromEntries(
    Object.entries(contents).map(([name, content]) => {
      const text = typeof content === "string" ? content : contents[content.sameAs];
      return [name, Buffer.from(text as string, "base64")];
    }),
  );
}

export const zones2026f: ZoneSource = tzifZones(zoneFiles(), { version: "2026f" });

/** Count and digest of a zone's changes from 1970 to 2100, as a source tells them. */
export function digestBySource(source: ZoneSource, name: string): string {
  const window = { from: 0, through: Date.UTC(2101, 0) - 1000 };
  const offsets = source.zoneOffsets(name, window);
  const changes = offsets.map(({ at, offsetSeconds }) => [at / 1000, offsetSeconds] as const);
  return `${changes.length} ${digestOf(changes)}`;
}
