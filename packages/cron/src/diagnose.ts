import type { Diagnostic } from "./diagnostic.ts";

/** Texts over this length are refused before they are read (C2). */
export const MAX_LENGTH = 256;

export type CronField = "minute" | "hour" | "dayOfMonth" | "month" | "dayOfWeek";

/** A fault as found: the diagnostic, and what only the error's text shows beside it. */
export interface Fault {
  readonly diagnostic: Diagnostic;
  readonly field?: CronField;
  /** The rule that the marked part breaks, for the line with the caret. */
  readonly why: string;
}

interface FieldRule {
  readonly key: CronField;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that other dialects know, three letters each, from value `min` on. */
  readonly names?: string;
}

const FIELDS: readonly FieldRule[] = [
  { key: "minute", name: "minute", min: 0, max: 59 },
  { key: "hour", name: "hour", min: 0, max: 23 },
  { key: "dayOfMonth", name: "day of month", min: 1, max: 31 },
  { key: "month", name: "month", min: 1, max: 12, names: "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC" },
  { key: "dayOfWeek", name: "weekday", min: 0, max: 6, names: "SUNMONTUEWEDTHUFRISAT" },
];
const ORDER = "minute, hour, day of month, month, weekday";

const MACROS: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

/** A part of the text, with its place in it. */
interface Part {
  readonly text: string;
  readonly at: number;
}

type Report = (
  code: string,
  part: Part,
  message: string,
  why: string,
  help: string,
  more?: { found?: string; allowed?: readonly string[] },
) => Fault;

/**
 * What is wrong with a text that is no expression: the first fault in the order of C2 (too long,
 * foreign character, macro, zone prefix, field count, then the leftmost one).
 * `undefined` for an expression. Speed is no concern here: the parser comes here only to explain.
 */
export function diagnose(text: string): Fault | undefined {
  const report = reporter(text);
  if (text.length > MAX_LENGTH) {
    const rest = { text: text.slice(MAX_LENGTH), at: MAX_LENGTH };
    const size = `${text.length}`;
    const why = `the limit is ${MAX_LENGTH}`;
    const help = "use ranges and steps, or several schedules";
    return report("too-long", rest, `the text has ${size} characters`, why, help, { found: size });
  }
  const start = text.length - text.replace(/^[ \t\r\n]+/, "").length;
  const whole = { text: text.slice(start).replace(/[ \t\r\n]+$/, ""), at: start };
  return foreignFault(whole, report) ?? prefixFault(whole, report) ?? fieldsFault(whole, report);
}

function reporter(text: string): Report {
  return (code, part, message, why, help, more) => {
    const field = FIELDS.find(({ name }) => message.startsWith(`${name} `));
    const range = {
      start: position(text, part.at),
      end: position(text, part.at + part.text.length),
    };
    const found = part.text;
    const diagnostic: Diagnostic = {
      code: `cron.${code}`,
      severity: "error",
      message,
      range,
      found,
      ...more,
      help,
    };
    return field ? { diagnostic, field: field.key, why } : { diagnostic, why };
  };
}

function position(text: string, offset: number) {
  const lines = text.slice(0, offset).split("\n");
  const column = (lines[lines.length - 1] as string).length + 1;
  return { offset, line: lines.length, column };
}

function foreignFault({ text, at }: Part, report: Report): Fault | undefined {
  const index = text.search(/[^ -~\t]/);
  if (index < 0) return undefined;
  const character = String.fromCodePoint(text.codePointAt(index) as number);
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
  const lineBreak = character === "\n" || character === "\r";
  return report(
    "syntax",
    { text: character, at: at + index },
    lineBreak ? "a line break inside the expression" : `character U+${code} is not allowed`,
    lineBreak ? "one line only" : "ASCII only",
    lineBreak ? "write the five fields on one line" : "type it again with plain spaces and digits",
  );
}

function prefixFault(whole: Part, report: Report): Fault | undefined {
  const word = (/^\S*/.exec(whole.text) as RegExpExecArray)[0];
  const part = { text: word, at: whole.at };
  if (word.startsWith("@")) {
    const fields = MACROS[word.toLowerCase()];
    const help = fields ? `write ${fields}` : `write the five fields: ${ORDER}`;
    return report("macro", part, `${word} is a macro`, "five fields, no macros", help);
  }
  if (/^(CRON_)?TZ=/i.test(word)) {
    const help = "leave it out and give the zone as timezone";
    const why = "the zone is no part of the expression";
    return report("timezone-prefix", part, `${word} is a zone prefix`, why, help);
  }
  return undefined;
}

function fieldsFault(whole: Part, report: Report): Fault | undefined {
  const fields = split(whole, /[ \t]+/g);
  const count = whole.text === "" ? 0 : fields.length;
  if (count !== 5) {
    const first = fields[5] ?? whole;
    const rest = { text: whole.text.slice(first.at - whole.at), at: first.at };
    const text = (from: number) =>
      fields
        .slice(from, from + 5)
        .map((field) => field.text)
        .join(" ");
    const help =
      count === 6 || count === 7
        ? `there are no seconds and no year: did you mean ${text(1)}, or ${text(0)}?`
        : `write five fields: ${ORDER}`;
    const more = { found: `${count}`, allowed: ["5"] };
    return report("fields", rest, `expected 5 fields, found ${count}`, ORDER, help, more);
  }
  for (const [index, field] of fields.entries()) {
    for (const item of split(field, /,/g)) {
      const fault = itemFault(item, FIELDS[index] as FieldRule, report);
      if (fault) return fault;
    }
  }
  return undefined;
}

function split({ text, at }: Part, separator: RegExp): Part[] {
  const parts: Part[] = [];
  let start = 0;
  for (const match of text.matchAll(separator)) {
    parts.push({ text: text.slice(start, match.index), at: at + start });
    start = match.index + match[0].length;
  }
  parts.push({ text: text.slice(start), at: at + start });
  return parts;
}

function itemFault(item: Part, field: FieldRule, report: Report): Fault | undefined {
  const match = /^(?:\*|(\d+)(-(\d+))?)(\/(\d+))?$/.exec(item.text);
  if (match === null) return shapeFault(item, field, report);
  const { name, min, max } = field;
  const [, first, , last, slash, step] = match;
  const stepPart = { text: step ?? "", at: item.at + item.text.length - (step ?? "").length };
  const fault =
    numberFault({ text: first ?? "", at: item.at }, field, report) ??
    numberFault({ text: last ?? "", at: item.at + `${first}-`.length }, field, report);
  if (fault) return fault;
  if (last !== undefined && Number(first) > Number(last)) {
    const help = `write ${first}-${max},${min}-${last} if it is to wrap, else ${last}-${first}`;
    const part = { text: `${first}-${last}`, at: item.at };
    return report(
      "range-order",
      part,
      `${name} range ${part.text} runs backwards`,
      "low-high",
      help,
    );
  }
  if (first !== undefined && last === undefined && slash !== undefined) {
    const help = `write ${first} for that value alone, or ${first}-${max}${slash} for a step from it`;
    const why = "dialects disagree on what this means";
    return report("step-on-value", item, `${name} has a step on a single value`, why, help);
  }
  if (Number(step) === 0) {
    const help = "use a step of 1 or more";
    return report("step", stepPart, `${name} has a step of 0`, "a step is 1 or more", help);
  }
  return digitsFault(stepPart, field, report);
}

function numberFault(part: Part, field: FieldRule, report: Report): Fault | undefined {
  const { name, min, max } = field;
  const value = Number(part.text);
  if (part.text === "" || part.text.length > 4 || (value >= min && value <= max)) {
    return digitsFault(part, field, report);
  }
  const help =
    max === 6 && value === 7 ? "write 0 for Sunday" : `use a value from ${min} to ${max}`;
  const message = `${name} value ${part.text} is out of range`;
  const more = { allowed: [`${min}-${max}`] };
  return report("range", part, message, `${name} is ${min}-${max}`, help, more);
}

function digitsFault(part: Part, { name }: FieldRule, report: Report): Fault | undefined {
  if (part.text.length <= 4) return undefined;
  const message = `${name} has a number of over 4 digits`;
  return report("syntax", part, message, "at most 4 digits", "drop the leading zeros");
}

function shapeFault(item: Part, field: FieldRule, report: Report): Fault {
  const { name } = field;
  const word = /[A-Z]{3,}/i.exec(item.text);
  if (word !== null) {
    const short = word[0].slice(0, 3).toUpperCase();
    for (const { names, min } of [field, ...FIELDS]) {
      const index = names === undefined ? -1 : names.indexOf(short);
      if (index < 0 || index % 3 !== 0) continue;
      const part = { text: word[0], at: item.at + word.index };
      const help = `write ${index / 3 + min} for ${word[0]}`;
      return report("name", part, `${name} has the name ${word[0]}`, "numbers only", help);
    }
  }
  const why = "each item is *, a number or a range low-high, and all but a number take /step";
  if (/[?#~]|^\d*[LW]+\b|^H\b/i.test(item.text)) {
    const help =
      item.text === "?" ? "write *" : "list the values; rules of other dialects are refused";
    return report("extension", item, `${name} has ${item.text}, of another dialect`, why, help);
  }
  const help =
    item.text === ""
      ? "remove the comma, or put a value beside it"
      : /[+.]|^-|[-/]-/.test(item.text)
        ? "use whole numbers without a sign"
        : "use digits, *, -, / and commas";
  const message = item.text === "" ? "an empty item" : `${item.text}, which is no item`;
  return report("syntax", item, `${name} has ${message}`, why, help);
}
