import { describe, expect, it } from "vitest";
import { mesh } from "./mesh.ts";

describe("mesh cron next", () => {
  it("[C31-136] prints local times with offset and half of a repeated hour (C8)", async () => {
    const ran = await mesh([
      ...["cron", "next", "30 2 * * *", "--tz", "Europe/Belgrade"],
      ...["--after", "2026-10-24T12:00:00Z", "--count", "3"],
    ]);
    expect(ran).toEqual({
      exitCode: 0,
      err: "",
      out: [
        "UTC                   Europe/Belgrade",
        "2026-10-25T00:30:00Z  Sun 2026-10-25 02:30:00 +02:00 first time round",
        "2026-10-25T01:30:00Z  Sun 2026-10-25 02:30:00 +01:00 second time round",
        "2026-10-26T01:30:00Z  Mon 2026-10-26 02:30:00 +01:00",
      ].join("\n"),
    });
  });

  it("[C31-136] tells two instants of one wall clock apart by their offset (C8)", async () => {
    const ran = await mesh([
      ...["cron", "next", "30 2 25 10 *", "--tz", "Europe/Belgrade", "--count", "2"],
      ...["--after", "2026-10-24T12:00:00Z", "-o", "json"],
    ]);
    expect(JSON.parse(ran.out)).toEqual([
      {
        utc: "2026-10-25T00:30:00Z",
        timeZone: "Europe/Belgrade",
        local: "2026-10-25T02:30",
        offset: "+02:00",
        fold: "first",
      },
      {
        utc: "2026-10-25T01:30:00Z",
        timeZone: "Europe/Belgrade",
        local: "2026-10-25T02:30",
        offset: "+01:00",
        fold: "second",
      },
    ]);
  });

  it("fires once a night with --dst Once, whatever the clocks do (C9)", async () => {
    const asked = ["cron", "next", "30 2 * * *", "--tz", "Europe/Belgrade", "--dst", "Once"];
    const autumn = await mesh([...asked, "--after", "2026-10-24T12:00:00Z", "--count", "2"]);
    expect(autumn.out.split("\n").slice(1)).toEqual([
      "2026-10-25T00:30:00Z  Sun 2026-10-25 02:30:00 +02:00 first time round",
      "2026-10-26T01:30:00Z  Mon 2026-10-26 02:30:00 +01:00",
    ]);
    const spring = await mesh([...asked, "--after", "2026-03-28T12:00:00Z", "--count", "1"]);
    const [, night] = spring.out.split("\n");
    expect(night).toBe("2026-03-29T01:00:00Z  Sun 2026-03-29 03:00:00 +02:00");
  });

  it("starts from the clock, in UTC, and adds the reader's own zone", async () => {
    const { out } = await mesh(["cron", "next", "0 9 * * 1-5", "--count", "2"]);
    expect(out.split("\n")).toEqual([
      "UTC                   Europe/Belgrade",
      "2026-10-14T09:00:00Z  Wed 2026-10-14 11:00:00 +02:00",
      "2026-10-15T09:00:00Z  Thu 2026-10-15 11:00:00 +02:00",
    ]);
  });

  it("shows the schedule's zone and the reader's, each with its offset (C8)", async () => {
    const { out } = await mesh(
      ["cron", "next", "0 9 * * *", "--tz", "Asia/Kolkata", "--count", "1"],
      { localZone: "America/St_Johns" },
    );
    expect(out.split("\n")).toEqual([
      "UTC                   Asia/Kolkata                    America/St_Johns",
      "2026-10-14T03:30:00Z  Wed 2026-10-14 09:00:00 +05:30  Wed 2026-10-14 01:00:00 -02:30",
    ]);
  });

  it("finds an occurrence that lies years away (C5)", async () => {
    const { out } = await mesh(["cron", "next", "0 0 29 2 *", "--count", "1"]);
    expect(out).toContain("2028-02-29T00:00:00Z");
  });

  it("takes the five fields as five words too", async () => {
    const { out, exitCode } = await mesh(["cron", "next", "0", "9", "1", "1", "1", "--count", "1"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("T09:00:00Z");
  });
});

describe("mesh cron: bad input has exit code 2, the place and the cure", () => {
  it("[A53-56] 0 24 * * * is out of range (C2)", async () => {
    const ran = await mesh(["cron", "next", "0 24 * * *"]);
    expect(ran.exitCode).toBe(2);
    expect(ran.out).toBe("");
    expect(ran.err.split("\n")).toEqual([
      "error[cron.range]: hour value 24 is out of range",
      "  --> 1:3",
      "   |",
      " 1 | 0 24 * * *",
      "   |   ^^",
      "   = found: 24",
      "   = allowed: 0-23",
      "   = help: use a value from 0 to 23",
    ]);
  });

  it.each([
    ["@daily", "error[cron.macro]"],
    ["0 0 3 * * *", "error[cron.fields]"],
    ["0 9 * * MON", "error[cron.name]"],
    ["5/15 * * * *", "error[cron.step-on-value]"],
    ["0 0 30 2 *", "error[cron.never]"],
    ["CRON_TZ=UTC 0 9 * * *", "error[cron.timezone-prefix]"],
    ["", "error[cron.fields]"],
  ])("[A53-56] %j is refused with %s (C2, C12)", async (expression, code) => {
    const ran = await mesh(["cron", "next", expression]);
    expect(ran.exitCode).toBe(2);
    expect(ran.err.startsWith(code)).toBe(true);
    expect(ran.err).toContain("= help: ");
  });

  it("says that the shell has expanded a star", async () => {
    const ran = await mesh(["cron", "next", "0", "9", "README.md", "src", "test", "docs", "1-5"]);
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain("help: quote the expression, or the shell puts file names in place");
  });

  it.each([
    ["Europe/Belgrad", "did you mean Europe/Belgrade?"],
    ["PST", "use an IANA name such as Europe/Belgrade or UTC"],
    ["+05:30", "use an IANA name such as Europe/Belgrade or UTC"],
  ])("refuses the zone %s and says: %s (C7)", async (zone, help) => {
    const ran = await mesh(["cron", "next", "0 9 * * *", "--tz", zone]);
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain("error[timezone.unknown]");
    expect(ran.err).toContain(help);
  });

  it("refuses an instant without an offset: elsewhere it would be another", async () => {
    const ran = await mesh(["cron", "next", "0 9 * * *", "--after", "2026-10-25T02:30:00"]);
    expect(ran).toMatchObject({ exitCode: 2, out: "" });
    expect(ran.err.split("\n")).toEqual([
      'error: --after: "2026-10-25T02:30:00" is no instant',
      "help: write it with Z or an offset, for example 2026-10-25T02:30:00+02:00, or say now",
    ]);
  });

  it.each(["0", "1001", "three", "-1", "1.5"])("refuses --count %s", async (count) => {
    const ran = await mesh(["cron", "next", "0 9 * * *", `--count=${count}`]);
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain(`--count: "${count}" is no whole number from 1 to 1000`);
  });

  it("gives the refusal as data with -o json", async () => {
    const ran = await mesh(["cron", "next", "0 24 * * *", "-o", "json"]);
    expect(ran.exitCode).toBe(2);
    expect(JSON.parse(ran.err).error).toMatchObject({
      code: "cron.range",
      diagnostics: [{ code: "cron.range", range: { start: { line: 1, column: 3 } } }],
    });
  });
});

describe("mesh cron describe", () => {
  it("says in a sentence when it fires, and lists the fields (C13)", async () => {
    const { out, exitCode } = await mesh(["cron", "describe", "*/15 9-17 * * 1-5"]);
    expect(exitCode).toBe(0);
    const [sentence, ...fields] = out.split("\n");
    expect(sentence).toMatch(/minute|quarter|15/);
    expect(fields).toEqual([
      "  minute        0, 15, 30, 45",
      "  hour          9-17",
      "  day of month  every",
      "  month         every",
      "  day of week   1-5",
    ]);
  });

  it("warns that both day fields must match, where both are restricted (C3)", async () => {
    const { err, exitCode } = await mesh(["cron", "describe", "0 0 13 * 5"]);
    expect(exitCode).toBe(0);
    expect(err).toContain("warning[cron.both-day-fields]");
  });
});
