// Brings a clone into working order: installs what the lock file names, builds what changed.
// Runs before `npm start` and `npm test`; needs nothing but Node.js and npm, and takes about a
// second when there is nothing to do. Arguments name the workspaces to build (default: all).
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { capture, withoutNoise } from "./child-process.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The first line of help for a Node.js that is too old, or `undefined`. */
export function nodeProblem(version, range) {
  const wanted = range
    .replace(/[^\d.]/g, "")
    .split(".")
    .map(Number);
  const found = version.replace(/^v/, "").split(".").map(Number);
  for (const [index, number] of wanted.entries()) {
    if ((found[index] ?? 0) > number) return undefined;
    if ((found[index] ?? 0) < number) return `Mesh needs Node.js ${range}; this is ${version}.`;
  }
  return undefined;
}

/**
 * Why `installed` (npm's own record in node_modules) does not match `locked` (the lock file),
 * or `undefined` when it does. Optional packages for other platforms may be absent.
 */
export function installProblem(locked, installed) {
  if (installed === undefined) return "nothing is installed yet";
  for (const [path, wanted] of Object.entries(locked.packages)) {
    if (path === "") continue;
    const found = installed.packages[path];
    if (found === undefined) {
      if (wanted.optional || wanted.devOptional) continue;
      return `${path} is missing`;
    }
    for (const key of ["version", "integrity", "link"]) {
      if (found[key] !== wanted[key]) return `${path} differs in its ${key}`;
    }
  }
  const extra = Object.keys(installed.packages).find((path) => !(path in locked.packages));
  return extra === undefined ? undefined : `${extra} is no longer wanted`;
}

function readJson(...path) {
  const file = join(root, ...path);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

/** Runs a command quietly; its output is shown when it fails. */
async function run(what, command, args) {
  const onAlive = (seconds) => say(`  … still ${what}, ${seconds} s`);
  const { code, output } = await capture(command, args, { cwd: root, onAlive });
  if (code !== 0)
    throw new Error(`${withoutNoise(output).trimEnd()}\n\n${what} failed (exit ${code})`);
}

/** npm as it was called, so that an `npm start` does not find another npm on the path. */
function npmCommand() {
  const cli = process.env.npm_execpath;
  return cli?.endsWith(".js") ? [process.execPath, [cli]] : ["npm", []];
}

/** A native module is compiled for one Node.js ABI; another needs a new install. */
const abiFile = join(root, "node_modules", ".mesh-abi");

function abiProblem() {
  if (!existsSync(abiFile)) return undefined;
  const installedFor = readFileSync(abiFile, "utf8");
  if (installedFor === process.versions.modules) return undefined;
  return "it was installed for another Node.js version";
}

async function install() {
  const locked = readJson("package-lock.json");
  const installed = readJson("node_modules", ".package-lock.json");
  const problem = installProblem(locked, installed) ?? abiProblem();
  if (problem === undefined) return;
  say(`Installing dependencies: ${problem}.`);
  say("  The database driver is compiled on the way; that takes a minute or more.");
  const [npm, first] = npmCommand();
  await run("installing", npm, [...first, "ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(abiFile, process.versions.modules);
}

async function build(workspaces) {
  const turbo = join(root, "node_modules", ".bin", "turbo");
  const filters = workspaces.map((name) => `--filter=${name}`);
  const options = ["--output-logs=errors-only", "--ui=stream", "--no-update-notifier"];
  const slow = setTimeout(() => say("Building what has changed."), 1500);
  await run("building", turbo, ["run", "build", ...filters, ...options]);
  clearTimeout(slow);
}

async function main() {
  const problem = nodeProblem(process.version, readJson("package.json").engines.node);
  if (problem !== undefined) {
    throw new Error(
      `${problem}\nhelp: install a newer Node.js, for example the one in .node-version`,
    );
  }
  const startedAt = performance.now();
  await install();
  await build(process.argv.slice(2));
  const seconds = (performance.now() - startedAt) / 1000;
  if (seconds > 3) say(`Ready after ${seconds.toFixed(0)} s.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
