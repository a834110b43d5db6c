// A short check of the built package that runs in any JavaScript runtime: Node.js, Deno, Bun, a
// browser (as a bundle). Prints one line; throws where an answer is wrong.
import * as cron from "../dist/index.js";
import { tzifZones } from "../dist/tzif.js";

const { nextOccurrence, occurrencesBetween, parseCron, previousOccurrence } = cron;

function same(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a}, wanted ${b}`);
}

const iso = (dates) => dates.map((date) => date?.toISOString().slice(0, 16));
const timeZone = "Europe/Belgrade";
const window = { after: new Date("2026-10-24T12:00Z"), through: new Date("2026-10-26T12:00Z") };
const nightly = parseCron("30 2 * * *");
same(
  iso(occurrencesBetween(nightly, window, { timeZone })),
  ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-26T01:30"],
  "Literal",
);
same(
  iso(occurrencesBetween(nightly, window, { timeZone, dst: "Once" })),
  ["2026-10-25T00:30", "2026-10-26T01:30"],
  "Once",
);
same(
  iso([previousOccurrence(nightly, window.after, { timeZone })]),
  ["2026-10-24T00:30"],
  "previous",
);
same(cron.localTime(window.after, { timeZone }).offset, "+02:00", "localTime");
same(cron.localTime(0, { timeZone: "Africa/Monrovia" }).offset, "-00:44:30", "offset with seconds");
same(structuredClone(nightly), nightly, "clone");
same(nextOccurrence(structuredClone(nightly), 0), 9_000_000, "a copy");
same(cron.safeParseCron("0 24 * * *").diagnostics[0].code, "cron.range", "diagnostic");
const odd = ["+05:30", "PST", "SystemV/PST8PDT", "Nope", ""];
same(
  odd.map(cron.isTimeZone),
  odd.map(() => false),
  "names that are refused",
);
let everyZone = 0;
for (const name of Intl.supportedValuesOf("timeZone")) {
  // Engines list a few names of their own that the tz database does not have.
  if (!cron.isTimeZone(name)) continue;
  const next = nextOccurrence(parseCron("0 9 * * *"), Date.UTC(2026, 0, 1), { timeZone: name });
  same(cron.localTime(next, { timeZone: name }).local.slice(11), "09:00", name);
  everyZone++;
}
const zones = tzifZones({}, { version: "none" });
same(nextOccurrence(nightly, 0, { zones }), 9_000_000, "another source");
console.log(`@mesh/cron: ${Object.keys(cron).length} exports, ${everyZone} zones, all well`);
