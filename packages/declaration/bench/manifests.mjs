// How much parsing a manifest costs beside the YAML parser alone, both in one run.
// `npm run bench -w @mesh/declaration` writes docs/reference/benchmarks-declaration.md.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import {
  checkBound,
  emptyAppliedState,
  parseManifest,
  planApply,
  renderDeclaration,
} from "@mesh/declaration";
import { parseManifestYaml } from "@mesh/declaration/yaml";
import { do_not_optimize, measure } from "mitata";
import { parseDocument } from "yaml";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const text = read("./kometa.mesh.yaml");
const bad = read("./kometa-bad.mesh.yaml");
const { manifest, diagnostics } = parseManifestYaml(text);
if (manifest === undefined) throw new Error(JSON.stringify(diagnostics));
const declaration = renderDeclaration([manifest], { node: "ams-1", generation: 1 });
const bound = {
  roots: ["/var/lib/mesh", "/etc/mesh"],
  accountRange: { first: 200_000, last: 265_535 },
  rawExec: false,
  maximum: {
    declarationBytes: 1e6,
    resources: 100,
    schedules: 20,
    memory: 2 ** 40,
    cpu: 64_000,
    pids: 512,
    fileBytes: 1e6,
  },
};

/** What a caller without this package would write: the library's own document and plain data. */
const yamlAlone = () => do_not_optimize(parseDocument(text).toJS());

const work = [
  ["YAML parser alone, 53 lines", yamlAlone],
  ["`parseManifestYaml`, the same", () => do_not_optimize(parseManifestYaml(text))],
  ["`parseManifestYaml`, six errors", () => do_not_optimize(parseManifestYaml(bad))],
  ["`parseManifest`, plain data", () => do_not_optimize(parseManifest(manifest))],
  [
    "`renderDeclaration`, one module",
    () => do_not_optimize(renderDeclaration([manifest], { node: "ams-1", generation: 1 })),
  ],
  ["`checkBound`, one module", () => do_not_optimize(checkBound(declaration, bound))],
  ["`planApply`, one module", () => do_not_optimize(planApply(declaration, emptyAppliedState()))],
];

/** Rounds alternate, so that a slow moment of the machine meets all of them alike. */
const ROUNDS = 9;
const rounds = [];
for (let round = 0; round < ROUNDS; round++) {
  const times = new Map();
  for (const [name, run] of work) {
    times.set(name, (await measure(run, { min_cpu_time: 150e6 })).p50);
  }
  rounds.push(times);
}

const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const [[base]] = work;
const rows = work.map(([name]) => {
  const time = middle(rounds.map((times) => times.get(name)));
  const ratio = middle(rounds.map((times) => times.get(name) / times.get(base)));
  return `| ${name} | ${(time / 1000).toFixed(1)} µs | ${ratio.toFixed(2)} |`;
});
const document = `# Benchmarks of \`@mesh/declaration\`

Medians of ${ROUNDS} rounds that alternate; a ratio is to the first row of the same round.
The manifest has 53 lines and 5 resources; to reach: \`parseManifestYaml\` at most 1.2 × the YAML parser.

| work | time | ratio |
| --- | --- | --- |
${rows.join("\n")}

Command: \`npm run bench -w @mesh/declaration\`.
Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, Node.js ${process.version}, ${new Date().toISOString().slice(0, 10)}.
`;
writeFileSync(
  new URL("../../../docs/reference/benchmarks-declaration.md", import.meta.url),
  document,
);
console.log(document);
