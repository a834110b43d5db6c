export type CronField = "minute" | "hour" | "dayOfMonth" | "month" | "dayOfWeek";

/** What a field is called, and the values it may have (C1). */
export interface FieldRule {
  readonly key: CronField;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that other dialects know, three letters each, from value `min` on. */
  readonly names?: string;
}

export const FIELDS: readonly FieldRule[] = [
  { key: "minute", name: "minute", min: 0, max: 59 },
  { key: "hour", name: "hour", min: 0, max: 23 },
  { key: "dayOfMonth", name: "day of month", min: 1, max: 31 },
  { key: "month", name: "month", min: 1, max: 12, names: "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC" },
  { key: "dayOfWeek", name: "weekday", min: 0, max: 6, names: "SUNMONTUEWEDTHUFRISAT" },
];

/** The fields as a text names them. */
export const FIELD_ORDER = "minute, hour, day of month, month, weekday";

/** The number that a name stands for in a field; `undefined` where the field has no such name. */
export function valueOfName(word: string, { names = "", min }: FieldRule): number | undefined {
  const index = names.indexOf(word.slice(0, 3).toUpperCase());
  return index >= 0 && index % 3 === 0 ? index / 3 + min : undefined;
}
