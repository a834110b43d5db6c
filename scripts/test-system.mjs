// `npm run test:system`: everything that needs a real service. The services are started here, in
// temporary folders, and ended with the run. One that cannot be had is skipped with a loud
// message; under CI that is a failure. Arguments name the workspaces to run (default: all).
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { listWorkspaces } from "./checks/source-tree.mjs";
import {
  addCounts,
  closingLine,
  countResults,
  forgetResults,
  formatCounts,
  readResults,
} from "./results.mjs";
import { withServices } from "./services.mjs";
import { root, step, tool } from "./steps.mjs";

const inCi = process.env.CI === "true";
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));

function suites() {
  return listWorkspaces(root)
    .map(({ folder }) => folder)
    .filter((folder) => existsSync(join(root, folder, "vitest.system.config.ts")))
    .filter((folder) => hasTests(join(root, folder, "system")))
    .filter((folder) => chosen.length === 0 || chosen.some((name) => folder.endsWith(`/${name}`)));
}

function hasTests(folder) {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true }).some((path) => path.endsWith(".test.ts"));
}

function tellMissing(missing) {
  for (const { service, reason } of missing) {
    console.log(`\n${"!".repeat(78)}`);
    console.log(`!! NO ${service.toUpperCase()}: what needs it is ${inCi ? "FAILED" : "SKIPPED"}`);
    console.log(reason.replace(/^/gm, "!! "));
    console.log(`${"!".repeat(78)}\n`);
  }
}

async function runSuites({ environment, missing }, interrupted) {
  tellMissing(missing);
  let isInterrupted = false;
  interrupted.then(() => {
    isInterrupted = true;
  });
  const outcomes = [];
  for (const folder of suites()) {
    if (isInterrupted) break;
    forgetResults(root, folder, "system");
    const args = ["run", "--config", "vitest.system.config.ts"];
    const read = () => countResults(readResults(root, folder, "system") ?? []);
    const note = () => formatCounts(read());
    const options = { cwd: join(root, folder), environment, note };
    const { passed } = await step(folder, tool("vitest"), args, options);
    // A run that ended before it could write its results is a failure that no test shows.
    const counts = read();
    outcomes.push(passed ? counts : { ...counts, failed: Math.max(1, counts.failed) });
  }
  if (inCi) outcomes.push({ failed: missing.length });
  return addCounts(outcomes);
}

console.log("System tests: starting Docker Engine, registry and PostgreSQL");
const counts = await withServices(runSuites);
console.log(`\n${closingLine(counts)}`);
process.exitCode = counts.failed === 0 ? 0 : 1;
