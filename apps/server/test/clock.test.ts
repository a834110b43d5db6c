import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../src/clock.ts";
import { startLoop } from "../src/controllers/loop.ts";
import { DAY, HOUR, MINUTE, NOON, SECOND } from "./harness.ts";
import { createVirtualClock } from "./virtual-clock.ts";

describe("the machine's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOON });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function wakeAt(instant: number): { count: () => number; cancel: () => void } {
    let count = 0;
    const cancel = systemClock.at(instant, () => {
      count += 1;
    });
    return { count: () => count, cancel };
  }

  it("wakes once, not before its instant", () => {
    const timer = wakeAt(NOON + MINUTE);
    vi.advanceTimersByTime(MINUTE - 1);
    expect(timer.count()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(timer.count()).toBe(1);
    vi.advanceTimersByTime(DAY);
    expect(timer.count()).toBe(1);
  });

  it("waits longer than the 24.8 days that a timer of the platform holds", () => {
    const timer = wakeAt(NOON + 40 * DAY);
    vi.advanceTimersByTime(40 * DAY - 1);
    expect(timer.count()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(timer.count()).toBe(1);
  });

  it("after a step of the wall clock it is late by ten seconds at most", () => {
    const timer = wakeAt(NOON + HOUR);
    vi.setSystemTime(NOON + 2 * HOUR);
    vi.advanceTimersByTime(10 * SECOND);
    expect(timer.count()).toBe(1);
  });

  it("a clock that is set back makes it wait for its instant, not for the time that passed", () => {
    const timer = wakeAt(NOON + MINUTE);
    vi.setSystemTime(NOON - HOUR);
    vi.advanceTimersByTime(HOUR);
    expect(timer.count()).toBe(0);
    vi.advanceTimersByTime(MINUTE);
    expect(timer.count()).toBe(1);
  });

  it("an instant that has passed wakes at once, and a cancelled one never", () => {
    const past = wakeAt(NOON - DAY);
    const cancelled = wakeAt(NOON + 1);
    cancelled.cancel();
    vi.advanceTimersByTime(1);
    expect([past.count(), cancelled.count()]).toEqual([1, 0]);
  });
});

describe("a controller's loop", () => {
  const log = pino({ level: "silent" });

  it("runs at once, at the instant it named, and when poked; never twice at a time", async () => {
    const clock = createVirtualClock(NOON);
    const seen: number[] = [];
    let running = 0;
    const loop = startLoop({
      name: "x",
      clock,
      log,
      pass: async (now) => {
        running += 1;
        expect(running).toBe(1);
        await Promise.resolve();
        seen.push(now - NOON);
        running -= 1;
        return now + MINUTE;
      },
    });
    const settle = async () => void (await loop.idle());
    await clock.advance(MINUTE, settle);
    loop.poke();
    loop.poke();
    await settle();
    expect(seen).toEqual([0, MINUTE, MINUTE]);
    // The poke's own answer stands: the instant named before it does not wake again.
    await clock.advance(MINUTE, settle);
    expect(seen).toEqual([0, MINUTE, MINUTE, 2 * MINUTE]);
    await loop.stop();
    await clock.advance(HOUR, settle);
    expect(seen).toHaveLength(4);
  });

  it("a pass that fails is tried again, later each time, at most a minute later", async () => {
    const clock = createVirtualClock(NOON);
    const seen: number[] = [];
    const loop = startLoop({
      name: "x",
      clock,
      log,
      pass: async (now) => {
        seen.push((now - NOON) / SECOND);
        if (seen.length < 9) throw new Error("no");
        return undefined;
      },
    });
    await clock.advance(HOUR, async () => void (await loop.idle()));
    expect(seen).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    await loop.stop();
  });

  it("poked while it runs, it runs once more", async () => {
    const clock = createVirtualClock(NOON);
    let passes = 0;
    const loop = startLoop({
      name: "x",
      clock,
      log,
      pass: async () => {
        passes += 1;
        if (passes === 1) {
          loop.poke();
          loop.poke();
        }
        return undefined;
      },
    });
    await loop.idle();
    expect(passes).toBe(2);
    await loop.stop();
  });
});
