import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeCron, parseCron } from "../src/index.ts";
import { cronCase } from "../src/testing.ts";

const SENTENCES = [
  ["* * * * *", "Every minute."],
  ["*/5 * * * *", "Every 5 minutes."],
  [
    "0-59 */2 * * *",
    "Every minute from 00:00 through 00:59, 02:00 through 02:59, 04:00 through 04:59, 06:00 through 06:59, 08:00 through 08:59, 10:00 through 10:59, 12:00 through 12:59, 14:00 through 14:59, 16:00 through 16:59, 18:00 through 18:59, 20:00 through 20:59 and 22:00 through 22:59.",
  ],
  ["*/7 * * * *", "At minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour."],
  ["5 * * * *", "At minute 5 of every hour."],
  ["0 * * * *", "At minute 0 of every hour."],
  ["0 9 * * *", "At 09:00."],
  ["0 9 * * 1-5", "At 09:00 on Monday through Friday."],
  ["0 9,12,15 * * *", "At 09:00, 12:00 and 15:00."],
  ["0,10 1,2,3 * * *", "At 01:00, 01:10, 02:00, 02:10, 03:00 and 03:10."],
  ["0,10 1,2,3,4 * * *", "At minutes 0 and 10 of hours 1 through 4."],
  ["0 1,2,3,4,5,6,7 * * *", "At minute 0 of hours 1 through 7."],
  ["0,30 9-17 * * *", "Every 30 minutes from 09:00 through 17:30."],
  ["*/15 9-17 * * 1-5", "Every 15 minutes from 09:00 through 17:45 on Monday through Friday."],
  ["* 9 * * *", "Every minute from 09:00 through 09:59."],
  ["0 0 1 * *", "At 00:00 on day 1 of every month."],
  ["0 0 1,15 * *", "At 00:00 on days 1 and 15 of every month."],
  ["0 0 1 1,7 *", "At 00:00 on day 1 of January and July."],
  ["0 0 13 * 5", "At 00:00 when the day of the month is 13 and the weekday is Friday."],
  [
    "0 0 1-7,20 2 5,6",
    "At 00:00 when the day of the month is 1 through 7 or 20 and the weekday is Friday or Saturday in February.",
  ],
  ["0 0 30 2 *", "Never: no such date exists (at 00:00 on day 30 of February)."],
  ["0 0 * 1 *", "At 00:00 every day in January."],
  ["0 0 * 1 3", "At 00:00 on Wednesday in January."],
  ["0 0 * 3-12 *", "At 00:00 every day in March through December."],
] as const;

describe("C13 describeCron", () => {
  it.each(SENTENCES)("%s: %s", (text, sentence) => {
    expect(describeCron(parseCron(text))).toBe(sentence);
  });

  it("says every month and weekday by its name", () => {
    const months = Array.from({ length: 12 }, (_, index) => `0 0 1 ${index + 1} *`);
    const names = months.map((text) => describeCron(parseCron(text)).slice(21, -1));
    expect(names.join(" ")).toBe(
      "January February March April May June July August September October November December",
    );
    const weekdays = Array.from({ length: 7 }, (_, index) => `0 0 * * ${index}`);
    const days = weekdays.map((text) => describeCron(parseCron(text)).slice(12, -1));
    expect(days.join(" ")).toBe("Sunday Monday Tuesday Wednesday Thursday Friday Saturday");
  });

  it("different fields have different sentences, the same fields the same one", () => {
    const sentences = new Map<string, string>();
    fc.assert(
      fc.property(cronCase(), ({ text, ...fields }) => {
        const sentence = describeCron(parseCron(text));
        const meaning = JSON.stringify(fields);
        expect(sentences.get(sentence) ?? meaning).toBe(meaning);
        sentences.set(sentence, meaning);
        const both = fields.dayOfMonth.length < 31 && fields.dayOfWeek.length < 7;
        expect(sentence.includes(" and the weekday is ")).toBe(both);
      }),
    );
  });
});
