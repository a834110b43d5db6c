import type { Fault } from "./diagnose.ts";

const MAX_SHOWN = 60;

/**
 * A fault in words, in four parts: what, where (the text with a caret under the fault), why and
 * help. A long text is shown from close before the fault.
 */
export function explainFault({ diagnostic, why }: Fault, text: string): string {
  const { message, range, help } = diagnostic;
  const start = range ? range.start.offset : 0;
  const end = range ? range.end.offset : 0;
  const from = start > MAX_SHOWN / 2 && text.length > MAX_SHOWN ? start - MAX_SHOWN / 2 : 0;
  const shown = text.slice(from, from + MAX_SHOWN).replace(/[\t\r\n]/g, " ");
  const carets = "^".repeat(Math.max(1, Math.min(end, from + MAX_SHOWN) - start));
  const mark = `${" ".repeat(start - from)}${carets} ${why}`;
  return `${message}\n  ${shown.trimEnd()}\n  ${mark}\nhelp: ${help}`;
}
