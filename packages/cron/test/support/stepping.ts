import type { CronExpression } from "../../src/index.ts";

const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * The wall clock of a UTC minute in a zone, read straight from the engine, in minutes since
 * 1970-01-01T00:00 on that clock.
 */
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
  return { local: shown.getTime() / 60_000 };
}

/** C3 and C4 read word for word: the five fields against the wall clock. */
export function matchesByDefinition(cron: CronExpression, minute: number, timeZone: string) {
  return matchesWall(cron, wallClock(minute, timeZone).local);
}

/** The five fields against a wall-clock minute since 1970-01-01T00:00 on that clock. */
function matchesWall(cron: CronExpression, local: number): boolean {
  const shown = new Date(local * 60_000);
  return (
    cron.minute.includes(shown.getUTCMinutes()) &&
    cron.hour.includes(shown.getUTCHours()) &&
    cron.dayOfMonth.includes(shown.getUTCDate()) &&
    cron.month.includes(shown.getUTCMonth() + 1) &&
    cron.dayOfWeek.includes(shown.getUTCDay())
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
    if (matchesWall(cron, local)) found.add(minute);
  }
  for (const gap of gaps) {
    for (let local = gap.from; local < gap.until; local++) {
      if (!firstShown.has(local) && matchesWall(cron, local)) found.add(gap.end);
    }
  }
  return [...found]
    .filter((minute) => minute >= window.from && minute <= window.through)
    .sort((a, b) => a - b);
}
