import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mesh } from "./mesh.ts";

const examples = join(import.meta.dirname, "../../../docs/examples");
const stdin = (policy: string) => `name: report
schedule: "* * * * *"
concurrencyPolicy: ${policy}
jobTemplate:
  image: docker.io/library/busybox@sha256:${"0123456789abcdef".repeat(4)}
`;
const ask = ["simulate", "-", "--from", "2026-10-13T12:00:00Z", "--through", "3m"];

describe("mesh simulate", () => {
  it("shows starts, ends and skips with their reasons (D7, D9)", async () => {
    const ran = await mesh([...ask, "--run-time", "90s"], { stdin: stdin("Skip") });
    expect(ran).toMatchObject({ exitCode: 0, err: "" });
    expect(ran.out.split("\n")).toEqual([
      "report  * * * * *  UTC  Skip",
      "  UTC                   WHAT                        WHY",
      "  2026-10-13T12:01:00Z  report-202610131201 starts  it is due",
      "  2026-10-13T12:02:00Z  skip 2026-10-13T12:02:00Z   a run of this schedule is active",
      "  2026-10-13T12:02:30Z  report-202610131201 ends    -",
      "  2026-10-13T12:03:00Z  report-202610131203 starts  it is due",
    ]);
  });

  it("lets runs overlap under Allow (D4)", async () => {
    const { out } = await mesh([...ask, "--run-time", "90s"], { stdin: stdin("Allow") });
    expect(out.match(/ starts /g)).toHaveLength(3);
  });

  it("reads the schedules of a module's containers as the host does (A4)", async () => {
    const file = join(examples, "module.yaml");
    const { out } = await mesh(["simulate", file, "--through", "2m", "--run-time", "90s"]);
    expect(out).toContain("greeter-visits  * * * * *  UTC  Skip");
    expect(out).toContain("skip 2026-10-13T12:02:00Z");
  });

  it("takes a container whose name is too long for a schedule's, as the host does (D10)", async () => {
    const name = "a-container-with-the-longest-name-that-anybody-would-write";
    const text = `module: kometa
version: 1
resources:
  - type: container
    name: ${name}
    image: docker.io/library/busybox@sha256:${"0123456789abcdef".repeat(4)}
    schedule: "* * * * *"
`;
    const ran = await mesh(ask, { stdin: text });
    expect(ran).toMatchObject({ exitCode: 0, err: "" });
    expect(ran.out).toMatch(/a-container-with-the-longest-[0-9a-f]{10}-202610131201 starts/);
  });

  it("prints the schedule's own zone with its offset beside UTC (C8)", async () => {
    const file = join(examples, "cronjob-nightly.yaml");
    const { out } = await mesh(["simulate", file, "--through", "30d", "--limit", "60"]);
    expect(out).toContain("2026-10-25T00:30:00Z  Sun 2026-10-25 02:30:00 +02:00");
    expect(out).toContain("2026-10-26T01:30:00Z  Mon 2026-10-26 02:30:00 +01:00");
  });

  it.each([
    [["--run-time", "90"], '--run-time: "90" is no length of time'],
    [["--through", "900d"], '--through: "900d" is no length of time'],
    [["--through", "0s"], '--through: "0s" is no length of time'],
  ])("refuses %j with exit code 2", async (options, text) => {
    const ran = await mesh([...ask, ...options], { stdin: stdin("Allow") });
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain(text);
  });

  it("says how far it looked when nothing comes due, or that the schedule is suspended", async () => {
    const file = join(examples, "cronjob-nightly.yaml");
    const short = await mesh(["simulate", file, "--through", "2h"]);
    expect(short.out.split("\n")[1]).toBe(
      "  nothing comes due through 2026-10-13T14:00:30Z; look further with --through, up to 366d",
    );
    const suspended = await mesh(ask, { stdin: `${stdin("Skip")}suspended: true\n` });
    expect(suspended.out.split("\n")[1]).toBe("  nothing comes due: the schedule is suspended");
  });

  it("says when a file holds no schedule", async () => {
    const ran = await mesh(["simulate", join(examples, "job.yaml")]);
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain("holds no schedule");
  });
});
