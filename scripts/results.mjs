// What the workspaces' last test runs say: `.results/test.json` and `.results/system.json`.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { listWorkspaces } from "./checks/source-tree.mjs";

/** The folders that have tests: every workspace, and the scripts themselves. */
export function testedFolders(root) {
  return ["scripts", ...listWorkspaces(root).map(({ folder }) => folder)];
}

const fileOf = (root, folder, suite) => join(root, folder, ".results", `${suite}.json`);

/** Old results must not stand for a run that ended before it could write its own. */
export function forgetResults(root, folder, suite) {
  rmSync(fileOf(root, folder, suite), { force: true });
}

/**
 * The tests of one folder's last run as `{ path, title, status }`, or `undefined` without one.
 * Status is `passed`, `failed`, `skipped` or `todo`; a file that did not load is a failed test.
 */
export function readResults(root, folder, suite) {
  const file = fileOf(root, folder, suite);
  if (!existsSync(file)) return undefined;
  const { testResults } = JSON.parse(readFileSync(file, "utf8"));
  return testResults.flatMap((result) => {
    const path = relative(root, result.name);
    if (result.assertionResults.length === 0 && result.status === "failed") {
      return [{ path, title: result.message, status: "failed" }];
    }
    return result.assertionResults.map(({ fullName, status }) => ({
      path,
      title: fullName,
      status: ["passed", "failed", "todo"].includes(status) ? status : "skipped",
    }));
  });
}

const none = { passed: 0, failed: 0, skipped: 0, todo: 0 };

export function countResults(tests) {
  const counts = { ...none };
  for (const { status } of tests) counts[status] += 1;
  return counts;
}

export function addCounts(counts) {
  return counts.reduce(
    (sum, count) =>
      Object.fromEntries(Object.keys(none).map((key) => [key, sum[key] + (count[key] ?? 0)])),
    none,
  );
}

/** `12 passed, 0 failed`, and what else there is. */
export function formatCounts({ passed, failed, skipped, todo }) {
  const rest = [
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(todo > 0 ? [`${todo} todo`] : []),
  ];
  return [`${passed} passed`, `${failed} failed`, ...rest].join(", ");
}

/** The closing line of a run; cases that wait for a later issue are told apart above it. */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
