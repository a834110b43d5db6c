import { describe, expect, it } from "vitest";
import { assignableAt, type Backoff, currentTask } from "../src/index.ts";
import { after, ask, assigned, at, atlas, failed, running, stopped } from "./atlas.ts";

const backoff: Backoff = { kind: "Constant", delaySeconds: 30 };

describe("assignableAt", () => {
  it.each([
    ["a new Job: when it was created", atlas(), "09:00"],
    [
      "a retry without a delay: when the failure was accepted",
      after(atlas({ backoffLimit: 1 }), stopped("09:05", 1)),
      "09:05",
    ],
    [
      "a retry with a delay: its `notBefore`",
      after(atlas({ backoffLimit: 1, backoff }), stopped("09:05", 1)),
      "09:05:30",
    ],
    [
      "resumed: as before the suspension",
      after(
        atlas({ backoffLimit: 1, backoff }),
        stopped("09:05", 1),
        ask("suspendRequested", "09:06"),
        ask("resumeRequested", "09:07"),
      ),
      "09:05:30",
    ],
  ])("%s (J6, J8)", (_, state, expected) => {
    expect(assignableAt(state)).toBe(at(expected));
  });

  it.each([
    ["suspended", after(atlas(), ask("suspendRequested", "09:01"))],
    ["assigned", after(atlas(), assigned("09:01"))],
    ["running", after(atlas(), assigned("09:01"), running("09:02"))],
    ["running without having been assigned", after(atlas(), running("09:02"))],
    ["succeeded", after(atlas(), stopped("09:02", 0))],
    ["failed for good", after(atlas(), failed("09:02"))],
    ["cancelled", after(atlas(), ask("cancelRequested", "09:02"))],
  ])("no answer for a Job that is %s (J6, J8)", (_, state) => {
    expect(assignableAt(state)).toBeUndefined();
  });
});

describe("currentTask", () => {
  it("is the newest, live or not (J4, J10)", () => {
    const retried = after(atlas({ backoffLimit: 1 }), assigned("09:01"), stopped("09:05", 1));
    expect(currentTask(retried)).toBe(retried.tasks[1]);
    const ended = after(retried, stopped("09:06", 0, "t2"));
    expect(currentTask(ended)).toMatchObject({ id: "t2", actualStatus: "stopped" });
  });
});
