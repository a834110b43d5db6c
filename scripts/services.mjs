// Starts what system tests need (Docker Engine with registry and image, PostgreSQL, Chromium).
// `node scripts/services.mjs --keep` prints them as shell variables and holds them until Ctrl-C.
import { startServices } from "../apps/lab/dist/index.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Runs `use` with the services' environment and ends them whatever happens. */
export async function withServices(use) {
  const stopped = new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve(signal));
  });
  const services = await startServices();
  try {
    return await use(services, stopped);
  } finally {
    await services.stop();
  }
}

async function keep({ environment, missing }, stopped) {
  for (const { service, reason } of missing) console.error(`# no ${service}: ${reason}`);
  for (const [name, value] of Object.entries(environment)) {
    console.log(`export ${name}='${value}'`);
  }
  const alive = setInterval(() => undefined, 60_000);
  await stopped;
  clearInterval(alive);
}

if (process.argv.includes("--keep")) await withServices(keep);
