import { createJob, transitionJob } from "@mesh/jobs";
import { describe, expect, it } from "vitest";
import { decideSchedule, explainDecision, replayDecision, simulate } from "../src/index.ts";
import { at, created, schedule } from "./seed-schedule.ts";

describe("the safe lab", () => {
  it("[C31-140] its four observations (J3, J4, D2, C7)", () => {
    const job = (backoffLimit: number) =>
      createJob({ name: "report", backoffLimit }, { jobId: "j1", namespace: "default", now: 0 });
    const report = (state: Parameters<typeof transitionJob>[0], n: number, exitCode: number) =>
      transitionJob(state, {
        type: "taskReported",
        taskId: `j1-${n}`,
        status: "stopped",
        exitCode,
        at: n,
      });
    const started = (backoffLimit: number) => {
      const { state } = job(backoffLimit);
      if (state === undefined) throw new Error("no state");
      return state;
    };

    const success = report(started(0), 1, 0).state;
    expect(success?.job.status).toBe("succeeded");

    const once = report(started(1), 1, 1).state;
    if (once === undefined) throw new Error("no state");
    const failed = report(once, 2, 1).state;
    expect(failed?.job).toMatchObject({ status: "failed", attempts: 2 });

    const late = schedule({ missedScheduleLimit: 2 });
    expect(created(decideSchedule(late, [], { now: at("12:03") }))).toEqual(["12:01", "12:02"]);

    const nine = { schedule: "0 9 * * 1-5" };
    const dueIn = (timezone: string): readonly number[] =>
      decideSchedule(schedule({ ...nine, timezone }, at("00:00")), [], { now: at("10:00") })
        .evidence.due;
    expect(dueIn("UTC")).toEqual([at("09:00")]);
    expect(dueIn("Europe/Belgrade")).toEqual([at("07:00")]);
  });

  it("[C31-139] a decision needs no network, engine, database or clock (J11)", () => {
    const ambient = ["fetch", "setTimeout", "setInterval", "WebSocket"] as const;
    const kept = ambient.map((name) => [name, globalThis[name]] as const);
    const realNow = Date.now;
    const fail = (): never => {
      throw new Error("something ambient was used");
    };
    try {
      for (const name of ambient) Object.assign(globalThis, { [name]: fail });
      Date.now = fail;
      const decision = decideSchedule(schedule(), [], { now: at("12:03") });
      expect(replayDecision(decision.evidence)).toEqual(decision);
      expect(explainDecision(decision)).toContain("created report-202610131201");
      expect(simulate(schedule(), { through: at("12:05"), runSeconds: 5 })).not.toEqual([]);
    } finally {
      for (const [name, value] of kept) Object.assign(globalThis, { [name]: value });
      Date.now = realNow;
    }
  });
});
