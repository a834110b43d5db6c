import type { Colour, Paint } from "./paint.ts";
import { printable } from "./paint.ts";

/** What a column shows of a row; `undefined` is shown as a dash. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string | number | undefined;
  readonly colour?: (row: Row) => Colour | undefined;
}

/**
 * A table as lines: titles, columns two spaces apart, no borders, nothing cut off,
 * so that it reads well and `awk` can take it. Cells hold one line: line breaks become spaces.
 */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  paint: Paint,
): readonly string[] {
  const cells = rows.map((row) => columns.map((column) => cellText(column.text(row))));
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...cells.map((line) => line[at]?.length ?? 0)),
  );
  const line = (texts: readonly string[], colourAt: (at: number) => Colour | undefined): string => {
    const last = texts.length - 1;
    return texts
      .map((text, at) => {
        const colour = colourAt(at);
        const shown = colour === undefined ? text : paint(text, colour);
        return at === last ? shown : shown + " ".repeat((widths[at] ?? 0) - text.length);
      })
      .join("  ")
      .trimEnd();
  };
  const titles = line(
    columns.map((column) => column.title),
    () => "dim",
  );
  return [
    titles,
    ...rows.map((row, r) => line(cells[r] ?? [], (at) => columns[at]?.colour?.(row))),
  ];
}

/** `key  value` lines with aligned values; entries without a value are left out. */
export function fieldLines(
  fields: readonly (readonly [string, string | number | undefined])[],
  paint: Paint,
): readonly string[] {
  const shown = fields.filter((field) => field[1] !== undefined);
  const width = Math.max(0, ...shown.map(([key]) => key.length));
  return shown.map(([key, value]) =>
    `${paint(key, "dim")}${" ".repeat(width - key.length)}  ${cellText(value)}`.trimEnd(),
  );
}

function cellText(value: string | number | undefined): string {
  if (value === undefined || value === "") return "-";
  return printable(String(value)).replace(/[\n\t]+/g, " ");
}
