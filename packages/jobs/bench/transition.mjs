// Transitions per second, side by side; writes docs/reference/benchmarks-jobs.md.
// Run by `npm run bench -w @mesh/jobs`, which builds first.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { createJob, parseJobState, pendingEffects, transitionJob } from "@mesh/jobs";
import { measure } from "mitata";

const START = Date.UTC(2026, 9, 13, 9);
const context = { jobId: "j1", namespace: "default", now: START };
const spec = {
  name: "atlas-report",
  image: "busybox:1.36",
  command: ["sh", "-c", "exit 0"],
  backoffLimit: 3,
  backoff: { kind: "Exponential", delaySeconds: 5, jitter: 0.5 },
  activeDeadlineSeconds: 3600,
};

const report = { type: "taskReported", taskId: "j1-1", at: START };
const assign = { type: "taskAssigned", taskId: "j1-1", at: START, nodeId: "a" };
const begin = { ...report, status: "running", containerId: "c1" };
const succeed = { ...report, status: "stopped", exitCode: 0 };
const fail = { ...report, status: "stopped", exitCode: 1 };

const created = createJob(spec, context).state;
const assigned = transitionJob(created, assign).state;
const running = transitionJob(assigned, begin).state;
const ended = transitionJob(running, succeed).state;

/** A name, the work, and how many transitions one call makes. */
const rows = [
  ["transition: assigned", () => transitionJob(created, assign), 1],
  ["transition: running", () => transitionJob(assigned, begin), 1],
  ["transition: exit 0", () => transitionJob(running, succeed), 1],
  ["transition: failure, retried with a delay", () => transitionJob(running, fail), 1],
  ["transition: a report repeated, ignored", () => transitionJob(ended, succeed), 1],
  [
    "transition: assigned, running, exit 0, each",
    () => transitionJob(transitionJob(transitionJob(created, assign).state, begin).state, succeed),
    3,
  ],
  ["pendingEffects", () => pendingEffects(created), 1],
  ["createJob", () => createJob(spec, context), 1],
  ["parseJobState", () => parseJobState(ended), 1],
  ["for scale: structuredClone of that state", () => structuredClone(ended), 1],
  ["for scale: JSON there and back", () => JSON.parse(JSON.stringify(ended)), 1],
];

const ROUNDS = 3;
const best = new Map();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, work, count] of rows) {
    const { p50 } = await measure(work, { min_cpu_time: 300 * 1e6 });
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, p50 / count));
  }
}

const perSecond = (nanoseconds) => `${(1e3 / nanoseconds).toFixed(2)} M/s`;
const table = [...best].map(
  ([name, time]) => `| ${name} | ${time.toFixed(0)} ns | ${perSecond(time)} |`,
);
const text = `# Benchmarks of \`@mesh/jobs\`

Median times, the best of ${ROUNDS} rounds that alternate.
To reach: 2 M/s for \`transitionJob\`.
The last two rows are measured in the same run: they say what the machine was worth at that time.

| work | time | rate |
| --- | --- | --- |
${table.join("\n")}

Command: \`npm run bench -w @mesh/jobs\`.
Machine: ${cpus().length} × ${cpus()[0].model.trim()}, Node.js ${process.version}, ${new Date().toISOString().slice(0, 10)}.
`;
writeFileSync(new URL("../../../docs/reference/benchmarks-jobs.md", import.meta.url), text);
console.log(text);
