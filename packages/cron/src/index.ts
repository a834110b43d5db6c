export { describeCron } from "./describe.ts";
export type { Diagnostic, Instant, ParseResult, Position } from "./diagnostic.ts";
export { engineZones } from "./engine-zones.ts";
export { CronSyntaxError, isCronSyntaxError, isTimeZoneError, TimeZoneError } from "./errors.ts";
export type { CronExpression } from "./expression.ts";
export type { CronField } from "./field-rules.ts";
export { formatCron } from "./format.ts";
export type { When } from "./instant.ts";
export { type LocalTime, localTime } from "./local-time.ts";
export {
  type Horizon,
  matchesCron,
  nextOccurrence,
  occurrences,
  occurrencesBetween,
  previousOccurrence,
  type Zoned,
} from "./occurrences.ts";
export { parseCron, safeParseCron } from "./parse.ts";
export { admitCron, isSatisfiable } from "./satisfiable.ts";
export { admitTimeZone, isTimeZone } from "./zone-names.ts";
export type { ZoneOffset, ZoneSource } from "./zone-source.ts";
