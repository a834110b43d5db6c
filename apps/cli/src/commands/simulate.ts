import type { ScheduleSpec, SimulatedStep } from "@mesh/concurrency";
import { createSchedule, explainReason, simulate } from "@mesh/concurrency";
import { type Manifest, scheduleFromContainer, scheduleFromManifest } from "@mesh/declaration";
import type { Command } from "commander";
import { statusColour } from "../columns.ts";
import { badInput } from "../command-error.ts";
import { contextOf, show } from "../context.ts";
import { parseCount, parseInstant, parseSeconds } from "../instants.ts";
import { readGoodManifests } from "../manifest-files.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Column } from "../table.ts";
import { tableLines } from "../table.ts";
import { localText, utcText } from "../times.ts";

interface SimulateOptions {
  readonly from: string;
  readonly through: string;
  readonly runTime: string;
  readonly limit: string;
}

/** `mesh simulate FILE`: what a schedule would do, decision by decision, without running it. */
export function addSimulateCommand(program: Command, s: Surroundings): void {
  program
    .command("simulate")
    .description("Show what schedules would do, if every run took a given time; offline")
    .argument("<file>", "a file with CronJobs or modules; - reads standard input")
    .option("--from <instant>", "the schedule's beginning: now, or RFC 3339 with an offset", "now")
    .option("--through <length>", "how far to look: 90s, 5m, 12h, 30d", "1h")
    .option("--run-time <length>", "how long each run takes: 90s, 5m, 12h, 30d", "60s")
    .option("--limit <n>", "at most this many steps of each schedule, 1 to 1000", "50")
    .action(async (file: string, options: SimulateOptions, command: Command) => {
      const context = contextOf(command, s);
      const from = parseInstant(options.from, { option: "--from", now: s.now() });
      const through = from + parseSeconds(options.through, { option: "--through" }) * 1000;
      const runSeconds = parseSeconds(options.runTime, { option: "--run-time" });
      const limit = parseCount(options.limit, { option: "--limit", least: 1, most: 1000 });
      const specs = (await readGoodManifests([file], s)).flatMap(schedulesOf);
      if (specs.length === 0) {
        throw badInput("usage.simulate", `${file} holds no schedule`, "name a file with a CronJob");
      }
      const simulated = specs.map((spec) => {
        const schedule = createSchedule(spec, { uid: "simulated", now: from });
        const steps = simulate(schedule, { through, runSeconds, limit, zones: s.zones });
        return { spec, steps };
      });
      show(context, simulated, () =>
        simulated.flatMap(({ spec, steps }, at) => [
          ...(at === 0 ? [] : [""]),
          context.paint(titleOf(spec), "bold"),
          ...(steps.length === 0
            ? [nothingDue(spec, through)]
            : tableLines(steps, columnsFor(spec, s), context.paint).map((line) => `  ${line}`)),
        ]),
      );
    });
}

/** Why the table is empty: nothing can come, or what comes lies beyond the span looked at. */
function nothingDue({ suspended }: ScheduleSpec, through: number): string {
  if (suspended === true) return "  nothing comes due: the schedule is suspended";
  return `  nothing comes due through ${utcText(through)}; look further with --through, up to 366d`;
}

/** The schedules of a manifest: a CronJob's own, or a module's scheduled containers' (A4). */
function schedulesOf(manifest: Manifest): readonly ScheduleSpec[] {
  if (manifest.kind === "CronJob") return [scheduleFromManifest(manifest).schedule];
  if (manifest.kind === "Job") return [];
  return manifest.resources.flatMap((resource) =>
    resource.type === "container" ? (scheduleFromContainer(resource) ?? []) : [],
  );
}

function titleOf({ name, schedule, timezone, concurrencyPolicy }: ScheduleSpec): string {
  return `${name}  ${schedule}  ${timezone ?? "UTC"}  ${concurrencyPolicy ?? "Allow"}`;
}

function columnsFor(spec: ScheduleSpec, s: Surroundings): readonly Column<SimulatedStep>[] {
  const timeZone = spec.timezone ?? "UTC";
  const local: Column<SimulatedStep> = {
    title: timeZone,
    text: ({ at }) => localText(at, { timeZone, zones: s.zones }),
  };
  return [
    { title: "UTC", text: ({ at }) => utcText(at) },
    ...(timeZone === "UTC" ? [] : [local]),
    {
      title: "WHAT",
      text: whatText,
      colour: (step) => (step.step === "decided" ? statusColour(step.outcome.outcome) : undefined),
    },
    {
      title: "WHY",
      text: (step) => (step.step === "decided" ? explainReason(step.outcome.reason) : undefined),
    },
  ];
}

function whatText(step: SimulatedStep): string {
  if (step.step === "ended") return `${step.runName} ends`;
  if (step.step === "stopRequested") return `${step.runName} is asked to stop`;
  const { outcome } = step;
  if (outcome.outcome === "create") return `${outcome.runName} starts`;
  const many = outcome.count === 1 ? "" : ` and ${outcome.count - 1} more`;
  return `${outcome.outcome} ${utcText(outcome.firstAt)}${many}`;
}
