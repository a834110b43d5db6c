/**
 * The rule that a compiled zone file gives for the time after its last change (RFC 8536 §3.3):
 * a POSIX TZ string, where hours may run from -167 to 167.
 */
export interface PosixRule {
  readonly standardSeconds: number;
  readonly daylight: Daylight | undefined;
}

interface Daylight {
  readonly offsetSeconds: number;
  readonly start: YearDay;
  readonly end: YearDay;
}

/** A day of the year and the seconds from its midnight, on the wall clock before the change. */
interface YearDay {
  readonly kind: "week" | "julian" | "day";
  readonly month: number;
  readonly week: number;
  /** Weekday (0 is Sunday), or day of the year. */
  readonly day: number;
  readonly seconds: number;
}

const NAME = "(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]+>)";
const TIME = "[+-]?\\d{1,3}(?::\\d{2}(?::\\d{2})?)?";
const DATE = "(?:M\\d{1,2}\\.\\d\\.\\d|J?\\d{1,3})";
const RULE = new RegExp(
  `^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DATE})(?:/(${TIME}))?,(${DATE})(?:/(${TIME}))?)?$`,
);

/** Reads the rule; throws a `RangeError` for a text that is none. */
export function parsePosixRule(text: string): PosixRule {
  const match = RULE.exec(text);
  if (match === null) throw new RangeError(`its rule ${JSON.stringify(text)} cannot be read`);
  const [, standard, daylight, startDate, startTime, endDate, endTime] = match;
  // POSIX counts west as positive.
  const standardSeconds = -parseTime(standard as string);
  if (startDate === undefined) return { standardSeconds, daylight: undefined };
  return {
    standardSeconds,
    daylight: {
      offsetSeconds: daylight === undefined ? standardSeconds + 3600 : -parseTime(daylight),
      start: parseYearDay(startDate, startTime),
      end: parseYearDay(endDate as string, endTime),
    },
  };
}

/** The changes of a rule from a year before `first` to a year after `last`, oldest first. */
export function ruleChanges(
  rule: PosixRule,
  first: number,
  last: number,
): readonly { readonly second: number; readonly offsetSeconds: number }[] {
  const { standardSeconds, daylight } = rule;
  if (daylight === undefined) {
    return [{ second: first, offsetSeconds: standardSeconds }];
  }
  const changes: { second: number; offsetSeconds: number }[] = [];
  for (let year = yearOf(first) - 1; year <= yearOf(last) + 1; year++) {
    const start = secondOf(daylight.start, year) - standardSeconds;
    const end = secondOf(daylight.end, year) - daylight.offsetSeconds;
    changes.push({ second: end, offsetSeconds: standardSeconds });
    changes.push({ second: start, offsetSeconds: daylight.offsetSeconds });
  }
  return changes.sort((a, b) => a.second - b.second);
}

function parseTime(text: string): number {
  const [hours, minutes, seconds] = text.replace(/^[+-]/, "").split(":").map(Number);
  const size = (hours as number) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  return text.startsWith("-") ? -size : size;
}

function parseYearDay(date: string, time: string | undefined): YearDay {
  const seconds = time === undefined ? 7200 : parseTime(time);
  if (date.startsWith("M")) {
    const [month, week, day] = date.slice(1).split(".").map(Number) as [number, number, number];
    if (month < 1 || month > 12 || week < 1 || week > 5 || day > 6) {
      throw new RangeError(`its rule has no such day as ${date}`);
    }
    return { kind: "week", month, week, day, seconds };
  }
  const julian = date.startsWith("J");
  const day = Number(julian ? date.slice(1) : date);
  return { kind: julian ? "julian" : "day", month: 0, week: 0, day, seconds };
}

const DAY_SECONDS = 86_400;

/** Seconds since the epoch of a rule's day in a year, as if its wall clock were UTC. */
function secondOf(rule: YearDay, year: number): number {
  if (rule.kind === "week") {
    const first = Date.UTC(year, rule.month - 1) / 1000;
    const length = Date.UTC(year, rule.month) / 1000 - first;
    const weekday = new Date(first * 1000).getUTCDay();
    let day = ((rule.day - weekday + 7) % 7) + (rule.week - 1) * 7;
    if (day * DAY_SECONDS >= length) day -= 7;
    return first + day * DAY_SECONDS + rule.seconds;
  }
  const start = Date.UTC(year, 0) / 1000;
  // `J` days leave 29 February out: J60 is always 1 March.
  const leap = Date.UTC(year, 2) - Date.UTC(year, 1) === 29 * DAY_SECONDS * 1000;
  const day = rule.kind === "day" ? rule.day : rule.day - 1 + (leap && rule.day >= 60 ? 1 : 0);
  return start + day * DAY_SECONDS + rule.seconds;
}

function yearOf(second: number): number {
  return new Date(second * 1000).getUTCFullYear();
}
