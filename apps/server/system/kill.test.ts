import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient, type MeshClient } from "@mesh/protocol";
import Sqlite from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const IMAGE = "busybox:1.36";

const processes: ChildProcess[] = [];
const folders: string[] = [];

afterEach(() => {
  for (const child of processes.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Running {
  readonly child: ChildProcess;
  readonly mesh: MeshClient;
}

/** The built server as a process of its own, once it says where it listens. */
async function launch(dataDir: string): Promise<Running> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, MESH_DATA_DIR: dataDir, MESH_DEV: "1", MESH_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  processes.push(child);
  const errors: string[] = [];
  child.stderr?.on("data", (chunk) => errors.push(String(chunk)));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
    if (msg === "listening" && url !== undefined) {
      return { child, mesh: createClient({ baseUrl: url, fetch }) };
    }
  }
  throw new Error(`the server ended before it listened: ${errors.join("")}`);
}

async function end({ child }: Running, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child, "exit");
  child.kill(signal);
  const [code] = (await ended) as [number | null];
  return code;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mesh-kill-"));
  folders.push(folder);
  return folder;
}

/** Every row of every table, as another process finds them. */
function dump(dataDir: string): Record<string, unknown[]> {
  const db = new Sqlite(join(dataDir, "server.db"), { readonly: true });
  const names = db
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all() as { name: string }[];
  const tables = names.map(({ name }) => [name, db.prepare(`select * from "${name}"`).all()]);
  db.close();
  return Object.fromEntries(tables) as Record<string, unknown[]>;
}

describe("a killed server (S1)", () => {
  it("[C31-125] SIGKILL and start: schedules, Jobs, tasks, history and ledger are all there", async () => {
    expect(existsSync(MAIN), "npm run build comes first").toBe(true);
    const dataDir = newFolder();
    const first = await launch(dataDir);
    const { mesh } = first;
    const capacity = { cpuMillicores: 4000, memoryBytes: 8e9 };
    const engine = { kind: "simulated", version: "1" } as const;
    const about = { labels: {}, capacity, engine, agentVersion: "0", zoneData: "2026f" };
    await mesh.register({ node: "a", ...about });
    const yearly = {
      kind: "CronJob",
      schedule: "0 0 1 1 *",
      jobTemplate: { image: IMAGE },
    } as const;
    await mesh.createCronJob("default", { ...yearly, name: "yearly" });
    await mesh.triggerCronJob("default", "yearly", { id: "t1" });
    // Its retry waits, so that nothing moves by itself while the server is looked at.
    const backoff = { kind: "Constant", delaySeconds: 3600 } as const;
    const one = { kind: "Job", name: "one", image: IMAGE, backoffLimit: 1, backoff } as const;
    await mesh.createJob("default", one);
    const { tasks } = await nonEmptyPoll(mesh);
    const reports = tasks
      .filter(({ jobName }) => jobName === "one")
      .map(({ taskId }, index) => ({
        kind: "task" as const,
        id: `r${index}`,
        at: Date.now(),
        taskId,
        report: { status: "stopped" as const, exitCode: 3 },
      }));
    // What is acknowledged is on disk: the kill comes right after the answer.
    await mesh.report({ node: "a", reports });
    expect(await end(first, "SIGKILL")).toBe(null);

    const left = dump(dataDir);
    expect(left.schedules).toHaveLength(1);
    expect(left.ledger).toHaveLength(1);
    expect(left.jobs).toHaveLength(2);
    expect(left.tasks?.length).toBeGreaterThanOrEqual(2);
    expect(left.node_reports).toHaveLength(1);
    const second = await launch(dataDir);
    const shown = {
      jobs: await second.mesh.jobs("default"),
      runs: await second.mesh.runs(),
      cronJob: await second.mesh.cronJob("default", "yearly"),
    };
    expect(shown.jobs).toHaveLength(2);
    expect(shown.cronJob.schedule.spec.schedule).toBe("0 0 1 1 *");
    expect(await end(second, "SIGTERM")).toBe(0);
    const after = dump(dataDir);
    for (const table of ["schedules", "ledger", "jobs", "tasks", "decisions", "node_reports"]) {
      expect(after[table], table).toEqual(left[table]);
    }
    expect(after.events?.slice(0, left.events?.length)).toEqual(left.events);
  });

  it("killed again and again while a schedule fires: the ledger has each minute once", async () => {
    const dataDir = newFolder();
    let running = await launch(dataDir);
    const state = { image: IMAGE };
    await running.mesh.createCronJob("default", {
      kind: "CronJob",
      name: "often",
      schedule: "* * * * *",
      jobTemplate: state,
      missedScheduleLimit: 3,
    });
    await settled(running.mesh);
    await end(running, "SIGKILL");
    // As if it had been made an hour ago: a backlog to be worked off between the kills.
    const hourAgo = Date.now() - 3_600_000;
    const db = new Sqlite(join(dataDir, "server.db"));
    const row = db.prepare("select schedule_json from schedules").get() as {
      schedule_json: string;
    };
    const schedule = { ...JSON.parse(row.schedule_json), createdAt: hourAgo };
    db.prepare("update schedules set schedule_json = ?, wake_at = 0").run(JSON.stringify(schedule));
    db.close();
    for (let round = 0; round < 8; round += 1) {
      running = await launch(dataDir);
      await new Promise((resolve) => setTimeout(resolve, round * 7));
      await end(running, "SIGKILL");
      const { ledger = [], jobs = [], schedules = [] } = dump(dataDir) as Rows;
      expect(new Set(ledger.map(({ first_at }) => first_at)).size).toBe(ledger.length);
      expect(jobs).toHaveLength(ledger.length);
      const { lastScheduleAt } = JSON.parse(schedules[0]?.schedule_json as string);
      const newest = Math.max(...ledger.map(({ first_at }) => first_at as number));
      if (ledger.length > 0) expect(lastScheduleAt).toBe(newest);
    }
    running = await launch(dataDir);
    while ((await running.mesh.jobs("default")).length < 59) await settled(running.mesh);
    await end(running, "SIGTERM");
    const { ledger = [] } = dump(dataDir) as Rows;
    const minutes = ledger.map(({ first_at }) => Math.floor((first_at as number) / 60_000));
    const least = Math.min(...minutes);
    expect(minutes.sort((a, b) => a - b)).toEqual(minutes.map((_, index) => least + index));
  });

  it("an error that a person can mend is one clear line, and exit code 1", async () => {
    const dataDir = newFolder();
    const first = await launch(dataDir);
    const second = spawn(process.execPath, [MAIN], {
      env: { ...process.env, MESH_DATA_DIR: dataDir, MESH_DEV: "1", MESH_PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    processes.push(second);
    let errors = "";
    second.stderr?.on("data", (chunk) => {
      errors += String(chunk);
    });
    const [code] = await once(second, "exit");
    expect(code).toBe(1);
    expect(errors.trim().split("\n")).toEqual([
      `mesh-server: another server uses the data folder ${dataDir}`,
      "help: stop that server, or give this one a data folder of its own",
    ]);
    expect(await end(first, "SIGTERM")).toBe(0);
  });
});

type Rows = Record<string, Record<string, unknown>[]>;

/** Waits for the controllers by waiting for an event that is not there. */
async function settled(mesh: MeshClient): Promise<void> {
  await mesh.events({ after: 1_000_000, waitSeconds: 1 });
}

async function nonEmptyPoll(mesh: MeshClient) {
  let answer = await mesh.poll({ node: "a" });
  while (answer.tasks.length < 2) {
    answer = await mesh.poll({ node: "a", revision: answer.revision });
  }
  return answer;
}
