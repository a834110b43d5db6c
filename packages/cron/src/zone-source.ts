import type { Instant } from "./diagnostic.ts";

/** An offset from UTC and the instant from which it holds. */
export interface ZoneOffset {
  readonly at: Instant;
  /** Local time minus UTC, in seconds: 3600 for +01:00. Less than a day either way. */
  readonly offsetSeconds: number;
}

/**
 * Where offsets come from (C7a). A source answers the same question the same way for as long as
 * it lives. From the year 2100 on its offsets must repeat every 400 years, as rules by weekday do.
 */
export interface ZoneSource {
  /** The release of the data, such as `2026f`: evidence names it. */
  readonly version: string;
  /** The names it knows, as the tz database spells them: only for suggestions. */
  zoneNames(): readonly string[];
  /** The spelling of a zone's name, found whatever the case; `undefined` if it has none such. */
  findZone(name: string): string | undefined;
  /**
   * The offset in force at `from` (with `at` = `from`), then every change after `from` up to and
   * including `through`, oldest first. `name` is one that `findZone` gave.
   */
  zoneOffsets(
    name: string,
    window: { readonly from: Instant; readonly through: Instant },
  ): readonly ZoneOffset[];
}
