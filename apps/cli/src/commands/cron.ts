import type { CronExpression } from "@mesh/cron";
import { admitCron, admitTimeZone, describeCron, localTime, occurrences } from "@mesh/cron";
import { formatDiagnostic } from "@mesh/declaration/yaml";
import type { Command } from "commander";
import { Option } from "commander";
import { badText } from "../command-error.ts";
import { contextOf, show } from "../context.ts";
import { parseCount, parseInstant } from "../instants.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Column } from "../table.ts";
import { fieldLines, tableLines } from "../table.ts";
import type { Clockface } from "../times.ts";
import { foldText, localText, utcText } from "../times.ts";

interface NextOptions {
  readonly tz: string;
  readonly count: string;
  readonly after: string;
  readonly dst: "Literal" | "Once";
}

/** `mesh cron …`: questions about an expression, answered without a server. */
export function addCronCommand(program: Command, s: Surroundings): void {
  const cron = program.command("cron").description("Ask about a cron expression, offline");
  cron
    .command("next")
    .description("Print the next occurrences, in UTC and on the clocks that matter")
    .argument("<expression...>", 'five fields, best quoted: "0 9 * * 1-5"')
    .option("--tz <zone>", "IANA time zone in which the expression is read", "UTC")
    .option("--count <n>", "how many occurrences, 1 to 1000", "5")
    .option(
      "--after <instant>",
      "the instant to start from: now, or RFC 3339 with an offset",
      "now",
    )
    .addOption(
      new Option("--dst <rule>", "what happens in a gap or a repeated hour")
        .choices(["Literal", "Once"])
        .default("Literal"),
    )
    .addHelpText("after", nextExamples)
    .action((words: string[], options: NextOptions, command: Command) => {
      cronNext(words, options, { command, s });
    });
  cron
    .command("describe")
    .description("Say in a sentence when an expression fires")
    .argument("<expression...>", 'five fields, best quoted: "0 9 * * 1-5"')
    .action((words: string[], _: unknown, command: Command) => {
      const context = contextOf(command, s);
      const { cron: expression, warnings } = readExpression(words);
      const fields = { ...expression };
      show(
        context,
        { expression: expression.source, description: describeCron(expression), fields, warnings },
        () => [
          describeCron(expression),
          ...fieldLines(
            [
              ["minute", setText(expression.minute, 60)],
              ["hour", setText(expression.hour, 24)],
              ["day of month", setText(expression.dayOfMonth, 31)],
              ["month", setText(expression.month, 12)],
              ["day of week", setText(expression.dayOfWeek, 7)],
            ],
            context.paint,
          ).map((line) => `  ${line}`),
        ],
      );
      for (const warning of warnings) s.terminal.err(warning);
    });
}

const nextExamples = `
Examples:
  mesh cron next "0 9 * * 1-5" --tz Europe/Belgrade
  mesh cron next "30 2 * * *" --tz Europe/Belgrade --after 2026-10-24T12:00:00Z --count 3`;

function cronNext(
  words: readonly string[],
  options: NextOptions,
  { command, s }: { command: Command; s: Surroundings },
): void {
  const context = contextOf(command, s);
  const { cron, warnings } = readExpression(words);
  const timeZone = checkedZone(options.tz, s);
  const count = parseCount(options.count, { option: "--count", least: 1, most: 1000 });
  const after = parseInstant(options.after, { option: "--after", now: s.now() });
  const zoned = { timeZone, dst: options.dst, zones: s.zones };
  const found = take(occurrences(cron, { after }, zoned), count);
  const faces = [...new Set([timeZone, s.localZone])]
    .filter((zone) => zone !== "UTC")
    .map((zone) => ({ timeZone: zone, zones: s.zones }));
  show(
    context,
    found.map((at) => ({ utc: utcText(at), timeZone, ...localTime(at, zoned) })),
    () => tableLines(found, nextColumns(faces), context.paint),
  );
  for (const warning of warnings) s.terminal.err(warning);
}

function nextColumns(faces: readonly Clockface[]): readonly Column<number>[] {
  return [
    { title: "UTC", text: (at) => utcText(at) },
    ...faces.map((face) => ({
      title: face.timeZone,
      text: (at: number) => `${localText(at, face)} ${foldText(at, face)}`.trimEnd(),
    })),
  ];
}

/** The expression of all words together; more words than fields mean the shell expanded a `*`. */
function readExpression(words: readonly string[]): {
  readonly cron: CronExpression;
  readonly warnings: readonly string[];
} {
  const text = words.join(" ");
  const read = admitCron(text);
  if (read.ok) {
    return { cron: read.value, warnings: read.warnings.map((d) => formatDiagnostic(d, text)) };
  }
  throw badText(
    read.diagnostics,
    read.diagnostics.map((d) => formatDiagnostic(d, text)),
    {
      help:
        words.length > 5
          ? "quote the expression, or the shell puts file names in place of each *"
          : undefined,
    },
  );
}

function checkedZone(name: string, s: Surroundings): string {
  const read = admitTimeZone(name, { zones: s.zones });
  if (read.ok) return read.value;
  throw badText(
    read.diagnostics,
    read.diagnostics.map((d) => formatDiagnostic(d, name)),
  );
}

function take(from: Iterable<number>, count: number): readonly number[] {
  const found: number[] = [];
  for (const at of from) {
    found.push(at);
    if (found.length >= count) break;
  }
  return found;
}

/** `0, 15, 30-45`, or `every` for a set that holds its whole range. */
function setText(values: readonly number[], size: number): string {
  if (values.length === size) return "every";
  const ranges: { from: number; to: number }[] = [];
  for (const value of values) {
    const last = ranges.at(-1);
    if (last !== undefined && value === last.to + 1) last.to = value;
    else ranges.push({ from: value, to: value });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}
