import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  createSchedule,
  type Diagnostic,
  decideSchedule,
  isScheduleSpecError,
  isScheduleStateError,
  parseScheduleState,
  type ScheduleSpec,
  updateSchedule,
} from "../src/index.ts";
import { at, running, schedule } from "./seed-schedule.ts";

const path = new URL("../../../docs/reference/errors-concurrency.md", import.meta.url);

const create = (more: object) => () =>
  createSchedule({ name: "report", schedule: "0 9 * * *", ...more } as ScheduleSpec, {
    uid: "s1",
    now: 0,
  });

/** One example for each code. */
const examples: Readonly<Record<string, () => unknown>> = {
  "limit.range": create({ missedScheduleLimit: 10_001 }),
  "name.fixed": () => updateSchedule(schedule(), { ...schedule().spec, name: "other" }, { now: 0 }),
  "name.invalid": create({ name: "Nightly Report" }),
  "shape.empty": create({ timezone: "" }),
  "shape.enum": create({ concurrencyPolicy: "forbid" }),
  "shape.missing": create({ schedule: undefined }),
  "shape.type": create({ suspended: "no" }),
  "shape.unknown-key": create({ suspend: true }),
  "state.invariant": () => decideSchedule(schedule(), running("r1", "r1"), { now: at("12:01") }),
  "version.unsupported": () => parseScheduleState({ ...schedule(), v: 2 }),
};

function diagnosticsOf(work: () => unknown): readonly Diagnostic[] {
  try {
    work();
  } catch (error) {
    if (isScheduleSpecError(error) || isScheduleStateError(error)) return error.diagnostics;
    throw error;
  }
  throw new Error("nothing was refused");
}

const rows = Object.entries(examples).map(([code, work]) => {
  const [found] = diagnosticsOf(work);
  return `| \`${code}\` | \`${found?.pointer}\` | ${found?.message} | ${found?.help ?? ""} |`;
});

const generated = `# Errors of schedules

A code is part of the interface and does not change its meaning; the wording may change.
The texts are those of one example for each code; names and values in them vary.
A diagnostic also carries what was found and, where they are few, the allowed values.

\`ScheduleSpecError\` lists every problem of a spec; \`ScheduleStateError\` every problem of stored data (\`version.unsupported\`, \`state.invariant\` and the shape codes).
An expression can also have any of the \`cron.*\` codes of \`@mesh/cron\`, \`cron.never\` among them, and a zone its \`timezone.unknown\`; both come with their pointer.

| code | pointer | text | help |
| --- | --- | --- | --- |
${rows.join("\n")}

An argument that is no instant, an empty \`uid\`, an id that cannot be part of a run's name: a \`TypeError\` or \`RangeError\` that names the argument.
`;

describe("docs/reference/errors-concurrency.md", () => {
  it("has the text that each code's example gives", () => {
    if (process.env.UPDATE_DOCS === "1") writeFileSync(path, generated);
    expect(readFileSync(path, "utf8")).toBe(generated);
  });

  it.each(Object.entries(examples))(
    "%s is what its example gives, and nothing else",
    (code, work) => {
      expect(diagnosticsOf(work).map((found) => found.code)).toEqual([code]);
    },
  );
});
