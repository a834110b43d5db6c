import { describe, expect, it } from "vitest";
import {
  parseClaims,
  parseTable,
  partOf,
  renderDocument,
  shownBy,
  unknownIds,
} from "../claims-table.mjs";
import { closingLine, countResults } from "../results.mjs";

const markdown = [
  "| id | claim | a test does and asserts | rules | where |",
  "| --- | --- | --- | --- | --- |",
  "| A53-01 | A plain container. | Parse it. | R1 | declaration |",
  "| C31-55 | Adoption is tested. | Kill it. | A7, A8 | agent, lab |",
].join("\n");
const claims = parseClaims(markdown);

describe("the table of claims", () => {
  it("is read row by row", () => {
    expect(claims.map(({ id, rules, where }) => ({ id, rules, where }))).toEqual([
      { id: "A53-01", rules: "R1", where: ["declaration"] },
      { id: "C31-55", rules: "A7, A8", where: ["agent", "lab"] },
    ]);
  });

  it("counts a claim for each part whose passed tests name it", () => {
    const shown = shownBy(claims, [
      { path: "apps/agent/test/adopt.test.ts", title: "adoption [A53-01][C31-55] finds it (A7)" },
    ]);
    expect(shown.get("C31-55")).toEqual({
      tests: ["apps/agent/test/adopt.test.ts"],
      missing: ["lab"],
    });
    expect(shown.get("A53-01")?.missing).toEqual(["declaration"]);
  });

  it("is written with a link to each test file, and is read back", () => {
    const shown = shownBy(claims, [
      { path: "packages/declaration/test/a.test.ts", title: "[A53-01]" },
    ]);
    const text = renderDocument("# Claims\n", claims, shown);
    expect(text).toContain("[packages/declaration/test/a.test.ts](../../packages/declaration/");
    expect(parseTable(text)).toEqual(["A53-01", "C31-55"]);
  });

  it("an id that no claim has is found", () => {
    expect(unknownIds(claims, 'it("[C31-55][C31-999] …")')).toEqual(["C31-999"]);
  });

  it("a test outside the workspaces speaks for the documents", () => {
    expect(partOf("scripts/test/documents.test.ts")).toBe("docs");
    expect(partOf("packages/cron/test/a.test.ts")).toBe("cron");
  });
});

describe("counts", () => {
  it("tell passed, failed, skipped and waiting tests apart", () => {
    const tests = ["passed", "passed", "failed", "skipped", "todo"].map((status) => ({ status }));
    const counts = countResults(tests);
    expect(counts).toEqual({ passed: 2, failed: 1, skipped: 1, todo: 1 });
    expect(closingLine(counts)).toBe("2 passed, 1 failed, 1 skipped");
    expect(closingLine({ ...counts, skipped: 0 })).toBe("2 passed, 1 failed");
  });
});
