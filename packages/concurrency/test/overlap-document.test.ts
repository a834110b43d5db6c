import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type ActiveRun,
  type ConcurrencyPolicy,
  decideSchedule,
  explainReason,
  type OutcomeReason,
} from "../src/index.ts";
import { at, clock, schedule } from "./seed-schedule.ts";

const path = new URL("../../../docs/reference/overlap-policies.md", import.meta.url);
const policies = ["Allow", "Forbid", "Replace", "Skip", "Queue", "Supersede"] as const;

/** The table of one policy, from the decisions themselves: at 12:03:30, 12:01 to 12:03 are due. */
function tableOf(concurrencyPolicy: ConcurrencyPolicy): string {
  const lines = (["nothing", "running", "stopping"] as const).flatMap((active) =>
    [1, 3].map((due) => {
      const runs: readonly ActiveRun[] = active === "nothing" ? [] : [{ id: "r1", status: active }];
      const now = at("12:00:30") + due * 60_000;
      const decision = decideSchedule(schedule({ concurrencyPolicy }), runs, { now });
      const { outcomes, stopRunIds, wake } = decision;
      const told = outcomes.map((o) => {
        if (o.outcome === "create") return `create ${clock(o.at)}`;
        const span = o.count === 1 ? clock(o.firstAt) : `${clock(o.firstAt)}–${clock(o.lastAt)}`;
        return `${o.outcome} ${span} (${o.reason})`;
      });
      const { lastScheduleAt } = decision.schedule;
      const checkpoint = lastScheduleAt === undefined ? "unchanged" : clock(lastScheduleAt);
      const woken = wake.kind === "at" ? clock(wake.at) : wake.kind;
      const stops = stopRunIds.length > 0 ? "yes" : "no";
      return `| ${active} | ${due} | ${told.join(", ")} | ${stops} | ${checkpoint} | ${woken} |`;
    }),
  );
  return [
    `### ${concurrencyPolicy}`,
    "",
    "| active | due | outcomes | asked to stop | checkpoint | wake |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

const reasons: readonly OutcomeReason[] = [
  "due",
  "activeRun",
  "queued",
  "nameTaken",
  "afterHeld",
  "olderStarted",
  "newerDue",
  "missed",
  "deadline",
  "suspended",
  "edited",
];

const generated = [
  "<!-- tables: from here on checked against the code; UPDATE_DOCS=1 writes them anew -->",
  "",
  ...policies.flatMap((policy) => [tableOf(policy), ""]),
  "## Reasons in words",
  "",
  "| reason | in words |",
  "| --- | --- |",
  ...reasons.map((reason) => `| \`${reason}\` | ${explainReason(reason)} |`),
  "",
].join("\n");

describe("docs/reference/overlap-policies.md", () => {
  it("has the tables that the decisions themselves give", () => {
    const [words, tables] = readFileSync(path, "utf8").split(/(?=<!-- tables)/);
    if (process.env.UPDATE_DOCS === "1") writeFileSync(path, `${words}${generated}`);
    else expect(tables).toBe(generated);
  });

  it("says what Forbid and Replace do not promise, and what does (D5, D6, D7)", () => {
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(/`Forbid`.*does not promise.*`Queue`/);
    expect(text).toMatch(/`Replace`.*does not wait.*`Supersede`/);
  });
});
