import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { bench, run } from "mitata";
import {
  createJob,
  type JobEvent,
  type JobState,
  parseJobState,
  pendingEffects,
  transitionJob,
} from "../src/index.ts";

const START = Date.UTC(2026, 9, 13, 9);
const spec = {
  name: "atlas-report",
  image: "busybox:1.36",
  command: ["sh", "-c", "exit 0"],
  backoffLimit: 3,
  backoff: { kind: "Exponential", delaySeconds: 5, jitter: 0.5 },
  activeDeadlineSeconds: 3600,
} as const;
const context = { jobId: "j1", namespace: "default", now: START };

const report = { type: "taskReported", taskId: "j1-1" } as const;
const assign: JobEvent = { type: "taskAssigned", at: START, taskId: "j1-1", nodeId: "a" };
const begin: JobEvent = { ...report, at: START, status: "running", containerId: "c1" };
const succeed: JobEvent = { ...report, at: START, status: "stopped", exitCode: 0 };
const fail: JobEvent = { ...report, at: START, status: "stopped", exitCode: 1 };

function after(state: JobState, event: JobEvent): JobState {
  const next = transitionJob(state, event).state;
  if (next === undefined) throw new Error("a state was expected");
  return next;
}

const created = createJob<import("../src/index.ts").JobSpec>(spec, context).state;
const assigned = after(created, assign);
const running = after(assigned, begin);
const ended = after(running, succeed);

/** Each name is a row of the page; `perCall` transitions are made in one call. */
const rows: readonly { name: string; perCall: number; work: () => unknown }[] = [
  { name: "transitionJob: task assigned", perCall: 1, work: () => transitionJob(created, assign) },
  { name: "transitionJob: running", perCall: 1, work: () => transitionJob(assigned, begin) },
  { name: "transitionJob: exit 0", perCall: 1, work: () => transitionJob(running, succeed) },
  { name: "transitionJob: failure, retried", perCall: 1, work: () => transitionJob(running, fail) },
  { name: "transitionJob: repeated report", perCall: 1, work: () => transitionJob(ended, succeed) },
  {
    name: "transitionJob: assigned, running, exit 0",
    perCall: 3,
    work: () => transitionJob(after(after(created, assign), begin), succeed),
  },
  { name: "pendingEffects", perCall: 1, work: () => pendingEffects(created) },
  { name: "createJob", perCall: 1, work: () => createJob(spec, context) },
  { name: "parseJobState", perCall: 1, work: () => parseJobState(ended) },
  { name: "for scale: structuredClone of a state", perCall: 1, work: () => structuredClone(ended) },
  {
    name: "for scale: JSON there and back",
    perCall: 1,
    work: () => JSON.parse(JSON.stringify(ended)),
  },
];

for (const { name, work } of rows) bench(name, work);
const { benchmarks } = await run();

const lines = rows.map(({ name, perCall }) => {
  const { stats } = benchmarks.find(({ alias }) => alias === name)?.runs[0] ?? {};
  if (stats === undefined) throw new Error(`no figures for ${name}`);
  const each = stats.p50 / perCall;
  return `| ${name} | ${each.toFixed(0)} | ${(1000 / each).toFixed(2)} |`;
});

const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const page = `# Benchmarks of \`@mesh/jobs\`

Command: \`npm run bench -w @mesh/jobs\`, which writes this page.
Machine: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${process.platform} ${process.arch}; Node ${process.versions.node}; mitata 1.0.34; commit ${commit}; ${new Date().toISOString().slice(0, 10)}.
The figures are medians of one run; where a row makes several transitions, they are for one of them.
The last two rows, measured in the same run, say what the machine itself was worth at that time.

| work | ns each | million a second |
| --- | --- | --- |
${lines.join("\n")}
`;
writeFileSync(new URL("../../../docs/reference/benchmarks-jobs.md", import.meta.url), page);
