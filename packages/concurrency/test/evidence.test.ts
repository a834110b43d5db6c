import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type ActiveRun,
  type DecideOptions,
  type Decision,
  decideSchedule,
  explainDecision,
  parseEvidence,
  replayDecision,
  type ScheduleSpec,
  type ScheduleState,
} from "../src/index.ts";
import { at, running, schedule } from "./seed-schedule.ts";

/**
 * Decisions as they were once committed. A file is written once, with `RECORD_EVIDENCE=1`, when its
 * case is new, and never changed afterwards: `rules: 1` gives the same decision for ever (D9a).
 */
const folder = new URL("./evidence/", import.meta.url);

const stopping: readonly ActiveRun[] = [
  { id: "r1", status: "stopping", occurrenceAt: at("12:00") },
];
const r1 = running("r1");

function decided(
  spec: Partial<ScheduleSpec>,
  time: string,
  active: readonly ActiveRun[] = [],
  more: Partial<DecideOptions> & { readonly state?: Partial<ScheduleState> } = {},
): () => Decision {
  const { state, ...options } = more;
  return () =>
    decideSchedule({ ...schedule(spec), ...state }, active, { now: at(time), ...options });
}

const belgrade = { schedule: "30 2 * * *", timezone: "Europe/Belgrade" } as const;
const night = { createdAt: at("12:00", "2026-10-24") } as const;

const cases: Readonly<Record<string, () => Decision>> = {
  "allow-creates-all": decided({}, "12:03", r1),
  "allow-cut-by-limit": decided({ missedScheduleLimit: 2 }, "12:03"),
  "allow-nothing-due": decided({}, "12:00:30"),
  "allow-name-taken": decided({}, "12:03", [], { namesInUse: ["report-202610131202"] }),
  "allow-after-reset": decided({}, "12:04", [], {
    decided: [
      at("12:01"),
      { firstAt: at("12:02"), lastAt: at("12:03"), count: 2, countIsExact: true },
    ],
  }),
  "allow-clock-behind": decided({}, "12:03", [], { state: { lastScheduleAt: at("13:00") } }),
  "allow-after-edit": decided({}, "12:03", [], {
    state: { effectiveFrom: at("12:01:30"), generation: 2 },
  }),
  "allow-repeated-hour": () =>
    decideSchedule({ ...schedule(belgrade), ...night }, [], { now: at("02:00", "2026-10-25") }),
  "allow-once-in-repeated-hour": () =>
    decideSchedule({ ...schedule({ ...belgrade, dst: "Once" }), ...night }, [], {
      now: at("02:00", "2026-10-25"),
    }),
  "forbid-creates-backlog": decided({ concurrencyPolicy: "Forbid" }, "12:03", stopping),
  "forbid-holds": decided({ concurrencyPolicy: "Forbid" }, "12:03", r1),
  "forbid-holds-within-deadline": decided(
    { concurrencyPolicy: "Forbid", startingDeadlineSeconds: 90 },
    "12:04",
    r1,
  ),
  "replace-stops-and-creates": decided(
    { concurrencyPolicy: "Replace" },
    "12:02",
    running("r1", "r2"),
  ),
  "replace-nothing-due": decided({ concurrencyPolicy: "Replace" }, "12:00:30", r1),
  "replace-name-taken": decided({ concurrencyPolicy: "Replace" }, "12:01", r1, {
    namesInUse: ["report-202610131201"],
  }),
  "skip-while-active": decided({ concurrencyPolicy: "Skip", missed: "None" }, "12:01", r1),
  "skip-rest-of-backlog": decided({ concurrencyPolicy: "Skip" }, "12:03"),
  "skip-name-taken": decided({ concurrencyPolicy: "Skip" }, "12:03", [], {
    namesInUse: ["report-202610131201"],
  }),
  "queue-starts-oldest": decided({ concurrencyPolicy: "Queue" }, "12:03"),
  "queue-holds": decided({ concurrencyPolicy: "Queue" }, "12:03", stopping),
  "supersede-starts-newest": decided({ concurrencyPolicy: "Supersede" }, "12:03"),
  "supersede-asks-to-stop": decided({ concurrencyPolicy: "Supersede" }, "12:03", r1),
  "supersede-waits": decided({ concurrencyPolicy: "Supersede", missed: "None" }, "12:01", stopping),
  "supersede-none-had-waited": decided(
    { schedule: "*/5 * * * *", concurrencyPolicy: "Supersede", missed: "None" },
    "12:13",
    [],
    { state: { heldAt: at("12:05") } },
  ),
  "supersede-name-taken": decided({ concurrencyPolicy: "Supersede" }, "12:03", r1, {
    namesInUse: ["report-202610131203"],
  }),
  "latest-expires-the-rest": decided({ missed: "Latest", missedScheduleLimit: 1 }, "12:03"),
  "none-expires-what-is-late": decided({ schedule: "*/2 * * * *", missed: "None" }, "12:03"),
  "deadline-expires-all": decided(
    { schedule: "*/2 * * * *", missed: "Latest", startingDeadlineSeconds: 30 },
    "12:03",
  ),
  suspended: decided({ suspended: true }, "12:03"),
};

const files = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith(".json"));

if (process.env.RECORD_EVIDENCE === "1") {
  for (const [name, decide] of Object.entries(cases)) {
    const path = new URL(`${name}.json`, folder);
    if (!existsSync(path)) writeFileSync(path, `${JSON.stringify(decide(), null, 2)}\n`);
  }
}

describe("recorded evidence", () => {
  it.each(files())("%s replays to the decision that was recorded", (name) => {
    const recorded = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Decision;
    const evidence = parseEvidence(recorded.evidence);
    expect(replayDecision(evidence)).toStrictEqual(recorded);
    expect(explainDecision(recorded)).toContain("next look: ");
  });

  it("every case is recorded, and decided today as it was then", () => {
    expect(files()).toEqual(
      Object.keys(cases)
        .map((name) => `${name}.json`)
        .sort(),
    );
    for (const [name, decide] of Object.entries(cases)) {
      const path = new URL(`${name}.json`, folder);
      expect(JSON.parse(readFileSync(path, "utf8"))).toStrictEqual(decide());
    }
  });

  it("every outcome and every reason that a decision can give is among them", () => {
    const seen = new Set(
      Object.values(cases).flatMap((decide) =>
        decide().outcomes.map(({ outcome, reason }) => `${outcome} ${reason}`),
      ),
    );
    expect([...seen].sort()).toEqual([
      "create due",
      "expire deadline",
      "expire missed",
      "hold activeRun",
      "hold afterHeld",
      "hold nameTaken",
      "hold queued",
      "skip activeRun",
      "skip olderStarted",
      "supersede newerDue",
    ]);
  });
});
