import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatCron,
  isSatisfiable,
  matchesCron,
  nextOccurrence,
  occurrencesBetween,
  parseCron,
  previousOccurrence,
} from "../src/index.ts";
import { cronCase, cronExpression, instantNear, timeZoneName } from "../src/testing.ts";
import { matchesByDefinition, nextByStepping, onceByDefinition } from "./support/stepping.ts";
import { ODD_TRANSITIONS, transitionsOf } from "./support/transitions.ts";

const MINUTE = 60_000;

/** A zone and an instant within two days of one of its odd changes of offset, or anywhere. */
const place = fc.oneof(
  fc
    .constantFrom(...ODD_TRANSITIONS)
    .chain(([timeZone, at]) =>
      instantNear(Date.parse(at), 2880).map((instant) => ({ timeZone, instant })),
    ),
  fc
    .tuple(timeZoneName(), fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) }))
    .map(([timeZone, instant]) => ({ timeZone, instant })),
);

/** Expressions that match often enough for a stepping reference of some days. */
const frequent = cronExpression().map((cron) =>
  parseCron(`${cron.source.split(" ").slice(0, 2).join(" ")} * * *`),
);
const anyCron = fc.oneof(frequent, cronExpression());
const dst = fc.constantFrom("Literal" as const, "Once" as const);

describe("C11 laws", () => {
  it("[C31-86] (a) next equals the minute-stepping reference, for any horizon (C5)", () => {
    fc.assert(
      fc.property(anyCron, place, fc.integer({ min: 0, max: 4000 }), (cron, at, horizonMinutes) => {
        const { timeZone, instant } = at;
        const next = nextOccurrence(cron, instant, { timeZone, horizonMinutes });
        expect(next).toBe(nextByStepping(cron, instant, timeZone, horizonMinutes));
      }),
    );
  });

  it("(b) (c) (d) next is after `after`, matches, and nothing between does", () => {
    fc.assert(
      fc.property(
        anyCron,
        place,
        dst,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (cron, at, rule, part) => {
          const options = { timeZone: at.timeZone, dst: rule };
          const next = nextOccurrence(cron, at.instant, options);
          if (next === undefined) return;
          expect(next).toBeGreaterThan(at.instant);
          expect(matchesCron(cron, next, options)).toBe(true);
          const first = Math.floor(at.instant / MINUTE) + 1;
          const between = first + Math.floor((next / MINUTE - first) * part);
          if (between * MINUTE < next) {
            expect(matchesCron(cron, between * MINUTE, options)).toBe(false);
          }
        },
      ),
    );
  });

  it("(e) from anywhere before it, next stays the same", () => {
    fc.assert(
      fc.property(
        anyCron,
        place,
        dst,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (cron, at, rule, part) => {
          const options = { timeZone: at.timeZone, dst: rule };
          const next = nextOccurrence(cron, at.instant, options);
          if (next === undefined) return;
          const later = at.instant + Math.floor((next - 1 - at.instant) * part);
          expect(nextOccurrence(cron, later, options)).toBe(next);
        },
      ),
    );
  });

  it("(f) between of a whole is between of its halves, up to the limit (C6)", () => {
    const spans = fc.tuple(fc.nat(5000), fc.nat(5000));
    fc.assert(
      fc.property(
        anyCron,
        place,
        dst,
        spans,
        fc.integer({ min: 1, max: 200 }),
        (cron, at, rule, [x, y], limit) => {
          const options = { timeZone: at.timeZone, dst: rule, limit };
          const [a, b, c] = [at.instant, at.instant + x * MINUTE, at.instant + (x + y) * MINUTE];
          const halves = [
            ...occurrencesBetween(cron, { after: a, through: b }, options),
            ...occurrencesBetween(cron, { after: b, through: c }, options),
          ];
          const whole = occurrencesBetween(cron, { after: a, through: c }, options);
          expect(whole).toEqual(halves.slice(0, limit));
        },
      ),
    );
  });

  it("(g) formatting keeps the fields, and formatting twice changes nothing", () => {
    fc.assert(
      fc.property(cronCase(), ({ text }) => {
        const cron = parseCron(text);
        const again = parseCron(formatCron(cron));
        expect({ ...again, source: "" }).toEqual({ ...cron, source: "" });
        expect(formatCron(again)).toBe(formatCron(cron));
        const withStar = (field: string) => field.includes("*");
        expect(again.source.split(" ").map(withStar)).toEqual(text.split(" ").map(withStar));
      }),
    );
  });

  it("(h) every minute, occurrences are 60 s apart across changes of offset", () => {
    const everyMinute = parseCron("* * * * *");
    const years = fc.integer({ min: 1970, max: 2060 });
    fc.assert(
      fc.property(timeZoneName(), years, (timeZone, year) => {
        for (const at of transitionsOf(timeZone, year)) {
          const after = at - 5 * MINUTE;
          const found = occurrencesBetween(
            everyMinute,
            { after, through: at + 5 * MINUTE },
            { timeZone },
          );
          expect(found).toEqual(Array.from({ length: 10 }, (_, i) => after + (i + 1) * MINUTE));
        }
      }),
    );
  });

  it("(i) a foreign character anywhere inside makes it an error (C2)", () => {
    const foreign = fc.oneof(
      fc.constantFrom("\n", "\r", "\u00a0", "٣", "５", "–", "?", "#", "@", "L", "x", "+", ".", "%"),
      fc.string({ minLength: 1, maxLength: 1, unit: "grapheme" }),
    );
    fc.assert(
      fc.property(cronCase(), foreign, fc.nat(), ({ text }, character, seed) => {
        fc.pre(!/^[\d*,/\- \t]$/.test(character));
        const at = 1 + (seed % (text.length - 1));
        const broken = text.slice(0, at) + character + text.slice(at);
        expect(() => parseCron(broken)).toThrow(SyntaxError);
      }),
    );
  });

  it("(j) previous of just after next is next (C10)", () => {
    fc.assert(
      fc.property(anyCron, place, dst, (cron, at, rule) => {
        const options = { timeZone: at.timeZone, dst: rule };
        const next = nextOccurrence(cron, at.instant, options);
        if (next === undefined) return;
        expect(previousOccurrence(cron, next + 1, options)).toBe(next);
        expect(previousOccurrence(cron, next, options) ?? -Infinity).toBeLessThanOrEqual(
          at.instant,
        );
      }),
    );
  });

  it("matches agrees with the five fields on the wall clock (C3, C4)", () => {
    fc.assert(
      fc.property(anyCron, place, (cron, { timeZone, instant }) => {
        const minute = Math.floor(instant / MINUTE);
        expect(matchesCron(cron, instant, { timeZone })).toBe(
          matchesByDefinition(cron, minute, timeZone),
        );
      }),
    );
  });

  it("parsing gives the values that the text means (C2)", () => {
    fc.assert(
      fc.property(cronCase(), ({ text, ...fields }) => {
        expect({ ...parseCron(text) }).toEqual({ source: text, ...fields });
      }),
    );
  });
});

describe("C9 Once", () => {
  const fixed = cronExpression({ fixedTime: true });
  const often = fixed.map((cron) =>
    parseCron(`${cron.source.split(" ").slice(0, 2).join(" ")} * * *`),
  );

  it("the occurrences are those of C9 read word for word", () => {
    fc.assert(
      fc.property(fc.oneof(often, fixed), place, (cron, { timeZone, instant }) => {
        const from = Math.floor(instant / MINUTE);
        const through = from + 1440;
        const wanted = onceByDefinition(cron, { from, through }, timeZone);
        const window = { after: (from - 1) * MINUTE, through: through * MINUTE };
        const found = occurrencesBetween(cron, window, { timeZone, dst: "Once", limit: Infinity });
        expect(found.map((at) => at / MINUTE)).toEqual(wanted);
        for (const minute of wanted) {
          expect(matchesCron(cron, minute * MINUTE, { timeZone, dst: "Once" })).toBe(true);
        }
        const back: number[] = [];
        let before: number | undefined = through * MINUTE + 1;
        for (;;) {
          before = previousOccurrence(cron, before, {
            timeZone,
            dst: "Once",
            horizonMinutes: 3000,
          });
          if (before === undefined || before < from * MINUTE) break;
          back.unshift(before / MINUTE);
        }
        expect(back).toEqual(wanted);
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 60) },
    );
  }, 60_000);

  it("with a star in minute or hour it is Literal", () => {
    const starred = cronCase().filter(({ text }) => /^\S*\*|^\S+ \S*\*/.test(text));
    fc.assert(
      fc.property(starred, place, ({ text }, { timeZone, instant }) => {
        const cron = parseCron(text);
        const once = nextOccurrence(cron, instant, { timeZone, dst: "Once" });
        expect(once).toBe(nextOccurrence(cron, instant, { timeZone }));
      }),
    );
  });
});

describe("C12", () => {
  it("is satisfiable exactly if a date of the next 40 years matches", () => {
    const awkward = fc
      .tuple(
        fc.constantFrom("28", "29", "30", "31", "30,31", "*"),
        fc.constantFrom("2", "4", "2,4", "6,9", "1", "*"),
        fc.constantFrom("*", "1", "0,6"),
      )
      .map((fields) => parseCron(`0 0 ${fields.join(" ")}`));
    fc.assert(
      fc.property(awkward, fc.integer({ min: 0, max: 4e12 }), (cron, after) => {
        const horizonMinutes = 41 * 366 * 1440;
        expect(isSatisfiable(cron)).toBe(
          nextOccurrence(cron, after, { horizonMinutes }) !== undefined,
        );
      }),
    );
  });
});
