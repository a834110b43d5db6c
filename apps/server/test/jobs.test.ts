import { describe, expect, it } from "vitest";
import {
  advanceWith,
  DAY,
  HOUR,
  hostOf,
  IMAGE,
  MINUTE,
  NOON,
  onlyTask,
  refusalOf,
  SECOND,
  startBench,
  withHost,
} from "./harness.ts";

const report = { kind: "Job", name: "atlas-report", image: IMAGE } as const;

describe("creating a Job (J2)", () => {
  it("[C31-07] a name that an active Job holds is refused, and the first is unchanged", async () => {
    const { mesh, host, settle } = await withHost();
    await mesh.createJob("default", report);
    const pending = await mesh.job("default", "atlas-report");
    const whilePending = await refusalOf(mesh.createJob("default", report));
    expect([whilePending.status, whilePending.error.code]).toEqual([409, "job.name-in-use"]);
    await settle();
    expect((await mesh.job("default", "atlas-report")).state.job).toMatchObject({
      id: pending.state.job.id,
      status: "pending",
    });
    await host.report(await onlyTask(host), { status: "running" });
    const running = await mesh.job("default", "atlas-report");
    expect(running.state.job.status).toBe("running");
    expect((await refusalOf(mesh.createJob("default", report))).status).toBe(409);
    expect(await mesh.job("default", "atlas-report")).toEqual(running);
    expect(await mesh.jobs("default")).toHaveLength(1);
  });

  it("[C31-08] the name is free in another namespace, and once the first has ended", async () => {
    const { mesh, host, settle } = await withHost();
    await mesh.createNamespace("other");
    const first = await mesh.createJob("default", report);
    const elsewhere = await mesh.createJob("other", report);
    expect(elsewhere.state.job.namespace).toBe("other");
    await settle();
    for (const { taskId } of await host.tasks()) {
      await host.report(taskId, { status: "stopped", exitCode: 0 });
    }
    const second = await mesh.createJob("default", report);
    expect(second.state.job.id).not.toBe(first.state.job.id);
    await settle();
    await host.report(await onlyTask(host), { status: "stopped", exitCode: 9 });
    const third = await mesh.createJob("default", report);
    // The history of both is there, each under its id.
    const statuses = (await mesh.jobs("default")).map(({ state }) => state.job.status).sort();
    expect(statuses).toEqual(["failed", "pending", "succeeded"]);
    expect((await mesh.job("default", first.state.job.id)).state.job.status).toBe("succeeded");
    expect((await mesh.job("default", "atlas-report")).state.job.id).toBe(third.state.job.id);
  });

  it("[C31-10] the node is handed the spec's work, and placement its needs", async () => {
    const bench = await withHost();
    const { mesh, host, settle } = bench;
    await mesh.setSecret("default", "token", { value: "s3cret", other: "no" });
    const far = hostOf(bench, "b", { zone: "ams" });
    await far.join();
    await mesh.createJob("default", {
      ...report,
      command: ["sh", "-c", "echo hi"],
      environment: { LANGUAGE: "en" },
      resources: { cpu: "500m", memory: "64Mi" },
      secrets: [{ name: "token", key: "value" }],
      placement: [{ key: "zone", operator: "equals", value: "ams" }],
      volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
    });
    await settle();
    expect(await host.tasks()).toEqual([]);
    const [task] = await far.tasks();
    expect(task?.work).toEqual({
      image: IMAGE,
      command: ["sh", "-c", "echo hi"],
      environment: { LANGUAGE: "en" },
      cpuMillicores: 500,
      memoryBytes: 64 * 1024 ** 2,
      secrets: [{ name: "token", value: "s3cret" }],
      volumeClaims: [{ claim: "data", target: "/data", readOnly: true }],
    });
    expect((await mesh.node("b")).used).toEqual({
      cpuMillicores: 500,
      memoryBytes: 64 * 1024 ** 2,
    });
  });

  it("a secret's value reaches the Jobs that name it, in its own namespace only (S6)", async () => {
    const { mesh, host, settle } = await withHost();
    await mesh.createNamespace("other");
    await mesh.setSecret("default", "token", { value: "ours", second: "ours too" });
    await mesh.setSecret("default", "unasked", { value: "nobody's" });
    await mesh.setSecret("other", "token", { value: "theirs" });
    const spec = { kind: "Job", image: IMAGE } as const;
    await mesh.createJob("default", { ...spec, name: "one", secrets: [{ name: "token" }] });
    const second = { name: "token", key: "second" };
    await mesh.createJob("default", { ...spec, name: "two", secrets: [second] });
    await mesh.createJob("other", { ...spec, name: "three", secrets: [{ name: "token" }] });
    await mesh.createJob("other", { ...spec, name: "none" });
    await settle();
    const given = (await host.tasks()).map(({ jobName, work }) => [
      jobName,
      work.secrets?.map(({ name, value }) => `${name}=${value}`),
    ]);
    expect(Object.fromEntries(given)).toEqual({
      one: ["token=ours"],
      two: ["token=ours too"],
      three: ["token=theirs"],
      none: undefined,
    });
  });

  it("[C31-11] it stays pending, with no node, for as long as none is ready (S3)", async () => {
    const { mesh, advance } = await startBench();
    await mesh.createJob("default", report);
    for (const passed of [0, MINUTE, HOUR]) {
      await advance(passed);
      const { state } = await mesh.job("default", "atlas-report");
      expect(state.job.status).toBe("pending");
      expect(state.tasks.map(({ actualStatus }) => actualStatus)).toEqual(["pending"]);
      expect(state.tasks[0]).not.toHaveProperty("nodeId");
    }
    const [task] = await mesh.tasks("default");
    expect(task?.message).toBe("there are no nodes");
  });

  it("[C31-15] a secret that does not exist is a failed start that names it (S6)", async () => {
    const { mesh, host, settle } = await withHost();
    await mesh.createJob("default", { ...report, secrets: [{ name: "token" }] });
    await settle();
    expect(await host.tasks()).toEqual([]);
    const { state } = await mesh.job("default", "atlas-report");
    expect([state.job.status, state.tasks[0]?.failureReason]).toEqual(["failed", "neverStarted"]);
    const [task] = await mesh.tasks("default");
    expect(task?.message).toContain("secret token");
  });
});

describe("reports and retries (J3, J4)", () => {
  it("[C31-28] after it succeeded nothing more is started, for a day (J3, J10)", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    await mesh.createJob("default", { ...report, backoffLimit: 3 });
    await bench.settle();
    const taskId = await onlyTask(host);
    await host.report(taskId, { status: "running", containerId: "c1" });
    await host.report(taskId, { status: "stopped", exitCode: 0 });
    const ended = await mesh.job("default", "atlas-report");
    expect(ended.state.job.status).toBe("succeeded");
    await advanceWith(bench, host, HOUR);
    await bench.advance(DAY);
    expect(await mesh.job("default", "atlas-report")).toEqual(ended);
    expect(await host.tasks()).toEqual([]);
  });

  it("[C31-39] by default a retry waits for nothing: it is placed at once (J6)", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    await mesh.createJob("default", { ...report, backoffLimit: 1 });
    await advanceWith(bench, host, 5 * MINUTE);
    await host.report(await onlyTask(host), { status: "stopped", exitCode: 1 });
    const { state } = await mesh.job("default", "atlas-report");
    expect(state.tasks[1]).not.toHaveProperty("notBefore");
    expect(state.tasks[1]).toMatchObject({
      createdAt: NOON + 5 * MINUTE,
      actualStatus: "assigned",
      nodeId: "a",
    });
  });

  it("[C31-40] a delay is only by asking, and holds back placement (J6)", async () => {
    const bench = await withHost();
    const { mesh, host } = bench;
    await mesh.createJob("default", {
      ...report,
      backoffLimit: 1,
      backoff: { kind: "Constant", delaySeconds: 30 },
    });
    await advanceWith(bench, host, 5 * MINUTE);
    await host.report(await onlyTask(host), { status: "stopped", exitCode: 1 });
    const { state } = await mesh.job("default", "atlas-report");
    expect(state.tasks[1]?.notBefore).toBe(NOON + 5 * MINUTE + 30 * SECOND);
    await advanceWith(bench, host, 29 * SECOND);
    expect(await host.tasks()).toEqual([]);
    await bench.advance(SECOND);
    expect((await host.tasks()).map(({ attempt }) => attempt)).toEqual([2]);
  });

  it("[C31-42][C31-46][C31-48] the retry has the work but no node of the attempt before", async () => {
    const bench = await withHost();
    const { mesh, host, settle } = bench;
    await mesh.setSecret("default", "token", { value: "x" });
    await mesh.createJob("default", {
      ...report,
      command: ["false"],
      backoffLimit: 1,
      resources: { cpu: "2", memory: "1Gi" },
      secrets: [{ name: "token" }],
      placement: [{ key: "zone", operator: "not_equals", value: "ber" }],
      volumeClaims: [],
    });
    await settle();
    const [first] = await host.tasks();
    const taskId = first?.taskId as string;
    await host.report(taskId, { status: "running", containerId: "c1" });
    // Node a is lost; node b is there for the second attempt.
    const other = hostOf(bench, "b");
    await bench.advance(31 * SECOND);
    const lost = await mesh.job("default", "atlas-report");
    const [t1, t2] = lost.state.tasks;
    expect(t1).toMatchObject({ nodeId: "a", containerId: "c1", failureReason: "nodeLost" });
    expect(t2).toMatchObject({ actualStatus: "pending", jobId: t1?.jobId });
    for (const member of ["nodeId", "containerId", "exitCode", "startedAt", "finishedAt"]) {
      expect(t2).not.toHaveProperty(member);
    }
    await other.join();
    const [second] = await other.tasks();
    expect(second?.work).toEqual(first?.work);
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    await other.report(second?.taskId as string, { status: "running", containerId: "c2" });
    await other.report(second?.taskId as string, { status: "stopped", exitCode: 0 });
    const ended = await mesh.job("default", "atlas-report");
    expect(ended.state.job.status).toBe("succeeded");
    expect(ended.state.tasks[0]).toEqual(t1);
    expect(ended.state.tasks[1]?.nodeId).toBe("b");
  });

  it("[C31-50] an operator sees one line a task, with its attempt, node, code and times", async () => {
    const { mesh, host, settle } = await withHost();
    await mesh.createJob("default", { ...report, backoffLimit: 1 });
    await settle();
    const first = await onlyTask(host);
    await host.report(first, { status: "running", containerId: "c1" });
    await host.report(first, { status: "stopped", exitCode: 3 }, "no such file\n");
    await host.report(await onlyTask(host), { status: "stopped", exitCode: 0 });
    const tasks = await mesh.tasks("default");
    expect(tasks.map(({ attempt, task }) => [attempt, task.nodeId, task.exitCode])).toEqual([
      [2, "a", 0],
      [1, "a", 3],
    ]);
    expect(tasks[1]).toMatchObject({ jobName: "atlas-report", output: "no such file\n" });
    expect(tasks[1]?.task).toMatchObject({ createdAt: NOON, startedAt: NOON, finishedAt: NOON });
    const { state } = await mesh.createJob("default", { ...report, name: "another" });
    const ofOne = { job: tasks[0]?.task.jobId };
    expect(await mesh.tasks("default", ofOne)).toEqual(tasks);
    expect(await mesh.tasks("default", { ...ofOne, limit: 1 })).toEqual(tasks.slice(0, 1));
    const other = await mesh.tasks("default", { job: state.job.id });
    expect(other.map(({ jobName }) => jobName)).toEqual(["another"]);
  });

  it("a report that comes twice, late or out of order changes nothing more (J5, A8)", async () => {
    const { mesh, host, settle, clock } = await withHost();
    await mesh.createJob("default", { ...report, backoffLimit: 5 });
    await settle();
    const taskId = await onlyTask(host);
    const failed = {
      kind: "task",
      id: "same",
      at: clock.now(),
      taskId,
      report: { status: "stopped", exitCode: 1 },
    } as const;
    await host.send(failed);
    const once = await mesh.job("default", "atlas-report");
    const again = { node: "a", reports: [failed, { ...failed, id: "another" }] };
    expect(await mesh.report(again)).toEqual({ acknowledged: ["same", "another"] });
    await host.report(taskId, { status: "running" });
    await host.report("no-such-task", { status: "removed" });
    expect(await mesh.job("default", "atlas-report")).toEqual(once);
    expect(once.state.job.attempts).toBe(2);
  });
});

describe("cancelling and deleting a Job (J8, J9)", () => {
  it("[C31-56] a Job with nothing live is gone at once; a live one stays until its task ends", async () => {
    const { mesh, host, settle, store } = await withHost();
    await mesh.createJob("default", report);
    await settle();
    await host.report(await onlyTask(host), { status: "stopped", exitCode: 0 });
    await mesh.deleteJob("default", "atlas-report");
    expect((await refusalOf(mesh.job("default", "atlas-report"))).status).toBe(404);
    expect(await store.read((db) => db.selectFrom("tasks").selectAll().execute())).toEqual([]);

    const { state } = await mesh.createJob("default", report);
    await settle();
    const taskId = await onlyTask(host);
    await host.report(taskId, { status: "running" });
    await mesh.deleteJob("default", "atlas-report");
    expect(await mesh.jobs("default")).toEqual([]);
    const stopping = await mesh.job("default", state.job.id);
    expect(stopping.state.job).toMatchObject({ status: "cancelled", deletedAt: NOON });
    expect((await refusalOf(mesh.job("default", "atlas-report"))).status).toBe(404);
    // The name is free while the old container is still there.
    await mesh.createJob("default", report);
    await host.report(taskId, { status: "removed" });
    expect((await refusalOf(mesh.job("default", state.job.id))).status).toBe(404);
    expect(await mesh.jobs("default")).toHaveLength(1);
  });

  it("[C31-57] the node is told to remove the live task, and afterwards holds none", async () => {
    const { mesh, host, settle } = await withHost();
    await mesh.createJob("default", report);
    await settle();
    const taskId = await onlyTask(host);
    await host.report(taskId, { status: "running" });
    const { revision } = await mesh.poll({ node: "a" });
    await mesh.deleteJob("default", "atlas-report");
    // The long poll ends by itself: what the node should hold has changed.
    const told = await mesh.poll({ node: "a", revision });
    expect(told.tasks.map((task) => [task.taskId, task.desiredStatus])).toEqual([
      [taskId, "removed"],
    ]);
    await host.report(taskId, { status: "removed" });
    expect((await mesh.poll({ node: "a", revision: told.revision })).tasks).toEqual([]);
  });

  it("[C31-58] its volumes are free for another Job once nothing is live; the data stays", async () => {
    const bench = await withHost();
    const { mesh, host, settle, store } = bench;
    const other = hostOf(bench, "b");
    await other.join();
    const volumeClaims = [{ claim: "data", target: "/data" }];
    const { state } = await mesh.createJob("default", { ...report, volumeClaims });
    await settle();
    const node = (await mesh.job("default", "atlas-report")).state.tasks[0]?.nodeId as string;
    const owner = node === "a" ? host : other;
    const uses = () => store.read((db) => db.selectFrom("volume_uses").selectAll().execute());
    const claims = () => store.read((db) => db.selectFrom("volume_claims").selectAll().execute());
    expect(await uses()).toMatchObject([{ claim: "data", job_id: state.job.id }]);
    const bound = await claims();
    await mesh.deleteJob("default", "atlas-report");
    expect(await uses()).toHaveLength(1);
    await owner.report(await onlyTask(owner), { status: "removed" });
    expect(await uses()).toEqual([]);
    expect(await claims()).toEqual(bound);
    // The second Job gets the same data, on the node that has it.
    const second = await mesh.createJob("default", { ...report, name: "next", volumeClaims });
    await settle();
    expect((await mesh.job("default", "next")).state.tasks[0]?.nodeId).toBe(node);
    expect(await uses()).toMatchObject([{ job_id: second.state.job.id }]);
  });

  it("[C31-59] until the node says so, nothing claims that the container has stopped (D3)", async () => {
    const { mesh, host, settle } = await withHost();
    const { state } = await mesh.createJob("default", report);
    await settle();
    const taskId = await onlyTask(host);
    await host.report(taskId, { status: "running" });
    await mesh.deleteJob("default", state.job.id);
    const [task] = await mesh.tasks("default");
    expect(task?.task).toMatchObject({ actualStatus: "running", desiredStatus: "removed" });
    expect(task?.task).not.toHaveProperty("finishedAt");
    const messages = (await mesh.events({ after: 0 })).map(({ message }) => message);
    expect(messages.at(-1)).toContain("still to stop");
    expect(messages.filter((text) => /has stopped|is gone|exited/.test(text))).toEqual([]);
    await host.report(taskId, { status: "removed" });
    expect(await mesh.tasks("default")).toEqual([]);
  });

  it("a pending Job that is cancelled ends at once; cancelling again changes nothing", async () => {
    const { mesh } = await startBench();
    await mesh.createJob("default", report);
    const { state } = await mesh.cancelJob("default", "atlas-report");
    expect([state.job.status, state.tasks[0]?.actualStatus]).toEqual(["cancelled", "removed"]);
    expect((await mesh.cancelJob("default", "atlas-report")).state).toEqual(state);
  });

  it("the deadline and the retention are kept to the millisecond (J8)", async () => {
    const { mesh, advance } = await startBench();
    const limits = { activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 3600 };
    await mesh.createJob("default", { ...report, ...limits });
    await advance(MINUTE - 1);
    expect((await mesh.job("default", "atlas-report")).state.job.status).toBe("pending");
    await advance(1);
    const { state } = await mesh.job("default", "atlas-report");
    expect([state.job.status, state.job.reason]).toEqual(["failed", "deadlineExceeded"]);
    await advance(HOUR - 1);
    expect(await mesh.jobs("default")).toHaveLength(1);
    await advance(1);
    expect(await mesh.jobs("default")).toEqual([]);
  });
});
