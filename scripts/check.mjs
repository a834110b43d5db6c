// Runs the checks that read the source: `node scripts/check.mjs purity tidy manifests [folder]`.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkManifests } from "./checks/manifests.mjs";
import { checkPurity } from "./checks/purity.mjs";
import { checkTidy } from "./checks/tidy.mjs";

const checks = { purity: checkPurity, tidy: checkTidy, manifests: checkManifests };
const root = join(fileURLToPath(import.meta.url), "../..");
const names = process.argv.slice(2);

const problems = (names.length === 0 ? Object.keys(checks) : names).flatMap((name) =>
  checks[name](root).map((problem) => ({ ...problem, name })),
);
for (const { path, line, message, name } of problems) {
  console.log(`${path}:${line}  ${message}  (${name})`);
}
process.exitCode = problems.length === 0 ? 0 : 1;
