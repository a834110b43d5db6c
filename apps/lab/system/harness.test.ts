import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { eventually, startServices } from "../src/index.ts";

const servicesScript = join(fileURLToPath(import.meta.url), "../../../../scripts/services.mjs");

/** What our services could leave on the machine, apart from what other runs hold. */
async function leftovers(pid: number): Promise<string[]> {
  const ours = new RegExp(`mesh-(docker|registry|postgres|busybox)-${pid}-`);
  const folders = (await readdir(tmpdir())).filter((name) => ours.test(name));
  const mounts = (await readFile("/proc/self/mounts", "utf8"))
    .split("\n")
    .filter((line) => ours.test(line));
  const bridges = (await readdir("/sys/class/net")).filter((name) => name === `mesh${pid}`);
  return [...folders, ...mounts, ...bridges, ...(await processesOf(ours))];
}

async function processesOf(pattern: RegExp): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.map((line) => line.replaceAll("\0", " ")).filter((line) => pattern.test(line));
}

describe("the services of the system tests", () => {
  it("[C31-141] leave no file, process, mount or bridge behind", async () => {
    const services = await startServices();
    expect(services.missing).toEqual([]);
    expect(await leftovers(process.pid)).not.toEqual([]);
    await services.stop();
    expect(await leftovers(process.pid)).toEqual([]);
  });

  it("end when the process that holds them is killed, and the next run tidies up", async () => {
    const holder = spawn(process.execPath, [servicesScript, "--keep"], { stdio: "ignore" });
    const pid = holder.pid as number;
    const ours = new RegExp(`mesh-(docker|registry|postgres)-${pid}-`);
    await eventually("services of their own process", async () => {
      const running = await processesOf(ours);
      return running.some((line) => line.includes("postgres")) && running.length >= 4
        ? true
        : undefined;
    });
    holder.kill("SIGKILL");
    await eventually("the end of the services", async () =>
      (await processesOf(ours)).length === 0 ? true : undefined,
    );
    const services = await startServices();
    await services.stop();
    expect(await leftovers(pid)).toEqual([]);
  });
});
