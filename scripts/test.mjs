// `npm test`: every check that needs no service. Exit code 0 only when all of them passed.
import {
  addCounts,
  closingLine,
  countResults,
  forgetResults,
  formatCounts,
  readResults,
  testedFolders,
} from "./results.mjs";
import { root, step, tool } from "./steps.mjs";

const turbo = (task) => [
  ...["run", task, "--continue=always", "--output-logs=errors-only", "--ui=stream"],
  ...["--concurrency=2", "--no-update-notifier"],
];

const checks = [
  ["types", tool("turbo"), turbo("//#types")],
  ["types of the scripts", tool("tsc"), ["-p", "scripts"]],
  ["lint and format", tool("biome"), ["check", "--error-on-warnings", "."]],
  [
    "arrows between rooms",
    tool("depcruise"),
    ["--config", ".dependency-cruiser.cjs", "packages", "apps", "docs/examples"],
  ],
  ["purity of packages", process.execPath, ["scripts/check.mjs", "purity"]],
  ["names, sizes, forms", process.execPath, ["scripts/check.mjs", "tidy"]],
  ["versions and declared imports", process.execPath, ["scripts/check.mjs", "manifests"]],
  ["claims", process.execPath, ["scripts/claims.mjs", "--check"]],
];

console.log("Checks");
const outcomes = [];
for (const [name, command, args] of checks) outcomes.push(await step(name, command, args));

console.log("\nTests");
const folders = testedFolders(root);
for (const folder of folders) forgetResults(root, folder, "test");
outcomes.push(await step("of the house", tool("vitest"), ["run", "--root", "scripts"]));
outcomes.push(await step("of the workspaces", tool("turbo"), turbo("test")));

const counts = folders.map((folder) => {
  const tests = readResults(root, folder, "test");
  const count = countResults(tests ?? []);
  if (tests !== undefined) console.log(`       ${folder.padEnd(34)}${formatCounts(count)}`);
  return count;
});
const checked = { passed: outcomes.filter(({ passed }) => passed).length };
const failedSteps = outcomes.length - checked.passed;
const tests = addCounts(counts);
if (tests.todo > 0) console.log(`\n${tests.todo} cases wait for rules that are not built yet`);

// A failed test also fails its step: the step counts only where no test speaks for it.
const failed = Math.max(tests.failed, failedSteps);
console.log(`\n${closingLine({ ...tests, passed: tests.passed + checked.passed, failed })}`);
process.exitCode = failedSteps === 0 && tests.failed === 0 ? 0 : 1;
