import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isData, listFiles, listWorkspaces } from "../checks/source-tree.mjs";
import { root } from "./planted-tree.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const policies = read("docs/reference/concurrency-policies.md");
const promises = read("docs/reference/promises.md");
const twice = read("docs/how-to/work-done-twice.md");
const documents = listFiles(root).filter((path) => path.endsWith(".md") && !isData(path));

/** The text of one section, so that a statement is found where a reader looks for it. */
function section(markdown: string, title: string): string {
  const [, after] = markdown.split(`## ${title}\n`);
  expect(after, `a section ${title}`).toBeDefined();
  return after?.split("\n## ")[0] ?? "";
}

describe("what the documents say", () => {
  it("[A53-46] work must be idempotent, and receives a run id and its occurrence (J12)", () => {
    expect(twice).toContain("work must be idempotent");
    expect(twice).toMatch(/`MESH_RUN_ID` \| the same for every attempt of one run/);
    expect(twice).toMatch(/`MESH_SCHEDULED_AT` \| the occurrence in UTC/);
    expect(section(twice, "Which key")).toContain("MESH_SCHEDULED_AT");
  });

  it("[C31-51][C31-123] work may be done twice when its acknowledgement is lost (J12)", () => {
    const text = section(promises, "Creation once is not execution once");
    expect(text).toContain("may still be done twice");
    expect(text).toContain("before the report arrives");
  });

  it("[C31-53] effects are promised at least once, nowhere exactly once (J12)", () => {
    expect(promises).toMatch(/exactly once \| not promised \| attempts happen at least once/);
    const about = documents.filter((path) => !path.endsWith("seed-claims.md"));
    const lines = about.flatMap((path) => read(path).split("\n"));
    const bold = lines.filter((line) => /exactly.once/i.test(line) && /(work|effect)/i.test(line));
    for (const line of bold)
      expect(line).toMatch(/not promised|nowhere|never|not exactly|no promise/i);
  });

  it("[C31-110] Forbid may overlap within a backlog, and Queue is named instead (D5)", () => {
    const text = section(policies, "Forbid");
    expect(text).toContain("does not promise that runs never overlap");
    expect(text).toContain("`Queue`");
  });

  it("[C31-113] Replace does not wait: old and new may both write (D6)", () => {
    const text = section(policies, "Replace");
    expect(text).toContain("does not wait");
    expect(text).toContain("both may write");
  });

  it("[C31-142] limit 0 is at most 1 attempt, 1 at most 2, and a limit alone is no delay", () => {
    expect(promises).toContain("a limit of 0 means at most 1 attempt, of 1 at most 2");
    expect(promises).toContain("a limit alone computes no instant");
  });

  it("[C31-143] the two defaults for an absent code differ, with the reason (J3)", () => {
    const text = section(promises, "How an absent exit code is read");
    expect(text).toMatch(/stopped report claims an ordinary end.*reads as 0/);
    expect(text).toMatch(/failed report claims a fault.*must not read as success.*1/);
  });

  it("[C31-146] what stays a requirement of its own is listed with its rule", () => {
    expect(promises).toMatch(/effects outside.*not promised.*J12/);
    expect(promises).toMatch(
      /has stopped before the new one.*not promised by `Replace`.*`Supersede`/,
    );
    expect(promises).toMatch(/survives a crash.*yes.*S1/);
  });
});

describe("links", () => {
  it("between documents lead somewhere", () => {
    const broken = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map(([, target]) => target as string)
        .filter((target) => !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("the index of errors names every table of errors", () => {
    const index = read("docs/reference/errors.md");
    const tables = documents.filter((path) => /(^|\/)errors-[a-z-]+\.md$/.test(path));
    for (const path of tables) expect(index).toContain(path.split("/").at(-1));
  });
});

describe("decisions", () => {
  const record = read("docs/decisions/0005-dependencies.md");
  const names: string[] = listWorkspaces(root).flatMap(({ manifest }) =>
    Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  );

  it("every dependency at run time has a line that says why", () => {
    const others = [...new Set(names)].filter((name) => !name.startsWith("@mesh/")).sort();
    const rows = record.split("\n").filter((line) => line.startsWith("|"));
    const missing = others.filter((name) => !rows.some((row) => row.includes(name)));
    expect(missing).toEqual([]);
  });

  it("each has a number of its own, a status and a title", () => {
    const records = documents.filter((path) => path.startsWith("docs/decisions/"));
    const numbers = records.map((path) => /\/(\d{4})-/.exec(path)?.[1]);
    expect(new Set(numbers).size).toBe(records.length);
    for (const path of records)
      expect(read(path), path).toMatch(/^# \d+\. .+\n\n(Status|- Status)/);
  });
});
