// Decisions per second, side by side; writes docs/reference/benchmarks-concurrency.md.
// Run by `npm run bench -w @mesh/concurrency`, which builds first.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { createSchedule, decideSchedule, explainDecision, replayDecision } from "@mesh/concurrency";
import { nextOccurrence, parseCron } from "@mesh/cron";
import { do_not_optimize } from "mitata";

const MINUTE = 60_000;
const now = Date.UTC(2026, 9, 13, 12);

function scheduleWith(spec, minutesBehind) {
  const full = { name: "report", schedule: "* * * * *", ...spec };
  const state = createSchedule(full, { uid: "s1", now: now - 1_000 * MINUTE });
  return { ...state, lastScheduleAt: now - minutesBehind * MINUTE };
}

const cron = parseCron("* * * * *");
const one = scheduleWith({}, 1);
const belgrade = scheduleWith({ timezone: "Europe/Belgrade" }, 1);
const hundred = scheduleWith({}, 100);
const queue = scheduleWith({ concurrencyPolicy: "Queue" }, 100);
const yearBehind = scheduleWith({ missed: "Latest" }, 525_600);
const idle = scheduleWith({ schedule: "0 9 * * 1-5" }, 0);
const active = [{ id: "r1", status: "running" }];
const decided = decideSchedule(one, [], { now });

const rows = [
  ["next occurrence of `* * * * *`, for scale", () => nextOccurrence(cron, now)],
  ["decide, one due, UTC", () => decideSchedule(one, [], { now })],
  ["decide, one due, Europe/Belgrade", () => decideSchedule(belgrade, [], { now })],
  ["decide, nothing due", () => decideSchedule(idle, [], { now })],
  ["decide, 100 due, `Allow` creates all", () => decideSchedule(hundred, [], { now })],
  ["decide, 100 due, `Queue` holds all", () => decideSchedule(queue, active, { now })],
  ["decide, a year behind, `Latest`", () => decideSchedule(yearBehind, [], { now })],
  ["replay, one due", () => replayDecision(decided.evidence)],
  ["explain, one due", () => explainDecision(decided)],
];

/**
 * Processor time of one call in nanoseconds. Wall time would measure the machine's other work:
 * whoever shares the processors stretches it, by a factor of ten and more.
 */
function timeOf(work, calls) {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) do_not_optimize(work());
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / calls;
}

const ROUNDS = 7;
const best = new Map();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, work] of rows) {
    const calls = Math.ceil(2e8 / timeOf(work, 2_000));
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, timeOf(work, calls)));
  }
}

const micros = (nanoseconds) => `${(nanoseconds / 1000).toFixed(2)} µs`;
const perSecond = (nanoseconds) => `${(1e3 / nanoseconds).toFixed(2)} M/s`;
const table = [...best].map(([name, time]) => `| ${name} | ${micros(time)} | ${perSecond(time)} |`);
const date = new Date().toISOString().slice(0, 10);
const text = `# Benchmarks of \`@mesh/concurrency\`

Processor time of one call, the best of ${ROUNDS} rounds that alternate.
To reach: one due occurrence at least 1 M/s, 100 due at most 30 µs.
Each decision parses its expression from the stored state, reads the due occurrences and the next one, and builds the evidence.

| work | time | rate |
| --- | --- | --- |
${table.join("\n")}

Command: \`npm run bench -w @mesh/concurrency\`.
Machine: ${cpus().length} × ${cpus()[0].model.trim()}, Node.js ${process.version}, ${date}.
`;
writeFileSync(new URL("../../../docs/reference/benchmarks-concurrency.md", import.meta.url), text);
console.log(text);
