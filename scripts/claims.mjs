// `npm run claims`: which of the claims that the project answers for have a test that ran and
// passed. Writes the table of docs/reference/seed-claims.md; `--check` only looks for ids that
// do not exist, in that table and in the titles of the tests.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isCode, isTest, listFiles, readText } from "./checks/source-tree.mjs";
import { parseClaims, parseTable, renderDocument, shownBy, unknownIds } from "./claims-table.mjs";
import { readResults, testedFolders } from "./results.mjs";
import { root } from "./steps.mjs";

const documentPath = "docs/reference/seed-claims.md";
const introductionPath = "scripts/cases/claims-introduction.md";
const claims = parseClaims(readText(root, "scripts/cases/seed-claims.md"));

function passedTests() {
  return testedFolders(root).flatMap((folder) =>
    ["test", "system"].flatMap((suite) =>
      (readResults(root, folder, suite) ?? []).filter(({ status }) => status === "passed"),
    ),
  );
}

function check() {
  const file = join(root, documentPath);
  const listed = existsSync(file) ? parseTable(readFileSync(file, "utf8")) : [];
  const problems = unknownIds(claims, listed.join(" ")).map((id) => `${documentPath}  ${id}`);
  for (const path of listFiles(root).filter((path) => isCode(path) && isTest(path))) {
    if (path.startsWith("scripts/")) continue;
    for (const id of unknownIds(claims, readText(root, path))) problems.push(`${path}  ${id}`);
  }
  for (const problem of problems) console.log(`${problem} is no claim`);
  return problems.length === 0;
}

function report() {
  const shown = shownBy(claims, passedTests());
  writeFileSync(
    join(root, documentPath),
    renderDocument(readText(root, introductionPath), claims, shown),
  );
  const rows = claims.map((claim) => ({ ...claim, ...shown.get(claim.id) }));
  const complete = rows.filter(({ missing }) => missing.length === 0);
  const partly = rows.filter(({ missing, tests }) => missing.length > 0 && tests.length > 0);
  const open = rows.filter(({ tests }) => tests.length === 0);
  for (const { id, claim, missing } of partly) console.log(`partly  ${id}  ${claim}  [${missing}]`);
  for (const { id, claim, where } of open) console.log(`none    ${id}  ${claim}  [${where}]`);
  console.log(
    `\n${claims.length} claims: ${complete.length} shown, ${partly.length} shown in part, `,
  );
  console.log(`${open.length} without a test that ran and passed`);
}

if (process.argv.includes("--check")) process.exitCode = check() ? 0 : 1;
else report();
