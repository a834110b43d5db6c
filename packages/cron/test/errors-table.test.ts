import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { admitCron, admitTimeZone, safeParseCron } from "../src/index.ts";
import { readRows } from "./support/case-rows.ts";

describe("the table of codes", () => {
  it("has a row for each code, and each code has a fault here", () => {
    const table = readFileSync(
      new URL("../../../docs/reference/errors-cron.md", import.meta.url),
      "utf8",
    );
    const codes = new Set<string>(
      readRows<{ code: string }>("faults.jsonl").map(({ code }) => code),
    );
    const long = safeParseCron(" ".repeat(300));
    const never = admitCron("0 0 30 2 *");
    const both = admitCron("0 0 13 * 5");
    const zone = admitTimeZone("Nope");
    if (long.ok || never.ok || !both.ok || zone.ok) throw new Error("a refusal is missing");
    for (const list of [long.diagnostics, never.diagnostics, both.warnings, zone.diagnostics]) {
      for (const { code } of list) codes.add(code);
    }
    const rows = [...table.matchAll(/^\| `([a-z.-]+)` \|/gm)].map((match) => match[1] as string);
    expect([...rows].sort()).toEqual([...codes].sort());
  });
});
