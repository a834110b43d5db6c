import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerNode, runNextTask, startTestServer, type TestServer } from "./server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await registerNode(server.client, "n1");
});
afterAll(() => server.stop());

const image = `docker.io/library/busybox@sha256:${"0123456789abcdef".repeat(4)}`;
const apply = async (text: string): Promise<void> => {
  expect(await server.mesh(["apply", "-f", "-"], text)).toMatchObject({ exitCode: 0, err: "" });
};
const job = (name: string, more = "") => `name: ${name}\nimage: ${image}\n${more}`;
const local = /\w{3} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0[12]:00/;

describe("mesh describe job", () => {
  it("[C31-50] one line an attempt with number, node, exit code, times (J4)", async () => {
    await apply(job("flaky", "backoffLimit: 1\n"));
    const first = await runNextTask(server.client, {
      node: "n1",
      exitCode: 3,
      output: "no luck\n",
    });
    const second = await runNextTask(server.client, { node: "n1", exitCode: 0, output: "done\n" });
    const { out, exitCode } = await server.mesh(["describe", "job", "flaky"]);
    expect(exitCode).toBe(0);
    const lines = out.split("\n");
    const [titles = "", ...attempts] = lines.slice(lines.indexOf("Attempts") + 1);
    expect(titles.split(/ {2,}/).filter(Boolean)).toEqual([
      "ATTEMPT",
      "NODE",
      "STATUS",
      "EXIT",
      "REASON",
      "STARTED",
      "FINISHED",
      "TASK",
    ]);
    const cells = attempts.slice(0, 2).map((line) => line.trim().split(/ {2,}/));
    expect(cells).toEqual([
      [
        "1",
        "n1",
        "stopped",
        "3",
        "-",
        expect.stringMatching(local),
        expect.stringMatching(local),
        first,
      ],
      [
        "2",
        "n1",
        "stopped",
        "0",
        "-",
        expect.stringMatching(local),
        expect.stringMatching(local),
        second,
      ],
    ]);
    const printed = lines.indexOf("Output of the last attempt");
    expect(lines[printed + 1]).toBe("  done");
    const happened = lines.slice(lines.indexOf("What happened") + 1);
    expect(happened.length).toBeGreaterThanOrEqual(6);
    expect(happened.at(-1)).toMatch(/^ {2}\w{3} .* \+0[12]:00 {2}Job default\/flaky succeeded/);
    expect(out).toMatch(/^status +succeeded$/m);
    expect(out).toMatch(/^attempts +2\/2$/m);
  });

  it("[C31-50] mesh get tasks lists the attempts of all Jobs, one a line (J4)", async () => {
    const { out } = await server.mesh(["get", "tasks"]);
    const [titles = "", ...rows] = out.split("\n");
    expect(titles).toMatch(/^JOB +ATTEMPT +NODE +STATUS +EXIT +REASON +STARTED +FINISHED +TASK$/);
    const flaky = rows.filter((row) => row.startsWith("flaky "));
    expect(flaky.map((row) => row.split(/ {2,}/).slice(1, 5)).sort()).toEqual([
      ["1", "n1", "stopped", "3"],
      ["2", "n1", "stopped", "0"],
    ]);
  });

  it("mesh logs prints what an attempt printed", async () => {
    expect((await server.mesh(["logs", "job", "flaky"])).out).toBe("done");
    expect((await server.mesh(["logs", "job", "flaky", "--attempt", "1"])).out).toBe("no luck");
    const none = await server.mesh(["logs", "job", "flaky", "--attempt", "3"]);
    expect(none).toMatchObject({ exitCode: 1, err: "error: job/flaky has no attempt 3" });
  });

  it("an earlier Job of the same name has a history of its own, and outlives the newest (J2)", async () => {
    const text = job("twice");
    for (const exitCode of [3, 0]) {
      expect(await server.mesh(["create", "-f", "-"], text)).toMatchObject({ exitCode: 0 });
      await runNextTask(server.client, { node: "n1", exitCode });
    }
    const newest = await server.mesh(["describe", "job", "twice"]);
    expect(newest.out).toContain("Job default/twice succeeded after 1 attempt");
    expect(newest.out).not.toContain("exited with code 3");
    const gone = await server.mesh(["delete", "job", "twice"]);
    expect(gone.out).toMatch(
      /^job\/twice deleted\n {2}an earlier one of this name is still there, created (now|.+ ago)$/,
    );
    const earlier = await server.mesh(["describe", "job", "twice"]);
    expect(earlier.out).toContain("attempt 1 exited with code 3");
    expect(earlier.out).not.toContain("succeeded");
    expect((await server.mesh(["delete", "job", "twice"])).out).toBe("job/twice deleted");
  });

  it("says why a Job failed, and why one waits", async () => {
    await apply(job("hopeless"));
    await runNextTask(server.client, { node: "n1", exitCode: 17 });
    const failed = await server.mesh(["describe", "job", "hopeless"]);
    expect(failed.out).toMatch(/^why +the retry limit is spent$/m);
    expect(failed.out).toMatch(/^last exit +17$/m);
    await apply(job("homeless", "placement: [{key: zone, operator: equals, value: mars}]\n"));
    const waiting = await server.mesh(["describe", "job", "homeless"]);
    expect(waiting.out).toMatch(/^why +no node has taken it yet/m);
    expect((await server.mesh(["cancel", "homeless"])).out).toBe("job/homeless cancelled");
    const late = await server.mesh(["cancel", "hopeless"]);
    expect(late).toMatchObject({ exitCode: 0, out: "job/hopeless had ended before: failed" });
    const ended = await server.mesh(["describe", "job", "homeless"]);
    expect(ended.out).toMatch(/^why +it was cancelled$/m);
  });

  it("shows what a Job prints without obeying it", async () => {
    await apply(job("rude"));
    await runNextTask(server.client, { node: "n1", exitCode: 0, output: "\u001b[2Jgone\u0007" });
    expect((await server.mesh(["logs", "job", "rude"])).out).toBe("␛[2Jgone␇");
  });

  it("what is not there: one line, exit code 1", async () => {
    for (const what of ["job", "cronjob", "module", "node"]) {
      const ran = await server.mesh(["describe", what, "nothing"]);
      expect(ran.exitCode).toBe(1);
      expect(ran.err).toMatch(/^error: there is no \S+ (default\/)?nothing$/);
    }
  });
});

describe("mesh and schedules", () => {
  it("[C31-131] the template's backoffLimit goes through: two attempts at most (R5, J1)", async () => {
    await apply(
      `name: report\nschedule: "0 0 1 1 *"\njobTemplate:\n  image: ${image}\n  backoffLimit: 1\n`,
    );
    const triggered = await server.mesh(["trigger", "report", "--id", "now"]);
    expect(triggered).toMatchObject({
      exitCode: 0,
      out: "cronjob/report triggered: job/report-tnow",
    });
    await runNextTask(server.client, { node: "n1", exitCode: 1 });
    await runNextTask(server.client, { node: "n1", exitCode: 2 });
    const { state } = await server.client.job("default", "report-tnow");
    expect(state.job).toMatchObject({ status: "failed", attempts: 2, lastExitCode: 2 });
    expect(state.job.spec.backoffLimit).toBe(1);
    const { out } = await server.mesh(["get", "jobs"]);
    expect(out).toMatch(/^report-tnow +failed +2\/2 +2 +report /m);
    const runs = await server.mesh(["get", "runs", "--schedule", "report"]);
    expect(runs.out).toMatch(/^cronjob\/report .* failed +2 +trigger:now +- +report-tnow$/m);
  });

  it("names the run that a trigger starts, also where no id is given (D10)", async () => {
    const { out } = await server.mesh(["trigger", "report"]);
    const [, name = ""] = /^cronjob\/report triggered: job\/(report-t[0-9a-f]{8})$/.exec(out) ?? [];
    expect((await server.client.job("default", name)).origin?.scheduleName).toBe("report");
    expect((await server.mesh(["cancel", name])).out).toBe(`job/${name} cancelled`);
  });

  it("suspends and resumes, and says so in the list", async () => {
    expect((await server.mesh(["suspend", "report"])).out).toBe("cronjob/report suspended");
    expect((await server.mesh(["get", "cronjobs"])).out).toMatch(
      /^report +0 0 1 1 \* +UTC +Allow +suspended/m,
    );
    const resumed = await server.mesh(["resume", "report"]);
    expect(resumed.out).toMatch(/^cronjob\/report resumed; next \d{4}-01-01T00:00:00Z$/);
  });

  it("[C31-136] lists the next occurrence in UTC and local time with its offset (C8)", async () => {
    const { out } = await server.mesh(["get", "cronjobs"]);
    expect(out).toMatch(/ NEXT \(UTC\) +NEXT \(Europe\/Belgrade\)$/m);
    expect(out).toMatch(/\d{4}-01-01T00:00:00Z {2}\w{3} \d{4}-01-01 01:00:00 \+01:00$/m);
    const described = await server.mesh(["describe", "cronjob", "report"]);
    expect(described.out).toMatch(/^ {2}\d{4}-01-01T00:00:00Z {2}\w{3} .* 01:00:00 \+01:00$/m);
    // No wall clock stands anywhere without Z or an offset behind it.
    for (const [, after] of described.out.matchAll(/\d\d:\d\d:\d\d(.{0,8})/g)) {
      expect(after).toMatch(/^(Z| [+-]\d\d:\d\d)/);
    }
  });

  it("why says that nothing has been decided yet, as nothing has come due", async () => {
    const { out } = await server.mesh(["why", "report"]);
    expect(out.split("\n")).toEqual([
      expect.stringMatching(
        /^cronjob\/report has decided nothing yet: nothing has come due; its next occurrence is \d{4}-01-01T00:00:00Z$/,
      ),
      "  what was triggered was not decided by the schedule: mesh get runs --schedule report",
    ]);
    const none = await server.mesh(["why", "nothing"]);
    expect(none).toMatchObject({ exitCode: 1, err: "error: there is no CronJob default/nothing" });
  });
});

describe("mesh and nodes", () => {
  it("assigns a module, tells the node's state, takes it off again", async () => {
    await apply(
      `module: kometa\nversion: 1\nresources:\n  - {type: container, name: web, image: "${image}"}\n`,
    );
    const assigned = await server.mesh(["assign", "kometa", "--node", "n1"]);
    expect(assigned.out).toBe("module/kometa assigned to n1");
    const nodes = await server.mesh(["get", "nodes"]);
    expect(nodes.out).toMatch(/^n1 +yes +no \(0 of \d+\) +simulated 1 /m);
    const module = await server.mesh(["describe", "module", "kometa"]);
    expect(module.out).toMatch(/^ {2}container +web +service$/m);
    expect(module.out).toMatch(/^ {2}n1 +no \(0 of \d+\)/m);
    const node = await server.mesh(["describe", "node", "n1"]);
    expect(node.out).toMatch(/^modules +kometa$/m);
    const off = await server.mesh(["unassign", "kometa", "--node", "n1"]);
    expect(off.out).toBe("module/kometa taken off n1");
  });

  it("lists events in order, each with its offset", async () => {
    const { out } = await server.mesh(["get", "events"]);
    const [titles, ...rows] = out.split("\n");
    expect(titles).toMatch(/^TIME +SUBJECT +WHAT$/);
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect(row).toMatch(local);
  });

  it("gives every list as data with -o json", async () => {
    for (const what of ["jobs", "cronjobs", "modules", "nodes", "tasks", "runs", "events"]) {
      const { out, exitCode } = await server.mesh(["get", what, "-o", "json"]);
      expect(exitCode).toBe(0);
      expect(Array.isArray(JSON.parse(out))).toBe(true);
    }
    const one = await server.mesh(["describe", "job", "flaky", "-o", "json"]);
    expect(JSON.parse(one.out)).toMatchObject({ state: { job: { status: "succeeded" } } });
  });
});

describe("mesh secret", () => {
  it("sets, lists and deletes; no value is ever printed (S6)", async () => {
    const set = await server.mesh(
      ["secret", "set", "token", "--from-file", "value=-", "--from-literal", "user=anna"],
      "hush",
    );
    expect(set).toMatchObject({ exitCode: 0, out: "secret/token set: user, value" });
    const { out } = await server.mesh(["secret", "list"]);
    expect(out).toMatch(/^token +user +/m);
    expect(out).toMatch(/^token +value +/m);
    expect(out).not.toContain("hush");
    expect((await server.mesh(["secret", "delete", "token"])).out).toBe("secret/token deleted");
    expect((await server.mesh(["secret", "list"])).out).toBe("no secrets in namespace default");
  });

  it("refuses a pair without a key, and does not repeat what may be a secret", async () => {
    const ran = await server.mesh(["secret", "set", "token", "--from-literal", "hush"]);
    expect(ran.exitCode).toBe(2);
    expect(ran.err).not.toContain("hush");
    expect((await server.mesh(["secret", "set", "token"])).exitCode).toBe(2);
  });
});
