import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type DevProcess, processesIn, spawnDev } from "../test/dev-process.ts";
import { mesh, temporaryFolder } from "../test/mesh.ts";

const temporary = temporaryFolder();
const root = realpathSync(temporary.path);
afterAll(temporary.remove);

const socketPath = process.env.MESH_TEST_DOCKER_SOCKET;
const image = process.env.MESH_TEST_IMAGE;

/** The lines with everything that differs from run to run replaced. */
function shapeOf(lines: readonly string[]): readonly string[] {
  return lines.map((line) =>
    line
      .replace(/= \w{3} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d \S+,/g, "= LOCAL,")
      .replace(/\d\d:\d\d:\d\d [+-]\d\d:\d\d/g, "TIME")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z/g, "INSTANT")
      .replace(/-\d{12}\b/g, "-MINUTE")
      .replace(/\bin (1m|\d+s)\b|(?<=, )now\b/, "in SOON")
      .replace(/\bnpx mesh\b/, "mesh"),
  );
}

/** What the README shows of `npm start`, but for the lines about this machine. */
function shownInReadme(): readonly string[] {
  const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8");
  const block = /```text\n(mesh dev:[\s\S]*?)\n```/.exec(readme)?.[1] ?? "";
  const machine = /^ {2}(server|node|clock) /;
  return shapeOf(block.split("\n").filter((line) => line !== "" && !machine.test(line)));
}

async function untilTheScheduleHasFired(one: DevProcess): Promise<void> {
  await one.line(/hello-1 succeeded/);
  await one.line(/Job default\/atlas-report-schedule-\d{12} succeeded/, 90);
  await one.line(/Container greeter-visits .* succeeded/, 90);
  await one.line(/│ visit 1, due at/, 10);
}

/** Containers that the node of `folder` has left, running or not, by the label of its host. */
function containersOf(folder: string): Promise<readonly unknown[]> {
  const identity = `dev\n${join(folder, ".mesh/agent")}`;
  const host = createHash("sha256").update(identity).digest("hex").slice(0, 16);
  const filters = encodeURIComponent(JSON.stringify({ label: [`mesh.host=${host}`] }));
  return new Promise((resolve, reject) => {
    const path = `/containers/json?all=1&filters=${filters}`;
    request({ socketPath, path }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve(JSON.parse(text)));
    })
      .on("error", reject)
      .end();
  });
}

describe("the first minutes of mesh dev", () => {
  it("on raw-exec: a Job, then the schedule and the module's container, as the README shows", async () => {
    const folder = join(root, "raw-exec");
    mkdirSync(folder);
    const one = spawnDev(folder, ["--engine", "raw-exec", "--port", "0"]);
    await untilTheScheduleHasFired(one);
    one.kill("SIGINT");
    expect(await one.ended).toEqual({ code: 0, err: "" });
    expect(shapeOf(one.lines)).toEqual(expect.arrayContaining([...shownInReadme()]));
    const visits = readFileSync(join(folder, ".mesh/host/var/lib/mesh/greeter/visits.log"), "utf8");
    expect(visits).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z\n/);
    expect(processesIn(folder)).toEqual([]);
  });

  it.skipIf(socketPath === undefined || image === undefined)(
    "on a Docker Engine: the same lines, and no container is left",
    async () => {
      const folder = join(root, "docker");
      mkdirSync(folder);
      const argv = ["--port", "0", "--image", image ?? ""];
      const one = spawnDev(folder, argv, { DOCKER_HOST: `unix://${socketPath}` });
      await untilTheScheduleHasFired(one);
      expect(one.lines.join("\n")).toMatch(/^ {2}node +dev, on docker \S+ \(.*docker\.sock\)$/m);
      // Something that is there to be found, and to be left.
      const url = /http\S+/.exec(await one.line(/^ {2}server /))?.[0] ?? "";
      const stdin = `name: endless\nimage: ${image}\ncommand: ["sleep", "600"]\n`;
      await mesh(["apply", "-f", "-", "--server", url], { stdin });
      await one.line(/Job default\/endless: attempt 1 runs/);
      expect((await containersOf(folder)).length).toBeGreaterThan(0);
      one.kill("SIGINT");
      expect(await one.ended).toEqual({ code: 0, err: "" });
      expect(shapeOf(one.lines)).toEqual(expect.arrayContaining([...shownInReadme()]));
      expect(await containersOf(folder)).toEqual([]);
    },
  );

  it.skipIf(socketPath === undefined)(
    "where the image cannot be had: plain processes, and why",
    async () => {
      const folder = join(root, "no-image");
      mkdirSync(folder);
      const nowhere = `127.0.0.1:9/none/busybox@sha256:${"0123456789abcdef".repeat(4)}`;
      const environment = { DOCKER_HOST: `unix://${socketPath}` };
      const one = spawnDev(folder, ["--port", "0", "--image", nowhere], environment);
      await one.line(/hello-1 succeeded/, 90);
      expect(one.lines).toContain("  node    dev, on raw-exec (plain processes)");
      expect(one.lines.join("\n")).toMatch(/Without containers: docker \S+ answers, but not with/);
      one.kill("SIGTERM");
      expect((await one.ended).code).toBe(0);

      const strict = ["--port", "0", "--image", nowhere, "--engine", "docker"];
      const refused = await spawnDev(folder, strict, environment).ended;
      expect(refused.code).toBe(1);
      expect(refused.err).toMatch(/^error: docker has no image .*\nhelp: name one that it has/);
    },
  );
});
