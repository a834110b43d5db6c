import { bitsOf, type CronExpression } from "./expression.ts";
import { runsOf } from "./format.ts";
import { fieldValues } from "./values.ts";

type Values = readonly number[];

const MAX_TIMES = 6;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/**
 * One English sentence that is true under C3 (C13): where both day fields are restricted it says
 * that a day must match the one and the other. Different fields give different sentences.
 *
 * @example describeCron(parseCron("0 9 * * 1-5")) // "At 09:00 on Monday through Friday."
 */
export function describeCron(cron: CronExpression): string {
  const bits = bitsOf(cron);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fieldValues(bits) as readonly [
    Values,
    Values,
    Values,
    Values,
    Values,
  ];
  const times = describeTimes(minute, hour);
  const days = describeDays(dayOfMonth, month, dayOfWeek);
  const sentence = days === "" ? times : `${times} ${days}`;
  return bits.possible ? `${sentence}.` : `Never: no such date exists (${lowerFirst(sentence)}).`;
}

function describeTimes(minute: Values, hour: Values): string {
  const everyHour = hour.length === 24;
  const step = stepOf(minute);
  const hours = everyHour ? undefined : runsOf(hour);
  if (step !== undefined) {
    const every = step === 1 ? "Every minute" : `Every ${step} minutes`;
    if (hours === undefined) return every;
    const last = minute[minute.length - 1] as number;
    const spans = hours.map(([from, to]) => `${clock(from, 0)} through ${clock(to, last)}`);
    return `${every} from ${join(spans)}`;
  }
  if (everyHour) {
    return `At ${count("minute", minute)} ${list(minute, String)} of every hour`;
  }
  if (minute.length * hour.length <= MAX_TIMES) {
    const times = hour.flatMap((h) => minute.map((m) => clock(h, m)));
    return `At ${join(times)}`;
  }
  const hoursText = `${count("hour", hour)} ${list(hour, String)}`;
  return `At ${count("minute", minute)} ${list(minute, String)} of ${hoursText}`;
}

/** The step of minutes that go evenly through the hour from 0 (so also from hour to hour). */
function stepOf(minute: Values): number | undefined {
  const step = 60 / minute.length;
  return minute.length > 1 && minute.every((value, index) => value === index * step)
    ? step
    : undefined;
}

function describeDays(dayOfMonth: Values, month: Values, dayOfWeek: Values): string {
  const anyDay = dayOfMonth.length === 31;
  const anyWeekday = dayOfWeek.length === 7;
  const weekdays = list(dayOfWeek, (value) => WEEKDAYS[value] as string, "or");
  const months = list(month, (value) => MONTHS[value - 1] as string);
  const inMonths = month.length === 12 ? "" : ` in ${months}`;
  const days = list(dayOfMonth, String, "or");
  if (anyDay && anyWeekday) return month.length === 12 ? "" : `every day${inMonths}`;
  if (anyDay) return `on ${list(dayOfWeek, (value) => WEEKDAYS[value] as string)}${inMonths}`;
  if (anyWeekday) {
    const of = month.length === 12 ? "every month" : months;
    return `on ${count("day", dayOfMonth)} ${list(dayOfMonth, String)} of ${of}`;
  }
  return `when the day of the month is ${days} and the weekday is ${weekdays}${inMonths}`;
}

function list(values: Values, name: (value: number) => string, last = "and"): string {
  const parts = runsOf(values).flatMap(([from, to]) =>
    to > from + 1
      ? [`${name(from)} through ${name(to)}`]
      : to > from
        ? [name(from), name(to)]
        : [name(from)],
  );
  return join(parts, last);
}

function join(parts: readonly string[], last = "and"): string {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} ${last} ${parts[parts.length - 1]}`;
}

function count(noun: string, values: Values): string {
  return values.length === 1 ? noun : `${noun}s`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
