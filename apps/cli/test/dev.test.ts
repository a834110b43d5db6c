import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createClient } from "@mesh/protocol";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type DevProcess, processesIn, spawnDev } from "./dev-process.ts";
import { mesh, temporaryFolder } from "./mesh.ts";

const temporary = temporaryFolder();
const root = realpathSync(temporary.path);
const started: DevProcess[] = [];

const dev = (folder: string, ...argv: string[]): DevProcess => {
  mkdirSync(join(root, folder), { recursive: true });
  const one = spawnDev(join(root, folder), ["--engine", "raw-exec", "--port", "0", ...argv]);
  started.push(one);
  return one;
};

/** The address that the start has told. */
const urlOf = async (one: DevProcess): Promise<string> =>
  /http:\/\/\S+/.exec(await one.line(/^ {2}server +http/))?.[0] ?? "";

afterEach(async () => {
  for (const one of started.splice(0)) {
    one.kill("SIGKILL");
    await one.ended;
  }
});
afterAll(temporary.remove);

describe("mesh dev", { timeout: 60_000 }, () => {
  it("runs a Job at once, tells it line by line, and leaves nothing after Ctrl-C", async () => {
    const one = dev("first");
    await one.line(/succeeded after 1 attempt$/);
    const url = await urlOf(one);
    await one.line(/Ctrl-C stops everything/);
    const told = one.lines.map((line) => line.replace(/\d\d:\d\d:\d\d \+0[12]:00/, "TIME"));
    expect(told).toEqual(
      expect.arrayContaining([
        "mesh dev: a server and a node in this process, all kept in ./.mesh",
        "  Without containers: as asked with --engine raw-exec.",
        "module/greeter created: a scheduled container on node dev",
        "cronjob/atlas-report-schedule created: a Job each minute, unless one is active",
        "job/hello-1 created: it counts its input, prints a line and ends",
        "TIME Job default/hello-1: attempt 1 runs on node dev",
        "TIME Job default/hello-1: attempt 1 exited with code 0",
        "                │ attempt 1 of hello-1 counted 1000 lines",
        "TIME Job default/hello-1 succeeded after 1 attempt",
        `  export MESH_SERVER=${url}`,
        "  mesh describe job hello-1",
      ]),
    );

    // Something that would go on for long, to see that it does not.
    const stdin =
      'name: endless\nimage: busybox:1.36\ncommand: ["sh", "-c", "sleep 600 & sleep 600"]\n';
    expect((await mesh(["apply", "-f", "-", "--server", url], { stdin })).exitCode).toBe(0);
    await one.line(/Job default\/endless: attempt 1 runs on node dev$/);
    expect(processesIn(join(root, "first")).length).toBeGreaterThan(1);
    one.kill("SIGINT");
    const closing = await one.line(/^Stopped: /);
    const closedAt = performance.now();
    expect(await one.ended).toEqual({ code: 0, err: "" });
    expect(performance.now() - closedAt).toBeLessThan(1500);
    expect(one.lines.at(-1)).toBe(closing);
    expect(closing).toBe(
      "Stopped: the node's work, the node and the server. ./.mesh keeps the state.",
    );
    expect(processesIn(root)).toEqual([]);
    expect((await mesh(["get", "nodes", "--server", url])).exitCode).toBe(1);
  });

  it("[C31-136] prints every time of day with its offset (C8)", async () => {
    const one = dev("times");
    await one.line(/Ctrl-C stops everything/);
    const next = await one.line(/^ {2}next at /);
    expect(next).toMatch(
      /next at \d{4}-\d\d-\d\dT\d\d:\d\d:00Z = \w{3} [\d-]{10} \d\d:\d\d:00 \+0[12]:00 Europe\/Belgrade/,
    );
    for (const [, after] of one.lines.join("\n").matchAll(/\d\d:\d\d:\d\d(.{0,7})/g)) {
      expect(after).toMatch(/^(Z| \+0[12]:00)/);
    }
  });

  it("starts again in the same folder: nothing is applied twice, a new Job runs", async () => {
    const first = dev("again");
    await first.line(/hello-1 succeeded/);
    first.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    const second = dev("again");
    await second.line(/hello-2 succeeded/);
    expect(second.lines).toEqual(
      expect.arrayContaining([
        "module/greeter unchanged: a scheduled container on node dev",
        "cronjob/atlas-report-schedule unchanged: a Job each minute, unless one is active",
      ]),
    );
    const { out } = await mesh(["get", "jobs", "--server", await urlOf(second)]);
    expect(out).toMatch(/^hello-1 +succeeded/m);
    expect(out).toMatch(/^hello-2 +succeeded/m);
  });

  it("puts the example back when it was edited, and says so", async () => {
    const first = dev("edited");
    const url = await urlOf(first);
    await first.line(/hello-1 succeeded/);
    const { jobTemplate } = await createClient({ baseUrl: url, fetch }).cronJob(
      "default",
      "atlas-report-schedule",
    );
    const edited = { name: "atlas-report-schedule", schedule: "*/2 * * * *", jobTemplate };
    const applied = await mesh(["apply", "-f", "-", "--server", url], {
      stdin: JSON.stringify(edited),
    });
    expect(applied.out).toBe("cronjob/atlas-report-schedule updated");
    first.kill("SIGTERM");
    await first.ended;
    await dev("edited").line(
      /^cronjob\/atlas-report-schedule put back as the example has it: a Job each minute/,
    );
  });

  it("a folder has one mesh dev: the second says which one, exit code 1", async () => {
    const first = dev("one");
    const url = await urlOf(first);
    const second = dev("one");
    const { code, err } = await second.ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^error: another mesh dev runs in this folder \(process \d+, http/);
    expect(err).toContain(url);
    expect(second.lines).toEqual([]);
    expect((await mesh(["get", "nodes", "--server", url])).exitCode).toBe(0);
  });

  it("a port in use: one clear line, one that helps, exit code 1", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const one = dev("port", "--port", String(port));
    expect(await one.ended).toEqual({
      code: 1,
      err:
        `error: port ${port} is in use by another program\n` +
        "help: try mesh dev --port 7373 (npm start -- --port 7373 in a clone)\n",
    });
    other.close();
  });

  it("a folder that cannot hold .mesh: one clear line, exit code 1", async () => {
    mkdirSync(join(root, "blocked"));
    writeFileSync(join(root, "blocked", ".mesh"), "not a folder");
    const one = dev("blocked");
    const { code, err } = await one.ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^error: cannot write to .*\/\.mesh: .*\nhelp: run mesh dev in a folder/);
    expect(one.lines).toEqual([]);
  });

  it("an image that is none, or not pinned: exit code 2, and nothing stays up", async () => {
    const one = dev("image", "--image", "busybox:1.36");
    const { code, err } = await one.ended;
    expect(code).toBe(2);
    expect(err).toMatch(/^error: --image: /);
    expect(processesIn(join(root, "image"))).toEqual([]);
  });

  it("stops what has come up so far when the signal comes early", async () => {
    const one = dev("early");
    await one.line(/^mesh dev: /);
    one.kill("SIGINT");
    expect(await one.ended).toEqual({ code: 0, err: "" });
    expect(processesIn(join(root, "early"))).toEqual([]);
  });
});

describe("mesh dev: usage", () => {
  it("refuses a port and an engine that are none", async () => {
    expect((await mesh(["dev", "--port", "70000"])).exitCode).toBe(2);
    expect((await mesh(["dev", "--engine", "rkt"])).exitCode).toBe(2);
  });
});
