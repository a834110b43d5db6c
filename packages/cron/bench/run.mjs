// `npm run bench -w @mesh/cron`: this package beside its peers, the same work in one process, and
// the table docs/reference/benchmarks-cron.md made of it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { measure } from "mitata";
import { engineZones, nextOccurrence, parseCron } from "../dist/index.js";
import { bundleSizes } from "./bundles.mjs";
import { peers } from "./peers.mjs";

process.env.TZ = "UTC";
const START = Date.UTC(2026, 5, 1);
const INSTANTS = Array.from({ length: 1024 }, (_, index) => START + index * 33_333_333);
const DATES = INSTANTS.map((instant) => new Date(instant));
const BELGRADE = "Europe/Belgrade";
const LEAP = "0 0 29 2 *";
const WORKDAYS = "0 9 * * 1-5";

const sink = { value: undefined };
let turn = 0;
/** The instants in the form that a library takes; numbers where it takes them. */
const instantsFor = (peer) => (peer.numbers ? INSTANTS : DATES);

/** Nanoseconds a call: the lowest of three medians, since the machine has other work too. */
async function time(work, share = 1, options = {}) {
  const medians = [];
  for (let turn = 0; turn < 3; turn++) {
    const stats = await measure(work, { min_cpu_time: 150e6, ...options });
    medians.push(stats.p50 / share);
  }
  return Math.min(...medians);
}

const next = (text, zone) => (peer) => {
  const schedule = peer.prepare(text, zone);
  const instants = instantsFor(peer);
  return time(() => {
    sink.value = peer.next(schedule, instants[turn++ & 1023]);
  });
};

/** Ten thousand different schedules: minute and hour vary, half of them only on workdays. */
const MANY = Array.from(
  { length: 10_000 },
  (_, i) => `${i % 60} ${Math.floor(i / 60) % 24} * * ${i % 2 ? "1-5" : `${i % 7}`}`,
);

const ROWS = [
  {
    work: `parse \`${WORKDAYS}\``,
    goal: "≤ 250 ns",
    run: (peer) =>
      time(() => {
        sink.value = peer.parse(WORKDAYS);
      }),
  },
  {
    work: "next, UTC `*/5 * * * *`",
    goal: "≤ 60 ns",
    zone: "UTC",
    run: next("*/5 * * * *", "UTC"),
  },
  {
    work: `next, Belgrade \`${WORKDAYS}\``,
    goal: "≤ 90 ns, ≥ 200 times the fastest peer",
    run: next(WORKDAYS, BELGRADE),
  },
  { work: `next, Belgrade \`${LEAP}\``, goal: "≤ 300 ns", run: next(LEAP, BELGRADE) },
  {
    work: `1000 in a row, Belgrade \`${WORKDAYS}\`, each`,
    goal: "≤ 60 ns",
    run: (peer) => {
      const schedule = peer.prepare(WORKDAYS, BELGRADE);
      return time(() => {
        sink.value = peer.take(schedule, instantsFor(peer)[0], 1000);
      }, 1000);
    },
  },
  {
    work: `match, Belgrade \`${WORKDAYS}\``,
    goal: "≤ 50 ns",
    needs: "match",
    run: (peer) => {
      const schedule = peer.prepare(WORKDAYS, BELGRADE);
      const instants = instantsFor(peer);
      return time(() => {
        sink.value = peer.match(schedule, instants[turn++ & 1023]);
      });
    },
  },
  {
    work: "parse + next of 10 000 schedules, Belgrade, each",
    goal: "≤ 500 ns",
    run: (peer) =>
      time(
        () => {
          for (const text of MANY)
            sink.value = peer.next(peer.prepare(text, BELGRADE), instantsFor(peer)[0]);
        },
        MANY.length,
        { min_samples: 3, warmup_samples: 1, batch_samples: 1 },
      ),
  },
  {
    work: "next of the impossible `0 0 30 2 *`, Belgrade",
    goal: "≤ 100 ns",
    run: async (peer) => {
      if (peer.endless) return "never returns";
      let schedule;
      try {
        schedule = peer.prepare("0 0 30 2 *", BELGRADE);
      } catch {
        return "refused at parse";
      }
      return time(() => {
        try {
          sink.value = peer.next(schedule, instantsFor(peer)[turn++ & 1023]);
        } catch (error) {
          sink.value = error;
        }
      });
    },
  },
];

async function firstUse() {
  const names = Intl.supportedValuesOf("timeZone");
  const cron = parseCron("0 9 * * *");
  nextOccurrence(cron, START, { timeZone: names[0], zones: engineZones() });
  const times = names.slice(1, 201).map((timeZone) => {
    const from = process.hrtime.bigint();
    nextOccurrence(cron, START, { timeZone });
    return Number(process.hrtime.bigint() - from);
  });
  return times.sort((a, b) => a - b)[100];
}

/** Bytes that a `nextOccurrence` on numbers leaves behind: the number that it returns. */
function bytesEach() {
  const cron = parseCron(WORKDAYS);
  const options = { timeZone: BELGRADE };
  const count = 100_000;
  const run = () => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += nextOccurrence(cron, INSTANTS[i & 1023], options);
    sink.value = sum;
  };
  run();
  run();
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  run();
  return (process.memoryUsage().heapUsed - before) / count;
}

function show(value) {
  if (typeof value !== "number") return value ?? "–";
  if (value < 1000) return `${value.toPrecision(3)} ns`;
  return value < 1e6 ? `${(value / 1e3).toPrecision(3)} µs` : `${(value / 1e6).toPrecision(3)} ms`;
}

const names = Object.keys(peers);
const lines = [];
for (const row of ROWS) {
  const cells = [];
  for (const name of names) {
    const peer = peers[name];
    const zone = row.zone ?? BELGRADE;
    const able =
      (!peer.zones || peer.zones.includes(zone) || row === ROWS[0]) &&
      (!row.needs || peer[row.needs]);
    const value = able ? await row.run(peer) : undefined;
    cells.push(value);
    console.log(row.work, name, show(value));
  }
  const others = cells.slice(1).filter((value) => typeof value === "number");
  const ratio = Math.round(Math.min(...others) / cells[0]);
  lines.push(`| ${row.work} | ${row.goal} | ${cells.map(show).join(" | ")} | ${ratio} |`);
}
const first = await firstUse();
lines.push(
  `| first use of a zone (median of 200) | ≤ 600 µs | ${show(first)} | ${names
    .slice(1)
    .map(() => "–")
    .join(" | ")} | – |`,
);

const allocated = bytesEach().toFixed(0);

const require = createRequire(import.meta.url);
const versionOf = (name) => {
  if (name === "@mesh/cron")
    return JSON.parse(readFileSync(new URL("../package.json", import.meta.url))).version;
  let folder = new URL(".", import.meta.resolve(name));
  for (;;) {
    try {
      const found = JSON.parse(readFileSync(new URL("package.json", folder)));
      if (found.name === name) return found.version;
    } catch {}
    folder = new URL("..", folder);
  }
};
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const sizes = (await bundleSizes()).map(
  ({ name, min, gzip, nodeOnly }) =>
    `| ${name} | ${nodeOnly ? "Node.js only" : "any"} | ${min} | ${gzip} |`,
);
const mitata = JSON.parse(readFileSync(require.resolve("mitata/package.json"))).version;
const notes = readFileSync(new URL("./notes.md", import.meta.url), "utf8");
const page = `# Benchmarks of \`@mesh/cron\`

Command: \`npm run bench -w @mesh/cron\`, which writes this page.
Machine: ${cpus()[0].model.trim()}, ${cpus().length} cores, ${process.platform} ${process.arch}; Node ${process.versions.node}, zone data ${process.versions.tz}; mitata ${mitata}; commit ${commit}; ${new Date().toISOString().slice(0, 10)}.
All libraries did the same work in one process, one after another; each figure is the lowest of three medians.
The last column is how many times faster this package is than the fastest of the others in that row.

| work | to reach | ${names.map((name) => `${name} ${versionOf(name)}`).join(" | ")} | × |
| --- | --- | ${names.map(() => "---").join(" | ")} | --- |
${lines.join("\n")}

A \`nextOccurrence\` on numbers leaves ${allocated} bytes behind.

## Size of a browser bundle

esbuild, minified, one typical use; gzip at level 9.

| library | runs in | bytes | bytes gzipped |
| --- | --- | --- | --- |
${sizes.join("\n")}

${notes}`;
writeFileSync(new URL("../../../docs/reference/benchmarks-cron.md", import.meta.url), page);
