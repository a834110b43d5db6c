import { wantsColour } from "./paint.ts";
import { runMesh } from "./program.ts";
import type { Surroundings } from "./surroundings.ts";
import { readZones } from "./zones.ts";

/** The reader's zone, asked for before the process puts itself into UTC. */
const localZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
// date-fns-tz is right for every instant only in a process that runs in UTC.
process.env.TZ = "UTC";

const surroundings: Surroundings = {
  env: process.env,
  nodeVersion: process.version,
  processId: process.pid,
  workingDirectory: process.cwd(),
  localZone,
  zones: readZones(process.versions.tz),
  terminal: {
    colour: wantsColour(process.stdout, process.env),
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
  },
  fetch,
  now: () => Date.now(),
  newId: () => crypto.randomUUID(),
  readStdin,
  stopAsked,
};

// A reader that has gone (`mesh get jobs | head -1`) is no failure.
process.stdout.on("error", (error: { code?: string }) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

process.exitCode = await runMesh(process.argv.slice(2), surroundings);

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** The first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once. */
function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve(signal);
      });
    }
  });
}
