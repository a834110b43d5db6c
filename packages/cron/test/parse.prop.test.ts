import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCron, safeParseCron } from "../src/index.ts";
import { cronText } from "../src/testing.ts";

const BOUNDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** C1 and C2 read word for word. */
function isInGrammar(text: string): boolean {
  if (text.length > 256) return false;
  const fields = text.replace(/^[ \t\r\n]*|[ \t\r\n]*$/g, "").split(/[ \t]+/);
  return (
    fields.length === 5 &&
    fields.every((field, index) => {
      const [min, max] = BOUNDS[index] as readonly [number, number];
      return field.split(",").every((item) => {
        const match = /^(?:\*|(\d{1,4})(?:-(\d{1,4}))?)(?:\/(\d{1,4}))?$/.exec(item);
        if (match === null) return false;
        const [, first, last = first, step] = match;
        if (
          step !== undefined &&
          (Number(step) < 1 || (first !== undefined && match[2] === undefined))
        ) {
          return false;
        }
        return (
          first === undefined ||
          (+first >= min && +first <= +(last as string) && +(last as string) <= max)
        );
      });
    })
  );
}

const ALPHABET = "0123456789*,-/ \t\n\r?LW#@+.xMONJAN\u00a0５".split("");

/** A well-formed text with a few characters taken out, put in or changed. */
const nearMiss = fc
  .tuple(
    cronText(),
    fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...ALPHABET)), { maxLength: 4 }),
  )
  .map(([text, edits]) =>
    edits.reduce((current, [seed, kind, character]) => {
      const at = seed % (current.length + 1);
      const rest = kind === 0 ? at : at + 1;
      return current.slice(0, at) + (kind === 2 ? "" : character) + current.slice(rest);
    }, text),
  );

const anyText = fc.oneof(
  { weight: 4, arbitrary: nearMiss },
  fc.string({ maxLength: 300, unit: "binary" }),
  fc.array(fc.constantFrom(...ALPHABET), { maxLength: 60 }).map((parts) => parts.join("")),
);

describe("C2 over any text", () => {
  it("a text is accepted exactly if the grammar has it", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect([text, safeParseCron(text).ok]).toEqual([text, isInGrammar(text)]);
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 2000) },
    );
  });

  it("a refusal has one diagnostic, whose span lies within the text, and help", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = safeParseCron(text);
        if (result.ok) return;
        expect(result.diagnostics).toHaveLength(1);
        const diagnostic = result.diagnostics[0];
        const { start, end } = diagnostic?.range ?? { start: undefined, end: undefined };
        expect(start?.offset).toBeGreaterThanOrEqual(0);
        expect(end?.offset).toBeGreaterThanOrEqual(start?.offset as number);
        expect(end?.offset).toBeLessThanOrEqual(text.length);
        expect(diagnostic?.code).toMatch(/^cron\.[a-z-]+$/);
        expect(diagnostic?.help).toMatch(/^\w/);
        expect(() => parseCron(text)).toThrow(diagnostic?.message);
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 1000) },
    );
  });
});
