import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { mesh, temporaryFolder } from "./mesh.ts";

const folder = temporaryFolder();
afterAll(folder.remove);
const cases = join(import.meta.dirname, "cases");

const file = (name: string, text: string): string => {
  writeFileSync(join(folder.path, name), text);
  return name;
};
const validate = (...argv: string[]) =>
  mesh(["validate", ...argv], { workingDirectory: folder.path });

const image = `docker.io/library/busybox@sha256:${"0123456789abcdef".repeat(4)}`;
const good = `name: report
image: ${image}
command: ["sh", "-c", "echo hi"]
`;

describe("mesh validate", () => {
  it("[C31-127] takes the CronJob manifest of chapter 31 as it stands (R5)", async () => {
    const path = join(cases, "seed-cronjob.yaml");
    const ran = await validate(path);
    expect(ran.exitCode).toBe(0);
    expect(ran.out).toBe(`ok ${path}: cronjob/atlas-report-schedule`);
    const codes = [...ran.err.matchAll(/^(\w+\[[^\]]+\])/gm)].map((match) => match[1]);
    expect(codes.sort()).toEqual([
      "warning[image.not-pinned]",
      "warning[quantity.memory-below-6Mi]",
    ]);
    expect((await validate("--strict", path)).exitCode).toBe(2);
  });

  it("[C31-133] refuses unknown fields with place and nearest name (R4)", async () => {
    const path = file(
      "typo.yaml",
      `name: report
schedule: "* * * * *"
missedschedulelimit: 2
jobTemplate:
  image: ${image}
  retries: 1
`,
    );
    const ran = await validate(path);
    expect(ran.exitCode).toBe(2);
    expect(ran.out).toBe("");
    expect(ran.err).toContain("error[shape.unknown-key]");
    expect(ran.err).toContain("--> typo.yaml:3:1");
    expect(ran.err).toContain("missedScheduleLimit");
    expect(ran.err).toContain("--> typo.yaml:6:3");
    expect(ran.err).toContain("error: 2 faults to mend");
  });

  it.each([
    ["0 24 * * *", "cron.range"],
    ["@daily", "cron.macro"],
    ["0 0 3 * * *", "cron.fields"],
  ])("[A53-56] a schedule %j: %s at its place (R2)", async (schedule, code) => {
    const path = file(
      "module.yaml",
      `module: kometa
version: 1
resources:
  - type: container
    name: kometa-sync
    image: ${image}
    schedule: "${schedule}"
`,
    );
    const ran = await validate(path);
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain(`error[${code}]`);
    expect(ran.err).toMatch(/--> module\.yaml:7:\d+ at \/resources\/0\/schedule/);
  });

  it("reads several files and several documents, and says what each holds", async () => {
    const two = file("two.yaml", `${good}---\n${good.replace("name: report", "name: other")}`);
    const ran = await validate(two, join(cases, "service.yaml"));
    expect(ran.exitCode).toBe(0);
    expect(ran.out.split("\n")).toEqual([
      "ok two.yaml: job/report",
      "ok two.yaml: job/other",
      `ok ${join(cases, "service.yaml")}: module/kometa`,
    ]);
  });

  it("reads standard input as -", async () => {
    const ran = await mesh(["validate", "-"], { stdin: good });
    expect(ran).toMatchObject({ exitCode: 0, out: "ok <stdin>: job/report" });
    const bad = await mesh(["validate", "-"], { stdin: "name: [" });
    expect(bad.exitCode).toBe(2);
    expect(bad.err).toContain("--> <stdin>:");
  });

  it("shows the faults of every file in one go", async () => {
    const ran = await validate(
      file("a.yaml", "name: A\nimage: x\n"),
      file("b.yaml", "module: kometa\nversion: 2\nresources: []\n"),
    );
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain("a.yaml:1:7");
    expect(ran.err).toContain("b.yaml:2:10");
  });

  it("gives diagnostics as data with -o json, good or bad", async () => {
    const path = file("bad.yaml", `${good}retries: 1\n`);
    const ran = await validate(path, "-o", "json");
    expect(ran.exitCode).toBe(2);
    expect(JSON.parse(ran.out)).toMatchObject([
      { file: "bad.yaml", manifests: [], diagnostics: [{ code: "shape.unknown-key" }] },
    ]);
    expect(JSON.parse(ran.err).error.diagnostics).toHaveLength(1);
  });

  it("a file that is not there, and a folder: exit code 2 and one line", async () => {
    const missing = await validate("none.yaml");
    expect(missing).toMatchObject({ exitCode: 2, err: "error: none.yaml: there is no such file" });
    const dir = await validate(".");
    expect(dir.exitCode).toBe(2);
    expect(dir.err).toContain("error: . is a folder");
  });

  it("an empty file is a fault, not a success", async () => {
    const ran = await validate(file("empty.yaml", ""));
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain("error[yaml.empty]");
  });
});
