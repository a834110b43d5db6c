import type { Diagnostic } from "./diagnostic.ts";
import { type CronField, FIELD_ORDER, FIELDS, type FieldRule, valueOfName } from "./field-rules.ts";

/** Texts over this length are refused before they are read (C2). */
export const MAX_LENGTH = 256;

/** A fault as found: the diagnostic, and what only the error's text shows beside it. */
export interface Fault {
  readonly diagnostic: Diagnostic;
  readonly field?: CronField;
  /** The rule that the marked part breaks, for the line with the caret. */
  readonly why: string;
}

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

/** What is said of a fault; `found` is the part itself unless given. */
interface Saying {
  readonly code: string;
  readonly message: string;
  readonly why: string;
  readonly help: string;
  readonly found?: string;
  readonly allowed?: readonly string[];
}

type Report = (part: Part, saying: Saying, field?: FieldRule) => Fault;

/**
 * What is wrong with a text that is no expression: the first fault in the order of C2 (too long,
 * foreign character, macro, zone prefix, field count, then the leftmost one).
 * `undefined` for an expression. Speed is no concern here: the parser comes here only to explain.
 */
export function diagnose(text: string): Fault | undefined {
  const report: Report = (part, { code, why, ...saying }, field) => {
    const range = {
      start: position(text, part.at),
      end: position(text, part.at + part.text.length),
    };
    const diagnostic: Diagnostic = {
      code: `cron.${code}`,
      severity: "error",
      range,
      found: part.text,
      ...saying,
    };
    return field ? { diagnostic, field: field.key, why } : { diagnostic, why };
  };
  if (text.length > MAX_LENGTH) {
    const size = `${text.length}`;
    return report(
      { text: text.slice(MAX_LENGTH), at: MAX_LENGTH },
      {
        code: "too-long",
        message: `the text has ${size} characters`,
        why: `the limit is ${MAX_LENGTH}`,
        help: "use ranges and steps, or several schedules",
        found: size,
      },
    );
  }
  const start = text.length - text.replace(/^[ \t\r\n]+/, "").length;
  const whole = { text: text.slice(start).replace(/[ \t\r\n]+$/, ""), at: start };
  return foreignFault(whole, report) ?? prefixFault(whole, report) ?? fieldsFault(whole, report);
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
  const part = { text: character, at: at + index };
  if (character === "\n" || character === "\r") {
    return report(part, {
      code: "syntax",
      message: "a line break inside the expression",
      why: "one line only",
      help: "write the five fields on one line",
    });
  }
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
  return report(part, {
    code: "syntax",
    message: `character U+${code} is not allowed`,
    why: "ASCII only",
    help: "type it again with plain spaces and digits",
  });
}

function prefixFault(whole: Part, report: Report): Fault | undefined {
  const word = (/^\S*/.exec(whole.text) as RegExpExecArray)[0];
  const part = { text: word, at: whole.at };
  if (word.startsWith("@")) {
    return report(part, {
      code: "macro",
      message: `${word} is a macro`,
      why: "five fields, no macros",
      help: `write ${MACROS[word.toLowerCase()] ?? `the five fields: ${FIELD_ORDER}`}`,
    });
  }
  if (/^(CRON_)?TZ=/i.test(word)) {
    return report(part, {
      code: "timezone-prefix",
      message: `${word} is a zone prefix`,
      why: "the zone is no part of the expression",
      help: "leave it out and give the zone as timezone",
    });
  }
  return undefined;
}

function fieldsFault(whole: Part, report: Report): Fault | undefined {
  const fields = split(whole, /[ \t]+/g);
  const count = whole.text === "" ? 0 : fields.length;
  if (count !== 5) return countFault(whole, fields, count, report);
  for (const [index, field] of fields.entries()) {
    for (const item of split(field, /,/g)) {
      const fault = itemFault(item, FIELDS[index] as FieldRule, report);
      if (fault) return fault;
    }
  }
  return undefined;
}

function countFault(whole: Part, fields: readonly Part[], count: number, report: Report): Fault {
  const first = fields[5] ?? whole;
  const from = (index: number) =>
    fields
      .slice(index, index + 5)
      .map((field) => field.text)
      .join(" ");
  return report(
    { text: whole.text.slice(first.at - whole.at), at: first.at },
    {
      code: "fields",
      message: `expected 5 fields, found ${count}`,
      why: FIELD_ORDER,
      help:
        count === 6 || count === 7
          ? `there are no seconds and no year: did you mean ${from(1)}, or ${from(0)}?`
          : `write five fields: ${FIELD_ORDER}`,
      found: `${count}`,
      allowed: ["5"],
    },
  );
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
  const [, first = "", , last = "", slash = "", step = ""] = match;
  const fault =
    numberFault({ text: first, at: item.at }, field, report) ??
    numberFault({ text: last, at: item.at + `${first}-`.length }, field, report);
  if (fault) return fault;
  if (last !== "" && Number(first) > Number(last)) {
    const part = { text: `${first}-${last}`, at: item.at };
    const saying = {
      code: "range-order",
      message: `${name} range ${part.text} runs backwards`,
      why: "low-high",
      help: `write ${first}-${max},${min}-${last} if it is to wrap, else ${last}-${first}`,
    };
    return report(part, saying, field);
  }
  if (first !== "" && last === "" && slash !== "") {
    const saying = {
      code: "step-on-value",
      message: `${name} has a step on a single value`,
      why: "dialects disagree on what this means",
      help: `write ${first} for that value alone, or ${first}-${max}${slash} for a step from it`,
    };
    return report(item, saying, field);
  }
  const stepPart = { text: step, at: item.at + item.text.length - step.length };
  if (step !== "" && Number(step) === 0) {
    const saying = {
      code: "step",
      message: `${name} has a step of 0`,
      why: "a step is 1 or more",
      help: "use a step of 1 or more",
    };
    return report(stepPart, saying, field);
  }
  return digitsFault(stepPart, field, report);
}

function numberFault(part: Part, field: FieldRule, report: Report): Fault | undefined {
  const { name, min, max } = field;
  const { text } = part;
  const value = Number(text);
  if (text === "" || text.length > 4 || (value >= min && value <= max)) {
    return digitsFault(part, field, report);
  }
  const saying = {
    code: "range",
    message: `${name} value ${text} is out of range`,
    why: `${name} is ${min}-${max}`,
    help: max === 6 && value === 7 ? "write 0 for Sunday" : `use a value from ${min} to ${max}`,
    allowed: [`${min}-${max}`],
  };
  return report(part, saying, field);
}

function digitsFault(part: Part, field: FieldRule, report: Report): Fault | undefined {
  if (part.text.length <= 4) return undefined;
  const saying = {
    code: "syntax",
    message: `${field.name} has a number of over 4 digits`,
    why: "at most 4 digits",
    help: "drop the leading zeros",
  };
  return report(part, saying, field);
}

function shapeFault(item: Part, field: FieldRule, report: Report): Fault {
  const { name } = field;
  const { text } = item;
  const word = /[A-Z]{3,}/i.exec(text);
  if (word && FIELDS.some((other) => valueOfName(word[0], other) !== undefined)) {
    const value = valueOfName(word[0], field);
    const saying = {
      code: "name",
      message: `${name} has the name ${word[0]}`,
      why: "numbers only",
      help:
        value === undefined
          ? `use a value from ${field.min} to ${field.max}`
          : `write ${value} for ${word[0]}`,
    };
    return report({ text: word[0], at: item.at + word.index }, saying, field);
  }
  const why = "each item is *, a number or a range low-high, and all but a number take /step";
  if (/[?#~]|^\d*[LW]+\b|^H\b/i.test(text)) {
    const saying = {
      code: "extension",
      message: `${name} has ${text}, of another dialect`,
      why,
      help: text === "?" ? "write *" : "list the values; rules of other dialects are refused",
    };
    return report(item, saying, field);
  }
  const saying = {
    code: "syntax",
    message: `${name} has ${text === "" ? "an empty item" : `${text}, which is no item`}`,
    why,
    help:
      text === ""
        ? "remove the comma, or put a value beside it"
        : /[+.]|^-|[-/]-/.test(text)
          ? "use whole numbers without a sign"
          : "use digits, *, -, / and commas",
  };
  return report(item, saying, field);
}
