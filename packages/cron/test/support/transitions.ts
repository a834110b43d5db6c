/** Changes of offset of every zone of the engine that has any in these years, found day by day. */
const zones: readonly string[] = Intl.supportedValuesOf("timeZone");

const dayFormatters = new Map<string, Intl.DateTimeFormat>();

function offsetText(timeZone: string, instant: number): string {
  let formatter = dayFormatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    dayFormatters.set(timeZone, formatter);
  }
  return formatter.format(instant).split(", ")[1] as string;
}

/** The instants in a year at which a zone's offset changes, to the minute. */
export function transitionsOf(timeZone: string, year: number): readonly number[] {
  const found: number[] = [];
  const day = 86_400_000;
  const end = Date.UTC(year + 1, 0);
  for (let at = Date.UTC(year, 0); at < end; at += day) {
    if (offsetText(timeZone, at) === offsetText(timeZone, at + day)) continue;
    const before = offsetText(timeZone, at);
    let minute = at;
    while (offsetText(timeZone, minute) === before) minute += 60_000;
    found.push(minute);
  }
  return found;
}

/** Zone and instant of changes chosen to be odd: sizes, hours of the day, days lost or doubled. */
export const ODD_TRANSITIONS: readonly (readonly [string, string])[] = [
  ["Europe/Belgrade", "2026-03-29T01:00Z"],
  ["Europe/Belgrade", "2026-10-25T01:00Z"],
  ["America/New_York", "2025-03-09T07:00Z"],
  ["America/New_York", "2025-11-02T06:00Z"],
  ["Australia/Lord_Howe", "2025-10-04T15:30Z"],
  ["Australia/Lord_Howe", "2025-04-05T15:00Z"],
  ["Pacific/Chatham", "2025-09-27T14:00Z"],
  ["Antarctica/Troll", "2025-03-30T01:00Z"],
  ["Antarctica/Troll", "2025-10-26T01:00Z"],
  ["America/Santiago", "2025-09-07T04:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00Z"],
  ["America/St_Johns", "2006-04-02T03:31Z"],
  ["America/St_Johns", "2006-10-29T02:31Z"],
  ["America/St_Johns", "1988-04-03T03:31Z"],
  ["Pacific/Apia", "2011-12-30T10:00Z"],
  ["Pacific/Kwajalein", "1993-08-21T12:00Z"],
  ["Africa/Casablanca", "2025-02-23T02:00Z"],
  ["Africa/Casablanca", "2025-04-06T02:00Z"],
  ["Africa/Cairo", "2010-08-10T21:00Z"],
  ["Antarctica/Casey", "2020-10-03T16:01Z"],
  ["Antarctica/Casey", "2021-03-13T13:00Z"],
  ["Asia/Gaza", "2025-04-12T00:00Z"],
  ["Asia/Kathmandu", "1985-12-31T18:30Z"],
  ["Africa/Monrovia", "1972-01-07T00:44Z"],
  ["Asia/Manila", "1899-09-06T04:00Z"],
  ["America/Juneau", "1867-10-19T15:33Z"],
  ["Europe/Amsterdam", "1937-07-01T00:00Z"],
];

export const ZONES = zones;
