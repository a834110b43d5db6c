import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "./server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const image = `docker.io/library/busybox@sha256:${"0123456789abcdef".repeat(4)}`;
const job = (name: string, more = "") => `name: ${name}\nimage: ${image}\n${more}`;
const cronJob = (name: string, more = "", template = "") =>
  `name: ${name}\nschedule: "0 9 * * *"\n${more}jobTemplate:\n  image: ${image}\n${template}`;
const module = (name: string, schedule = "0 3 * * *") => `module: ${name}
version: 1
resources:
  - type: container
    name: ${name}-sync
    image: ${image}
    schedule: "${schedule}"
`;
const file = (name: string, text: string): string => {
  writeFileSync(join(server.folder, name), text);
  return name;
};
const apply = (text: string, ...more: string[]) => server.mesh(["apply", "-f", "-", ...more], text);

describe("mesh apply", () => {
  it("stores a Job, a CronJob and a module of one file; the same again changes nothing (S6)", async () => {
    const all = [job("one"), cronJob("two"), module("three")].join("---\n");
    const path = file("all.yaml", all);
    const first = await server.mesh(["apply", "-f", path]);
    expect(first).toMatchObject({ exitCode: 0, err: "" });
    expect(first.out.split("\n")).toEqual([
      "job/one created",
      "cronjob/two created",
      "module/three created",
      "  no node has it yet; put it on one: mesh assign three --node NODE",
    ]);
    const again = await server.mesh(["apply", "-f", path]);
    expect(again.out.match(/unchanged/g)).toHaveLength(3);
  });

  it("[C31-17] a Job's own retry limit goes through to the stored Job (J1, R5)", async () => {
    const ran = await apply(job("limited", "backoffLimit: 2\n"));
    expect(ran.exitCode).toBe(0);
    const { state } = await server.client.job("default", "limited");
    expect(state.job.spec.backoffLimit).toBe(2);
    expect((await server.mesh(["get", "jobs"])).out).toMatch(/^limited +pending +1\/3 /m);
  });

  it("[C31-127] the CronJob of chapter 31 is stored as it stands (R5)", async () => {
    const path = join(import.meta.dirname, "cases/seed-cronjob.yaml");
    const ran = await server.mesh(["apply", "-f", path]);
    expect(ran).toMatchObject({ exitCode: 0, out: "cronjob/atlas-report-schedule created" });
    const warned = [...ran.err.matchAll(/^warning\[([^\]]+)\]/gm)].map((match) => match[1]);
    expect(warned.sort()).toEqual(["image.not-pinned", "quantity.memory-below-6Mi"]);
    const { schedule, jobTemplate } = await server.client.cronJob(
      "default",
      "atlas-report-schedule",
    );
    expect(schedule.spec).toMatchObject({ concurrencyPolicy: "Forbid", timezone: "UTC" });
    expect(jobTemplate.command?.[2]).toBe(String.raw`printf 'atlas report\n'`);
  });

  it("[C31-130] missedScheduleLimit goes through to the stored schedule (D1, R5)", async () => {
    const ran = await apply(cronJob("late", "missedScheduleLimit: 2\n"));
    expect(ran.exitCode).toBe(0);
    const { schedule } = await server.client.cronJob("default", "late");
    expect(schedule.spec.missedScheduleLimit).toBe(2);
  });

  it("updates a CronJob, and refuses other content of a Job unless asked to replace (S6)", async () => {
    await apply(cronJob("edited"));
    const edited = await apply(cronJob("edited", "concurrencyPolicy: Forbid\n"));
    expect(edited.out).toBe("cronjob/edited updated");
    await apply(job("fixed"));
    const other = await apply(job("fixed", "backoffLimit: 1\n"));
    expect(other.exitCode).toBe(1);
    expect(other.err).toMatch(/^error: /);
    const { state } = await server.client.job("default", "fixed");
    expect(state.job.spec.backoffLimit).toBe(0);
  });

  it("shows a warning as a code frame and goes on (R4)", async () => {
    const ran = await apply("name: tagged\nimage: busybox:1.36\n");
    expect(ran).toMatchObject({ exitCode: 0, out: "job/tagged created" });
    expect(ran.err).toContain("warning[image.not-pinned]");
    expect(ran.err).toContain("--> <stdin>:2:8");
  });

  it("gives the outcomes as data with -o json", async () => {
    const ran = await apply(job("data"), "-o", "json");
    expect(JSON.parse(ran.out)).toEqual([{ name: "job/data", outcome: "created" }]);
  });
});

describe("mesh apply: what is wrong is refused, and nothing is stored", () => {
  it("[C31-133] unknown fields: place, nearest name, exit code 2, nothing stored (R4, S5)", async () => {
    const path = file("bad.yaml", cronJob("nothing", "missedschedulelimit: 2\n", "  retries: 1\n"));
    const ran = await server.mesh(["apply", "-f", path]);
    expect(ran).toMatchObject({ exitCode: 2, out: "" });
    expect(ran.err).toContain("--> bad.yaml:3:1 at /missedschedulelimit");
    expect(ran.err).toContain("help: write missedScheduleLimit");
    expect(ran.err).toContain("--> bad.yaml:6:3 at /jobTemplate/retries");
    expect(ran.err).toContain("error: 2 faults to mend; nothing was sent");
    await expect(server.client.cronJob("default", "nothing")).rejects.toMatchObject({
      status: 404,
    });
  });

  it("a fault in the last document of the last file leaves the first ones unsent", async () => {
    const good = file("good.yaml", job("unsent"));
    const bad = file("last.yaml", [job("unsent-too"), job("UPPER")].join("---\n"));
    const ran = await server.mesh(["apply", "-f", good, "-f", bad]);
    expect(ran.exitCode).toBe(2);
    const names = (await server.client.jobs("default")).map(({ state }) => state.job.spec.name);
    expect(names.filter((name) => name.startsWith("unsent"))).toEqual([]);
  });

  it.each([
    ["0 24 * * *", "cron.range"],
    ["@daily", "cron.macro"],
    ["0 0 3 * * *", "cron.fields"],
  ])(
    "[A53-56] schedule %j: %s, 4xx, and the old manifest stays (R2, S5)",
    async (schedule, code) => {
      await apply(module("kometa"));
      const typed = await apply(module("kometa", schedule));
      expect(typed.exitCode).toBe(2);
      expect(typed.err).toContain(`error[${code}]`);
      expect(typed.err).toContain("at /resources/0/schedule");
      const { manifest } = await server.client.module("kometa");
      const [container] = manifest.resources;
      const changed = { ...manifest, resources: [{ ...container, schedule }] };
      const sent = server.client.applyModule(changed as typeof manifest);
      await expect(sent).rejects.toMatchObject({ status: 400, error: { code } });
      expect((await server.client.module("kometa")).manifest).toEqual(manifest);
    },
  );

  it("a namespace that does not exist: exit code 1, and how to create it", async () => {
    const ran = await apply(job("nowhere"), "--namespace", "team-a");
    expect(ran.exitCode).toBe(1);
    expect(ran.err).toContain("team-a");
    expect(await server.mesh(["namespace", "create", "team-a"])).toMatchObject({
      exitCode: 0,
      out: "namespace/team-a is there",
    });
    expect((await apply(job("nowhere"), "-n", "team-a")).exitCode).toBe(0);
    expect((await server.mesh(["namespace", "list"])).out).toContain("team-a");
    expect((await server.mesh(["get", "jobs", "-n", "team-a"])).out).toContain("nowhere");
    expect((await server.mesh(["get", "jobs"])).out).not.toContain("nowhere");
  });
});

describe("-f, with what a shell makes of a pattern", () => {
  it("takes several files after one -f, and says how where there is none", async () => {
    const names = ["glob-1.yaml", "glob-2.yaml", "glob-3.yaml"];
    for (const [index, name] of names.entries()) file(name, job(`glob-${index}`));
    const applied = await server.mesh(["apply", "-f", ...names]);
    expect(applied.out.split("\n")).toEqual([0, 1, 2].map((n) => `job/glob-${n} created`));
    const gone = await server.mesh(["delete", "-f", ...names]);
    expect(gone.out.split("\n")).toEqual([0, 1, 2].map((n) => `job/glob-${n} deleted`));
    const bare = await server.mesh(["apply", ...names]);
    expect(bare.exitCode).toBe(2);
    expect(bare.err).toContain(`help: mesh apply -f ${names.join(" ")}`);
  });

  it("names a pattern for a folder, in the form that any command takes", async () => {
    for (const argv of [
      ["apply", "-f", "./"],
      ["validate", "./"],
    ]) {
      const ran = await server.mesh(argv);
      expect(ran.exitCode).toBe(2);
      expect(ran.err.split("\n")).toEqual([
        "error: ./ is a folder",
        "help: name its files: ./*.yaml",
      ]);
    }
  });
});

describe("mesh create", () => {
  it("refuses a name that an active Job has, and a module (J2)", async () => {
    const text = job("twice");
    expect((await server.mesh(["create", "-f", "-"], text)).out).toBe("job/twice created");
    const again = await server.mesh(["create", "-f", "-"], text);
    expect(again.exitCode).toBe(1);
    expect(again.err.split("\n")).toEqual([
      "error: job/twice: an active Job of this namespace has this name",
      "help: choose another name, or wait until that Job has ended",
    ]);
    const refused = await server.mesh(["create", "-f", "-"], module("three"));
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain("help: use mesh apply -f");
  });
});

describe("mesh delete", () => {
  it("takes names or a file; what is not there is an error", async () => {
    await apply([job("gone-a"), job("gone-b"), cronJob("gone-c"), module("gone-d")].join("---\n"));
    const names = await server.mesh(["delete", "job", "gone-a", "gone-b"]);
    expect(names.out.split("\n")).toEqual(["job/gone-a deleted", "job/gone-b deleted"]);
    const path = file("gone.yaml", [cronJob("gone-c"), module("gone-d")].join("---\n"));
    const listed = await server.mesh(["delete", "-f", path]);
    expect(listed.out.split("\n")).toEqual(["cronjob/gone-c deleted", "module/gone-d deleted"]);
    const missing = await server.mesh(["delete", "cronjob", "gone-c"]);
    expect(missing).toMatchObject({ exitCode: 1, out: "" });
    expect(missing.err).toBe("error: there is no CronJob default/gone-c");
  });
});
