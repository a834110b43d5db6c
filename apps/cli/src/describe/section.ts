import type { Paint } from "../paint.ts";

/** A titled block of lines, indented by two; nothing at all when there are no lines. */
export function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  if (lines.length === 0) return [];
  return ["", paint(title, "bold"), ...lines.map((line) => `  ${line}`)];
}
