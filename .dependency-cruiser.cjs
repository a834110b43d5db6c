// The arrows of docs/architecture.md: apps on packages, packages on packages below them.

/** What each package may use of ours; what is not listed it may not. */
const arrows = {
  cron: [],
  jobs: [],
  placement: [],
  concurrency: ["cron"],
  declaration: ["cron", "jobs", "concurrency"],
  protocol: ["jobs", "concurrency", "declaration"],
  kubernetes: ["declaration", "cron"],
};

/** What a package's tests may use beside that: `ActiveRun` is declared in both and held equal. */
const testArrows = { concurrency: ["jobs"] };

/** What each package may use of others at run time; in its `testing` entry, fast-check too. */
const libraries = {
  cron: [],
  jobs: [],
  placement: [],
  concurrency: [],
  declaration: ["valibot", "@noble/hashes", "yaml"],
  protocol: ["valibot"],
  kubernetes: [],
};

const packageArrows = Object.entries(arrows).map(([name, uses]) => ({
  name: `${name}-uses-${uses.length === 0 ? "none-of-ours" : `only-${uses.join("-")}`}`,
  severity: "error",
  from: { path: `^packages/${name}/`, ...(testArrows[name] ? { pathNot: "/test/" } : {}) },
  to: { path: "^packages/", pathNot: `^packages/(${[name, ...uses].join("|")})/` },
}));

const packageTestArrows = Object.entries(testArrows).map(([name, uses]) => ({
  name: `${name}-tests-use-${uses.join("-")}-too`,
  severity: "error",
  from: { path: `^packages/${name}/test/` },
  to: {
    path: "^packages/",
    pathNot: `^packages/(${[name, ...arrows[name], ...uses].join("|")})/`,
  },
}));

const packageLibraries = Object.entries(libraries).map(([name, uses]) => ({
  name: `${name}-has-${uses.length === 0 ? "no-libraries" : "its-libraries-only"}`,
  severity: "error",
  from: { path: `^packages/${name}/src/`, pathNot: "/src/testing\\.ts$" },
  to: {
    path: "node_modules/",
    pathNot: `node_modules/(${["@mesh", ...uses].join("|")})/`,
  },
}));

module.exports = {
  forbidden: [
    ...packageArrows,
    ...packageTestArrows,
    ...packageLibraries,
    {
      name: "no-package-imports-an-app",
      severity: "error",
      from: { path: "^packages/" },
      to: { path: "^apps/" },
    },
    {
      name: "apps-do-not-reach-into-each-other",
      severity: "error",
      from: { path: "^apps/([^/]+)/", pathNot: "^apps/(cli|lab)/" },
      to: { path: "^apps/", pathNot: "^apps/$1/" },
    },
    {
      name: "cli-and-lab-use-public-entries-of-server-and-agent",
      severity: "error",
      from: { path: "^apps/(cli|lab)/" },
      to: {
        path: "^apps/",
        pathNot: "^apps/($1/|(server|agent)/(src/index\\.ts|dist/index\\.js)$)",
      },
    },
    {
      name: "examples-use-packages-only",
      severity: "error",
      from: { path: "^docs/examples/([^/]+)/" },
      to: { path: "^(apps|docs/examples)/", pathNot: "^docs/examples/$1/" },
    },
    {
      name: "only-public-entries-of-another-package",
      severity: "error",
      from: { path: "^(packages|apps|docs/examples)/([^/]+)/" },
      to: {
        path: "^packages/",
        pathNot:
          "^packages/($2/|[^/]+/(src/(index|yaml|tzif|testing)\\.ts$|package\\.json$|schema/))",
      },
    },
    {
      name: "source-does-not-use-tests",
      severity: "error",
      from: { path: "^(packages|apps)/[^/]+/src/" },
      to: { path: "^(packages|apps)/[^/]+/(test|system|bench)/" },
    },
    {
      name: "source-does-not-use-the-testing-entry",
      severity: "error",
      from: { path: "^(packages|apps)/[^/]+/src/" },
      to: { path: "^packages/[^/]+/src/testing\\.ts$" },
    },
    {
      name: "packages-use-nothing-of-node",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "no-circles",
      severity: "error",
      from: { path: "^(packages|apps)/[^/]+/src/" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "every-import-is-found",
      severity: "error",
      from: { path: "^(packages|apps|docs/examples)/" },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: {
      path: "^(packages|apps|docs/examples)/[^/]+/(dist|\\.turbo|\\.results|\\.stryker-tmp[^/]*)/",
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
    },
  },
};
