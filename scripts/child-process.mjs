// Runs the tools that the scripts are made of, quietly and with a sign of life.
import { spawn } from "node:child_process";

const signals = ["SIGINT", "SIGTERM"];

/**
 * The environment for a child: what an outer `npm start` or `npm test` set is taken out, tools
 * send no telemetry, and turbo tells results of different Node.js versions apart.
 */
export function childEnvironment(environment) {
  const outer = /^npm_(config|lifecycle|package|command|execpath|node_execpath)/i;
  const kept = Object.entries(environment).filter(([name]) => !outer.test(name));
  const quiet = { TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
  if (!process.stdout.isTTY) quiet.NO_COLOR = "1";
  return { ...Object.fromEntries(kept), ...quiet, MESH_NODE_VERSION: process.version };
}

/**
 * Runs a command to its end and answers its exit code and all it printed.
 * While it runs, `onAlive` is called with the elapsed seconds: every ten at first, then every
 * thirty.
 */
export function capture(command, args, { cwd, environment = {}, onAlive } = {}) {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...childEnvironment(process.env), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => output.push(text));
    }
    let ticks = 0;
    const alive = setInterval(() => {
      ticks += 1;
      if (ticks <= 3 || ticks % 3 === 0) onAlive?.(Math.round(seconds()));
    }, 10_000);
    const forward = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, forward);
    const settled = () => {
      clearInterval(alive);
      for (const signal of signals) process.off(signal, forward);
    };
    child.once("error", (error) => {
      settled();
      reject(error);
    });
    child.once("close", (code) => {
      settled();
      resolve({ code: code ?? 1, output: output.join(""), seconds: seconds() });
    });
  });
}

/** What npm and turbo say about themselves when a tool that they ran has failed. */
export function withoutNoise(output) {
  const noise =
    /npm error|^ *• |: > |: *$|^npm |cache (hit|miss)|\(use "npm run|^ ERROR {2}run failed/;
  const lines = output.split("\n").filter((line) => !noise.test(line));
  return lines.join("\n").trimStart();
}
