import type { EventView } from "@mesh/protocol";
import type { Context } from "../context.ts";
import { printable } from "../paint.ts";
import { localText } from "../times.ts";

/** What happened lately, one line each, in the server's words. */
export function eventLines(context: Context, events: readonly EventView[]): readonly string[] {
  return events.map(({ at, message }) => {
    const text = printable(message).replace(/\s*\n\s*/g, " ");
    return `${context.paint(localText(at, context.reader), "dim")}  ${text}`;
  });
}
