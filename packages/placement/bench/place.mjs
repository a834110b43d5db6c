// Placing many tasks at once; writes docs/reference/benchmarks-placement.md.
// Run by `npm run bench -w @mesh/placement`, which builds first.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { placeTasks } from "@mesh/placement";

const ZONES = ["ams", "ber", "par"];

/** Nodes of 16, 32 or 64 cores, in three zones, one in fifty not ready, a quarter used. */
function makeNodes(count) {
  return Array.from({ length: count }, (_, i) => {
    const cores = [16, 32, 64][i % 3];
    const capacity = { cpuMillicores: cores * 1000, memoryBytes: cores * 4 * 1024 ** 3 };
    return {
      nodeId: `node-${String(i).padStart(5, "0")}`,
      isReady: i % 50 !== 49,
      labels: { zone: ZONES[i % 3], host: `h${i}` },
      capacity,
      used: {
        cpuMillicores: Math.floor((capacity.cpuMillicores * (i % 5)) / 10),
        memoryBytes: Math.floor((capacity.memoryBytes * (i % 7)) / 14),
      },
      claims: [`claim-${i}`],
    };
  });
}

/** Tasks as they come: most free, some bound to a zone, a few to a claim. */
function makeTasks(count, more = () => ({})) {
  return Array.from({ length: count }, (_, i) => ({
    taskId: `task-${i}`,
    request: { cpuMillicores: 100 + (i % 9) * 50, memoryBytes: (128 + (i % 5) * 64) * 1024 ** 2 },
    ...(i % 4 === 0
      ? { placement: [{ key: "zone", operator: "equals", value: ZONES[i % 3] }] }
      : {}),
    ...(i % 97 === 0 ? { claims: [`claim-${i % 500}`] } : {}),
    ...more(i),
  }));
}

const huge = { request: { cpuMillicores: 1e6, memoryBytes: 1 } };
const pinned = (i) => ({
  placement: [{ key: "host", operator: "equals", value: `h${i % 1000}` }],
  claims: [],
});

const rows = [
  ["10 000 tasks on 1 000 nodes", makeTasks(10_000), makeNodes(1000)],
  ["100 000 tasks on 10 000 nodes", makeTasks(100_000), makeNodes(10_000)],
  ["10 000 tasks that fit nowhere, on 1 000 nodes", makeTasks(10_000, () => huge), makeNodes(1000)],
  ["10 000 tasks, each for one host, on 1 000 nodes", makeTasks(10_000, pinned), makeNodes(1000)],
];

const table = rows.map(([name, tasks, nodes]) => {
  let best = Number.POSITIVE_INFINITY;
  let answer = placeTasks(tasks, nodes);
  for (let round = 0; round < 5; round++) {
    const start = process.hrtime.bigint();
    answer = placeTasks(tasks, nodes);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
  }
  const each = (best * 1000) / tasks.length;
  return `| ${name} | ${best.toFixed(0)} ms | ${each.toFixed(2)} µs | ${answer.assignments.length} |`;
});

const text = `# Benchmarks of \`@mesh/placement\`

One call of \`placeTasks\`, the best of 5.
To reach: 10 000 tasks on 1 000 nodes well under a second.
Nodes are of three sizes in three zones; a quarter of the tasks ask for a zone, one in a hundred for a claim.

| work | time | each task | placed |
| --- | --- | --- | --- |
${table.join("\n")}

Command: \`npm run bench -w @mesh/placement\`.
Machine: ${cpus().length} × ${cpus()[0].model.trim()}, Node.js ${process.version}, ${new Date().toISOString().slice(0, 10)}.
`;
writeFileSync(new URL("../../../docs/reference/benchmarks-placement.md", import.meta.url), text);
console.log(text);
