import type { CronExpression } from "../../src/index.ts";

const formatters = new Map<string, Intl.DateTimeFormat>();

/** The wall clock of an instant's minute in a zone, read straight from the engine. */
export function wallClock(minute: number, timeZone: string) {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      era: "short",
    });
    formatters.set(timeZone, formatter);
  }
  const parts = /^(\d+)\/(\d+)\/(\d+) ([AB])\D*(\d+):(\d+)$/.exec(
    formatter.format(minute * 60_000),
  ) as RegExpExecArray;
  const year = parts[4] === "A" ? Number(parts[3]) : 1 - Number(parts[3]);
  const [month, day, hour, minuteOfHour] = [1, 2, 5, 6].map((index) => Number(parts[index]));
  const shown = new Date(0);
  shown.setUTCFullYear(year, (month as number) - 1, day);
  shown.setUTCHours(hour as number, minuteOfHour);
  /** Minutes on this wall clock since 1970-01-01T00:00 on it. */
  const local = shown.getTime() / 60_000;
  return { month, day, hour, minute: minuteOfHour, weekday: shown.getUTCDay(), local };
}

/** C3 and C4 read word for word: the five fields against the wall clock. */
export function matchesByDefinition(cron: CronExpression, minute: number, timeZone: string) {
  const wall = wallClock(minute, timeZone);
  return (
    cron.minute.includes(wall.minute as number) &&
    cron.hour.includes(wall.hour as number) &&
    cron.dayOfMonth.includes(wall.day as number) &&
    cron.month.includes(wall.month as number) &&
    cron.dayOfWeek.includes(wall.weekday)
  );
}

/** C5 read word for word: whole UTC minutes, one after another. */
export function nextByStepping(
  cron: CronExpression,
  after: number,
  timeZone: string,
  horizonMinutes: number,
): number | undefined {
  const start = Math.floor(after / 60_000);
  for (let minute = start + 1; minute <= start + horizonMinutes; minute++) {
    if (matchesByDefinition(cron, minute, timeZone)) return minute * 60_000;
  }
  return undefined;
}

/** C9 read word for word, for the occurrences in [`from`, `through`], in whole UTC minutes. */
export function onceByDefinition(
  cron: CronExpression,
  window: { from: number; through: number },
  timeZone: string,
): number[] {
  const found = new Set<number>();
  const firstShown = new Map<number, number>();
  const reach = 2 * 1440;
  let previousLocal = wallClock(window.from - reach, timeZone).local - 1;
  const gaps: { from: number; until: number; end: number }[] = [];
  for (let minute = window.from - reach; minute <= window.through + reach; minute++) {
    const { local } = wallClock(minute, timeZone);
    if (!firstShown.has(local)) firstShown.set(local, minute);
    if (local > previousLocal + 1)
      gaps.push({ from: previousLocal + 1, until: local, end: minute });
    previousLocal = local;
  }
  for (const [local, minute] of firstShown) {
    if (matchesByDefinition(cron, local, "UTC")) found.add(minute);
  }
  for (const gap of gaps) {
    for (let local = gap.from; local < gap.until; local++) {
      if (!firstShown.has(local) && matchesByDefinition(cron, local, "UTC")) found.add(gap.end);
    }
  }
  return [...found]
    .filter((minute) => minute >= window.from && minute <= window.through)
    .sort((a, b) => a - b);
}
