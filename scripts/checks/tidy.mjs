// The measurable rules of style: names and sizes of files, sizes of functions, forms to avoid.
import { basename, dirname } from "node:path";
import ts from "typescript";
import {
  isCode,
  isData,
  isTest,
  isWorkspaceSource,
  listFiles,
  parseSource,
  problemAt,
  readText,
  walk,
} from "./source-tree.mjs";

export const limits = {
  fileLines: 300,
  testLines: 400,
  functionLines: 70,
  columns: 100,
  docLines: 12,
  mainLines: 80,
};

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const knownNames = /^(README|CONTRIBUTING|CHANGELOG|LICENSE)(\.md)?$/;
const vagueNames = new Set(["utils", "util", "helpers", "helper", "common", "types", "misc"]);
const unfinished = new RegExp(
  `\\b(${["TO", "FIX", "X"].join("|")})(?:DO|ME|XX)\\b|\\bHA${"CK"}\\b`,
);
/** The one class that is no error: its private field carries what no copy or JSON may show. */
const classAllowedIn = "packages/cron/src/bits.ts";
const testers = new Set(["it", "test", "describe", "suite"]);

/** Everything in the workspaces and scripts that breaks a rule of names, sizes or forms. */
export function checkTidy(root) {
  const files = listFiles(root).filter((path) => /^(packages|apps|scripts|docs)\//.test(path));
  return files
    .filter((path) => !isData(path))
    .flatMap((path) => [
      ...nameProblems(path),
      ...(isCode(path) ? codeProblems(path, readText(root, path)) : []),
    ]);
}

function nameProblems(path) {
  const problems = [];
  const name = basename(path);
  const folders = dirname(path).split("/");
  if (!kebab.test(name.replace(/^\./, "")) && !knownNames.test(name)) {
    problems.push("the file's name is not in kebab-case");
  }
  const odd = folders.find((folder) => !kebab.test(folder.replace(/^\./, "")));
  if (odd !== undefined) problems.push(`the folder's name ${odd} is not in kebab-case`);
  const vague = [...folders, name.split(".")[0]].find((part) => vagueNames.has(part));
  if (vague !== undefined && isCode(path)) {
    problems.push(`${vague} says nothing: name the file after its idea`);
  }
  return problems.map((message) => ({ path, line: 1, message }));
}

export function codeProblems(path, text) {
  const source = parseSource(path, text);
  const lines = text.split("\n");
  const problems = [...sizeProblems(path, lines), ...lineProblems(path, lines)];
  walk(source, (node) => {
    for (const message of nodeProblems(path, source, node)) {
      problems.push(problemAt(source, node, message));
    }
  });
  return problems;
}

function sizeProblems(path, lines) {
  const isMain = /^apps\/[^/]+\/src\/main\.ts$/.test(path);
  const limit = isMain ? limits.mainLines : isTest(path) ? limits.testLines : limits.fileLines;
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  if (count <= limit) return [];
  return [{ path, line: limit + 1, message: `${count} lines; at most ${limit}` }];
}

function lineProblems(path, lines) {
  return lines.flatMap((line, index) => {
    const at = { path, line: index + 1 };
    const found = [];
    // A test pins a message as a whole; the formatter breaks everything but such a literal.
    if ([...line].length > limits.columns && !isTest(path)) {
      found.push({ ...at, message: `${[...line].length} columns; at most ${limits.columns}` });
    }
    const comment = /(\/\/|\/\*|^\s*\*)(.*)/.exec(line)?.[2] ?? "";
    if (unfinished.test(comment)) {
      found.push({ ...at, message: "unfinished work belongs in an issue, not in a comment" });
    }
    return found;
  });
}

function nodeProblems(path, source, node) {
  return [
    isWorkspaceSource(path) ? exportProblem(node) : undefined,
    isWorkspaceSource(path) ? formProblem(path, node) : undefined,
    functionProblem(source, node),
    docProblem(source, node),
    isTest(path) ? testProblem(path, node) : undefined,
  ].filter((message) => message !== undefined);
}

function exportProblem(node) {
  if (ts.isExportDeclaration(node) && node.exportClause === undefined) {
    return "export * hides what is public: name it";
  }
  if (ts.isExportAssignment(node)) return "a default export has no name to search for";
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const isDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
  return isDefault ? "a default export has no name to search for" : undefined;
}

function formProblem(path, node) {
  if (ts.isEnumDeclaration(node)) return "an enum: use a union of strings";
  if (ts.isModuleDeclaration(node) && ts.isIdentifier(node.name) && node.name.text !== "global") {
    return "a namespace: a file is one already";
  }
  if (!ts.isClassLike(node) || path === classAllowedIn) return undefined;
  const base = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const isError = /Error$/.test(base?.types[0]?.expression.getText() ?? "");
  return isError ? undefined : "a class that is no error: use plain data and functions";
}

function functionProblem(source, node) {
  if (!ts.isFunctionLike(node) || node.body === undefined || isSuite(node)) return undefined;
  const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
  const last = source.getLineAndCharacterOfPosition(node.end).line;
  const count = last - first + 1;
  if (count <= limits.functionLines) return undefined;
  return `a function of ${count} lines; at most ${limits.functionLines}`;
}

/** A function that holds tests, as the body of a `describe`; each test is measured by itself. */
function isSuite(node) {
  if (!ts.isBlock(node.body)) return false;
  return node.body.statements.some(
    (statement) =>
      ts.isExpressionStatement(statement) &&
      /^(it|test|describe|suite)\b/.test(statement.getText()),
  );
}

function docProblem(source, node) {
  const doc = node.jsDoc?.at(-1);
  if (doc === undefined) return undefined;
  const inner = doc.getText(source).split("\n").length - 2;
  return inner > limits.docLines
    ? `a comment of ${inner} lines; at most ${limits.docLines}`
    : undefined;
}

function testProblem(path, node) {
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  const object = node.expression.getText();
  const member = node.name.text;
  if (testers.has(object) && (member === "only" || member === "skip")) {
    return `${object}.${member}: every test runs`;
  }
  const isMock = object === "vi" && /^(mock|doMock)$/.test(member);
  return isMock && path.startsWith("packages/") ? "a mock: packages take plain values" : undefined;
}
