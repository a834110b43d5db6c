import { describe, expect, it } from "vitest";
import { advanceWith, DAY, HOUR, hostOf, IMAGE, MINUTE, SECOND, startBench } from "./harness.ts";

const report = { kind: "Job", name: "atlas-report", image: IMAGE } as const;

describe("a Job from its creation to its end", () => {
  it("[C31-11] it stays pending, with no node, for as long as none is ready (J2, S3)", async () => {
    const bench = await startBench();
    await bench.mesh.createJob("default", report);
    for (const passed of [0, MINUTE, HOUR]) {
      await bench.advance(passed);
      const { state } = await bench.mesh.job("default", "atlas-report");
      expect(state.job.status).toBe("pending");
      expect(state.tasks).toHaveLength(1);
      expect(state.tasks[0]?.actualStatus).toBe("pending");
      expect(state.tasks[0]).not.toHaveProperty("nodeId");
    }
  });

  it("[C31-28] after it succeeded nothing more is started, for a day (J3, J10)", async () => {
    const bench = await startBench();
    const host = hostOf(bench);
    await host.join();
    await bench.mesh.createJob("default", { ...report, backoffLimit: 3 });
    await bench.settle();
    const [task] = await host.tasks();
    await host.report(task?.taskId as string, { status: "running", containerId: "c1" });
    await host.report(task?.taskId as string, { status: "stopped", exitCode: 0 });
    const ended = await bench.mesh.job("default", "atlas-report");
    expect(ended.state.job.status).toBe("succeeded");
    await advanceWith(bench, host, HOUR);
    await bench.advance(DAY);
    expect(await bench.mesh.job("default", "atlas-report")).toEqual(ended);
    expect(await host.tasks()).toEqual([]);
  });
});
