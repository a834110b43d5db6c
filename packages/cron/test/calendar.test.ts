import { describe, expect, it } from "vitest";
import { monthLength, monthOf } from "../src/calendar.ts";
import { matchesCron, nextOccurrence, parseCron, previousOccurrence } from "../src/index.ts";

const DAY = 86_400_000;

describe("the calendar", () => {
  it("knows every day from 1599 to 2401 as Date does, forwards and backwards", () => {
    const first = Date.UTC(1599, 0) / DAY;
    const last = Date.UTC(2402, 0) / DAY;
    const check = (day: number) => {
      const date = new Date(day * DAY);
      const { year, month, first: start, length } = monthOf(day);
      expect([year, month, day - start + 1]).toEqual([
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
      ]);
      expect(length).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
    };
    for (let day = first; day < last; day += 9) check(day);
    for (let day = last; day >= first; day -= 31) check(day);
    for (const year of [1600, 1700, 1900, 2000, 2100, 2400]) {
      for (let day = -40; day < 80; day++) check(Date.UTC(year, 0) / DAY + day);
    }
  });

  it("knows the length of every month, in common and leap years", () => {
    const lengths = (year: number) =>
      Array.from({ length: 12 }, (_, i) => monthLength(year, i + 1));
    expect(lengths(2026)).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
    expect([2000, 1900, 2024, 2100, 2400, -4, 0].map((year) => monthLength(year, 2))).toEqual([
      29, 28, 29, 28, 29, 29, 29,
    ]);
  });
});

describe("the minutes of a day", () => {
  it("each single time of the day is found by all searches, and no other", () => {
    const start = Date.UTC(2026, 9, 13);
    for (let time = 0; time < 1440; time += 7) {
      const hour = Math.floor(time / 60);
      const cron = parseCron(`${time % 60} ${hour} * * *`);
      const at = start + time * 60_000;
      expect(nextOccurrence(cron, start - 1)).toBe(at);
      expect(nextOccurrence(cron, at)).toBe(at + DAY);
      expect(previousOccurrence(cron, start + DAY)).toBe(at);
      expect(previousOccurrence(cron, at)).toBe(at - DAY);
      expect(matchesCron(cron, at)).toBe(true);
      for (const other of [32, -32, 60, 1]) {
        expect(matchesCron(cron, at + other * 60_000)).toBe(false);
      }
    }
  });

  it("pairs of minutes on either side of 32 are found in order", () => {
    const start = Date.UTC(2026, 9, 13, 5);
    for (const [a, b] of [
      [0, 32],
      [31, 32],
      [31, 33],
      [30, 59],
      [0, 59],
      [32, 33],
    ] as const) {
      const cron = parseCron(`${a},${b} 5 13 10 *`);
      const [first, second] = [start + a * 60_000, start + b * 60_000];
      expect(nextOccurrence(cron, start - 1)).toBe(first);
      expect(nextOccurrence(cron, first)).toBe(second);
      expect(nextOccurrence(cron, second - 60_000)).toBe(second);
      expect(previousOccurrence(cron, second + 1)).toBe(second);
      expect(previousOccurrence(cron, second)).toBe(first);
      expect(previousOccurrence(cron, first + 60_000)).toBe(first);
      expect(previousOccurrence(cron, first, { horizonMinutes: 1440 })).toBeUndefined();
    }
  });
});
