// Starts what system tests need (Docker Engine with registry and image, PostgreSQL, Chromium).
// `node scripts/services.mjs --keep` prints them as shell variables and holds them until Ctrl-C.
import { pathToFileURL } from "node:url";
import { startServices } from "../apps/lab/dist/index.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs `use` with the services and ends them whatever happens. A signal is kept until then:
 * the child that runs is told too, so `use` comes to its end; `interrupted` resolves with it.
 */
export async function withServices(use) {
  let interrupt = () => undefined;
  const interrupted = new Promise((resolve) => {
    interrupt = resolve;
  });
  for (const signal of signals) process.on(signal, interrupt);
  const services = await startServices();
  try {
    return await use(services, interrupted);
  } finally {
    await services.stop();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

async function keep({ environment, missing }, interrupted) {
  for (const { service, reason } of missing) console.error(`# no ${service}: ${reason}`);
  for (const [name, value] of Object.entries(environment)) {
    console.log(`export ${name}='${value}'`);
  }
  const alive = setInterval(() => undefined, 60_000);
  await interrupted;
  clearInterval(alive);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (process.argv.includes("--keep")) await withServices(keep);
  else console.error("usage: node scripts/services.mjs --keep");
}
