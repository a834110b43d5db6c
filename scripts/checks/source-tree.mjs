// The files of a checkout as the checks see them: paths relative to its root, parsed on demand.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import ts from "typescript";

const skippedFolders = new Set([
  ...["node_modules", "dist", ".git", ".turbo", ".results", ".mesh", ".changeset"],
  ...["coverage", "reports"],
]);

const isSkipped = (name) => skippedFolders.has(name) || name.startsWith(".stryker-tmp");

/** All files below `root`, except what is built, installed or kept by a tool. */
export function listFiles(root, folder = "") {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return isSkipped(entry.name) ? [] : listFiles(root, path);
    return entry.isFile() ? [path.split(sep).join("/")] : [];
  });
}

export const isCode = (path) => /\.(ts|mts|cts|mjs|cjs|js|tsx)$/.test(path);
export const isTest = (path) => /(^|\/)(test|system|bench)\//.test(path);
/** Test data is taken as it comes. */
export const isData = (path) => /(^|\/)(cases|fixtures)\//.test(path);

/** A file that a package publishes, or that such a file is made of. */
export const isPackageSource = (path) => /^packages\/[^/]+\/src\//.test(path);
export const isWorkspaceSource = (path) =>
  /^(packages|apps|docs\/examples)\/[^/]+\/src\//.test(path);

/** The folder of the workspace that a path lies in, as `packages/cron`; `undefined` at the root. */
export const workspaceOf = (path) => /^(packages|apps|docs\/examples)\/[^/]+(?=\/)/.exec(path)?.[0];

/** A file's text; one that has gone since it was listed holds nothing. */
export function readText(root, path) {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}

export function readManifest(root, folder) {
  const path = join(root, folder, "package.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

/** Every folder below packages/, apps/ and docs/examples/ with a package.json, and what it says. */
export function listWorkspaces(root) {
  return ["packages", "apps", "docs/examples"].flatMap((kind) =>
    (existsSync(join(root, kind)) ? readdirSync(join(root, kind)).sort() : [])
      .map((name) => ({
        folder: `${kind}/${name}`,
        manifest: readManifest(root, `${kind}/${name}`),
      }))
      .filter(({ manifest }) => manifest !== undefined),
  );
}

export function parseSource(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
}

/** Calls `visit` for every node, parents first. */
export function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** A finding of a check: where, and what the rule says. */
export function problemAt(source, node, message) {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
  return { path: source.fileName, line: line + 1, message };
}
