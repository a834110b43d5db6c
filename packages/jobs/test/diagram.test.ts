import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { JobEvent, JobPolicy, JobState, Task, Transition } from "../src/index.ts";
import { explore, policies } from "./explore.ts";

const page = readFileSync(
  new URL("../../../docs/reference/job-states.md", import.meta.url),
  "utf8",
);
const diagrams = [...page.matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, text]) => text);

const jobMoves = new Set<string>();
const taskMoves = new Set<string>();

/** What an event means, in the words of the diagrams. */
function causeOf(event: JobEvent, next: JobState<JobPolicy> | undefined): string {
  switch (event.type) {
    case "taskAssigned":
      return "assigned";
    case "taskReported":
      if (event.status === "running" || event.status === "healthy") return event.status;
      if (event.status === "stopped" && event.exitCode === 0) return "exit 0";
      return next?.job.status === "pending" ? "failure, to be retried" : "failure";
    case "cancelRequested":
      return "cancel";
    case "deleteRequested":
      return "delete";
    case "timeReached":
      return "time";
    default:
      return event.type;
  }
}

function note(before: JobState<JobPolicy>, event: JobEvent, step: Transition<JobPolicy>): void {
  if (step.outcome === "ignored") return;
  const { state } = step;
  const from = before.job.status;
  const to = state?.job.status ?? "[*]";
  const isRetry = state !== undefined && state.tasks.length > before.tasks.length;
  if (from !== to || isRetry) {
    const isEnd = event.type === "taskReported" && state === undefined;
    jobMoves.add(`${from} --> ${to}: ${isEnd ? "last task over" : causeOf(event, state)}`);
  }
  if (state === undefined) return;
  const task = before.tasks.at(-1) as Task;
  const moved = state.tasks[before.tasks.length - 1] as Task;
  if (task.actualStatus === moved.actualStatus) return;
  const isEnd = event.type === "taskReported" && moved.finishedAt !== undefined;
  const cause = isEnd ? event.status : causeOf(event, state);
  taskMoves.add(`${task.actualStatus} --> ${moved.actualStatus}: ${cause}`);
}

/** The moves of a diagram; "a --> b: x, or y" stands for one with x and one with y. */
function movesOf(diagram: string | undefined): ReadonlySet<string> {
  const moves = new Set<string>();
  for (const [, from, to, causes] of (diagram ?? "").matchAll(/(\S+) --> (\S+): (.*)/g)) {
    for (const cause of causes?.split(" or ") ?? []) moves.add(`${from} --> ${to}: ${cause}`);
  }
  return moves;
}

beforeAll(() => {
  jobMoves.add("[*] --> pending: created");
  taskMoves.add("[*] --> pending: created");
  for (const policy of policies) explore(policy, note, 2);
}, 120_000);

describe("docs/reference/job-states.md", () => {
  it("draws each move that a Job makes in the explored world, and no other (J2 to J9)", () => {
    expect([...movesOf(diagrams[0])].sort()).toEqual([...jobMoves].sort());
  });

  it("draws each move that a task makes in the explored world, and no other (J3, J5, J8)", () => {
    expect([...movesOf(diagrams[1])].sort()).toEqual([...taskMoves].sort());
  });
});
