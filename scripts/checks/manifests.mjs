// What package.json files and the lock file say: exact versions, declared imports, no host names.
import { existsSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import ts from "typescript";
import {
  isCode,
  isData,
  isTest,
  isWorkspaceSource,
  listFiles,
  listWorkspaces,
  parseSource,
  problemAt,
  readManifest,
  readText,
  walk,
  workspaceOf,
} from "./source-tree.mjs";

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const builtins = new Set(builtinModules);

export function checkManifests(root) {
  return [...versionProblems(root), ...importProblems(root), ...lockProblems(root)];
}

/** Dependencies are pinned, and those among ourselves name the version that is here. */
function versionProblems(root) {
  const own = new Map(
    listWorkspaces(root).map(({ manifest }) => [manifest.name, manifest.version]),
  );
  const all = [{ folder: "", manifest: readManifest(root, "") ?? {} }, ...listWorkspaces(root)];
  return all.flatMap(({ folder, manifest }) => {
    const path = folder === "" ? "package.json" : `${folder}/package.json`;
    const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    return wanted.flatMap(([name, version]) => {
      if (own.has(name) && own.get(name) !== version) {
        return [{ path, line: 1, message: `${name} is ${version}; here it is ${own.get(name)}` }];
      }
      return exact.test(version)
        ? []
        : [{ path, line: 1, message: `${name} ${version} is no exact version` }];
    });
  });
}

/** Source imports what its package.json names; tests may also use the root's tools. */
function importProblems(root) {
  const rootTools = Object.keys(readManifest(root, "")?.devDependencies ?? {});
  const manifests = new Map(listWorkspaces(root).map(({ folder, manifest }) => [folder, manifest]));
  return listFiles(root)
    .filter((path) => isCode(path) && !isData(path) && manifests.has(workspaceOf(path)))
    .flatMap((path) => {
      const manifest = manifests.get(workspaceOf(path));
      const declared = new Set([
        manifest.name,
        ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
        ...(isWorkspaceSource(path) ? [] : Object.keys(manifest.devDependencies ?? {})),
        ...(isTest(path) || !isWorkspaceSource(path) ? rootTools : []),
      ]);
      return undeclaredImports(path, readText(root, path), declared);
    });
}

function undeclaredImports(path, text, declared) {
  const source = parseSource(path, text);
  const problems = [];
  walk(source, (node) => {
    const specifier = importedName(node);
    if (specifier === undefined || /^[./]/.test(specifier)) return;
    if (specifier.startsWith("node:") || builtins.has(specifier)) return;
    const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
    if (declared.has(name)) return;
    problems.push(problemAt(source, node, `imports ${name}, which its package.json does not name`));
  });
  return problems;
}

function importedName(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    const specifier = node.moduleSpecifier;
    return specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : undefined;
  }
  const isDynamic =
    ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const argument = isDynamic ? node.arguments[0] : undefined;
  return argument !== undefined && ts.isStringLiteral(argument) ? argument.text : undefined;
}

/** The lock file works with whatever registry a machine is set up for. */
function lockProblems(root) {
  const path = "package-lock.json";
  if (!existsSync(join(root, path))) return [];
  const lines = readText(root, path).split("\n");
  return lines.flatMap((line, index) =>
    /"resolved": "https?:/.test(line)
      ? [{ path, line: index + 1, message: "the lock file names a registry host" }]
      : [],
  );
}
