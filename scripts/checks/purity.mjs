// Purity of packages/*/src: no clock, no dice, no input or output, nothing of the process.
// What the compiler can refuse it refuses (lib ES2023, no types); this holds the rest.
import { builtinModules } from "node:module";
import ts from "typescript";
import {
  isPackageSource,
  listFiles,
  parseSource,
  problemAt,
  readText,
  walk,
} from "./source-tree.mjs";

const ambientNames = new Set([
  ...["process", "console", "globalThis", "performance", "crypto", "fetch", "navigator"],
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "require", "Buffer"],
]);
const localTimeMethods = new Set(
  ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds", "Milliseconds"]
    .flatMap((field) => [`get${field}`, `set${field}`])
    .concat("getTimezoneOffset", "getYear", "setYear")
    .concat("toLocaleString", "toLocaleDateString", "toLocaleTimeString")
    .concat("toDateString", "toTimeString"),
);
const builtins = new Set(builtinModules);
const instantWithZone = /^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:\d\d))?$/;

/** Every place in a package's source where an answer could depend on more than its arguments. */
export function checkPurity(root) {
  return listFiles(root)
    .filter((path) => isPackageSource(path) && path.endsWith(".ts"))
    .flatMap((path) => purityProblems(path, readText(root, path)));
}

export function purityProblems(path, text) {
  const source = parseSource(path, text);
  const declared = declaredNames(source);
  const problems = [];
  walk(source, (node) => {
    const message = importProblem(node) ?? ambientProblem(node, declared) ?? timeProblem(node);
    if (message !== undefined) problems.push(problemAt(source, node, message));
  });
  return problems;
}

function declaredNames(source) {
  const names = new Set();
  walk(source, (node) => {
    const isDeclaration =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isImportSpecifier(node) ||
      ts.isBindingElement(node);
    if (isDeclaration && node.name !== undefined && ts.isIdentifier(node.name)) {
      names.add(node.name.text);
    }
  });
  return names;
}

function importProblem(node) {
  if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return undefined;
  const specifier = node.moduleSpecifier;
  if (specifier === undefined || !ts.isStringLiteral(specifier)) return undefined;
  const isBuiltin = specifier.text.startsWith("node:") || builtins.has(specifier.text);
  return isBuiltin ? `imports ${specifier.text}: a package does no input or output` : undefined;
}

function ambientProblem(node, declared) {
  if (!ts.isIdentifier(node) || !ambientNames.has(node.text) || declared.has(node.text)) {
    return undefined;
  }
  if (!isReference(node)) return undefined;
  return `uses ${node.text}: what a package needs comes in as an argument`;
}

/** An identifier that stands for a value, and is not the name of a member or a type's part. */
function isReference(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return !(
    ts.isPropertySignature(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isTypeReferenceNode(parent) ||
    ts.isQualifiedName(parent)
  );
}

function timeProblem(node) {
  if (ts.isNewExpression(node)) return newDateProblem(node) ?? formatterProblem(node);
  if (ts.isPropertyAccessExpression(node)) return memberProblem(node);
  if (!ts.isCallExpression(node)) return undefined;
  if (ts.isIdentifier(node.expression) && node.expression.text === "Date") {
    return "calls Date(): it reads the clock";
  }
  return formatterProblem(node);
}

function memberProblem(node) {
  const object = ts.isIdentifier(node.expression) ? node.expression.text : undefined;
  const member = node.name.text;
  if (object === "Date" && member === "now") return "reads the clock: time comes in";
  if (object === "Math" && member === "random") return "throws dice: derive it from the input";
  if (localTimeMethods.has(member) && ts.isCallExpression(node.parent)) {
    return `${member} answers in the process's own zone: use the UTC form`;
  }
  return undefined;
}

function newDateProblem(node) {
  if (!ts.isIdentifier(node.expression) || node.expression.text !== "Date") return undefined;
  const [first, second] = node.arguments ?? [];
  if (first === undefined) return "new Date() reads the clock: time comes in";
  if (second !== undefined) return "new Date(year, …) reads the process's own zone: use Date.UTC";
  const isLocal = ts.isStringLiteral(first) && !instantWithZone.test(first.text);
  return isLocal ? "a date text without a zone is read in the process's own" : undefined;
}

function formatterProblem(node) {
  if (node.expression.getText() !== "Intl.DateTimeFormat") return undefined;
  const options = node.arguments?.[1];
  const isNamed =
    options !== undefined &&
    ts.isObjectLiteralExpression(options) &&
    options.properties.some((property) => property.name?.getText() === "timeZone");
  return isNamed ? undefined : "Intl.DateTimeFormat needs a timeZone in its options literal";
}
