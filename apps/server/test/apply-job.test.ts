import { describe, expect, it } from "vitest";
import { IMAGE, onlyTask, refusalOf, withHost } from "./harness.ts";

const report = { kind: "Job", name: "atlas-report", image: IMAGE } as const;

describe("applying a Job (S6)", () => {
  it("the same content changes nothing, active or ended, in whatever order it is written", async () => {
    const { mesh, host, settle } = await withHost();
    const spec = { ...report, resources: { cpu: "1" } };
    expect((await mesh.applyJob("default", spec)).outcome).toBe("created");
    await settle();
    const same = { resources: { cpu: "1" }, image: IMAGE, name: "atlas-report", kind: "Job" };
    expect((await mesh.applyJob("default", same as typeof spec)).outcome).toBe("unchanged");
    await host.report(await onlyTask(host), { status: "stopped", exitCode: 0 });
    const ended = await mesh.job("default", "atlas-report");
    expect((await mesh.applyJob("default", spec)).outcome).toBe("unchanged");
    expect(await mesh.job("default", "atlas-report")).toEqual(ended);
  });

  it("other content is refused, and replaces an ended Job only when asked to", async () => {
    const { mesh, host, settle } = await withHost();
    await mesh.applyJob("default", report);
    const other = { ...report, command: ["true"] };
    const active = await refusalOf(mesh.applyJob("default", other, { replace: true }));
    expect([active.status, active.error.code]).toEqual([409, "job.active"]);
    await settle();
    await host.report(await onlyTask(host), { status: "stopped", exitCode: 0 });
    const unasked = await refusalOf(mesh.applyJob("default", other));
    expect([unasked.status, unasked.error.code]).toEqual([409, "job.differs"]);
    expect((await mesh.applyJob("default", other, { replace: true })).outcome).toBe("replaced");
    const [kept, ...rest] = await mesh.jobs("default");
    expect([kept?.state.job.spec.command, rest]).toEqual([["true"], []]);
  });
});
